import { cellText, JsonCell } from "../../src/domain/cell.ts"
import type { Submission } from "../../src/domain/submission.ts"

const quoted = (cell: string) => `"${cell.replaceAll('"', '""')}"`

/** Returns an answer as an export shows it. */
const shown = (value: unknown): string =>
  Array.isArray(value) ? value.join(", ") : typeof value === "object" && value !== null
    ? cellText(new JsonCell(value as never))
    : String(value ?? "")

/**
 * Returns the service's export of a form's results. It has a byte order mark, a quoted header, and times as JavaScript
 * writes them.
 */
export const resultsExport = (
  submissions: ReadonlyArray<Submission>,
  without: (name: unknown) => boolean = () => false,
): string => {
  const elements = ({ questions, urlParameters }: Submission) => [...questions, ...urlParameters]
  const names = [...new Set(submissions.flatMap((one) => elements(one).map((answer) => answer.name ?? answer.id)))]
  const header = [
    "Submission ID",
    "Last updated",
    "Submission started",
    "Status",
    "Current step",
    ...names,
    "Errors",
    "Url",
    "Network ID",
  ]
  const time = "Fri Nov 20 2026 10:05:00 GMT+0000 (Coordinated Universal Time)"
  const lines = submissions
    .filter((one) => !without(one.questions.find((answer) => answer.id === "name")?.value))
    .map((one) => [
      one.submissionId,
      time,
      time,
      "finished",
      "Ending",
      ...names.map((name) => shown(elements(one).find((answer) => (answer.name ?? answer.id) === name)?.value)),
      "None",
      "https://forms.example.com/t/people",
      "0a1b2c",
    ])
  return `\ufeff${[header, ...lines].map((line) => line.map(quoted).join(",")).join("\n")}\n`
}
