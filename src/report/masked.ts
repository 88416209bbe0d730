import type { Json } from "../domain/json.ts"
import type { ProblemCode } from "../domain/problem.ts"
import type { Difference, Replacement, RunReport } from "../domain/run.ts"
import { valueText } from "./differences.ts"
import type { ImportedRow, InDoubtRow, Mask, RejectedRow, VanishedRow } from "./RunFolder.ts"
import { problemWords } from "./words.ts"

/**
 * A mask by keyed digests: whoever has the ledger's secret can check whether a value is the one that was masked (docs/reports.md), and nobody else can guess it.
 *
 * @param digest the ledger's keyed digest of a value
 */
export const maskOf = (digest: (value: string) => Buffer): Mask => (text) =>
  text === "" ? "" : `hmac:${digest(text).toString("hex")}`

/** A value by the digest of the text that the report would show of it. */
const maskValue = (value: Json | undefined, mask: Mask): Json | undefined =>
  value === undefined || value === null ? value : mask(valueText(value))

/** The link that edits a submission shows all of it: it goes. */
export const maskDifference = (difference: Difference, mask: Mask): Difference => ({
  ...difference,
  key: mask(difference.key),
  sent: maskValue(difference.sent, mask),
  returned: maskValue(difference.returned, mask),
  editLink: undefined,
})

/** What is wrong without the value that is wrong; what the service said may repeat it. */
const messageOf = ({ code, column }: { readonly code: ProblemCode; readonly column?: string | undefined }): string =>
  column === undefined ? problemWords[code] : `${column}: ${problemWords[code]}`

export const maskRejected = (row: RejectedRow, mask: Mask): RejectedRow => ({
  ...row,
  key: row.key === undefined ? undefined : mask(row.key),
  cells: row.cells.map(mask),
  problems: row.problems.map((problem) => ({
    ...problem,
    value: problem.value === undefined ? undefined : mask(problem.value),
    message: messageOf(problem),
  })),
})

export const maskInDoubt = (row: InDoubtRow, mask: Mask): InDoubtRow => ({
  ...row,
  key: mask(row.key),
  cells: row.cells.map(mask),
})

export const maskImported = (row: ImportedRow, mask: Mask): ImportedRow => ({ ...row, key: mask(row.key) })

export const maskVanished = (row: VanishedRow, mask: Mask): VanishedRow => ({ ...row, key: mask(row.key) })

export const maskReplaced = (one: Replacement, mask: Mask): Replacement => ({
  ...one,
  key: mask(one.key),
  editLink: undefined,
})

/** A report without a value of its rows: titles, names, counts and submission ids stay. */
export const maskReport = (report: RunReport, mask: Mask): RunReport => {
  const refusals = report.problems
    .flatMap((group) => (group.code === "refused" ? group.examples.map(({ message }) => message) : []))
    .filter((message) => message !== "")
  const withoutRefusals = (sentence: string) =>
    refusals.reduce((text, refusal) => text.replaceAll(refusal, "(masked)"), sentence)
  return {
    ...report,
    because: report.because.map(withoutRefusals),
    // A masked rejected.csv can't be fed back.
    next: report.next?.includes(" --source ") === true ? `formferry run ${report.pipeline}` : report.next,
    problems: report.problems.map((group) => ({
      ...group,
      examples: group.examples.map(({ row, value }) => ({
        row,
        value: value === undefined ? undefined : mask(value),
        message: messageOf(group),
      })),
    })),
    differences: report.differences.map((one) => maskDifference(one, mask)),
    findings: report.findings.map((finding) => ({
      ...finding,
      examples: finding.examples.map((one) => maskDifference(one, mask)),
    })),
    normalised: report.normalised.map((one) => ({
      ...one,
      example: {
        ...one.example,
        sent: maskValue(one.example.sent, mask),
        returned: maskValue(one.example.returned, mask),
      },
    })),
    ...(report.replaced === undefined ? {} : {
      replaced: { ...report.replaced, examples: report.replaced.examples.map((one) => maskReplaced(one, mask)) },
    }),
    values: "masked",
  }
}
