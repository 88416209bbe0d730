import * as Effect from "effect/Effect"
import { type Fate, fateWords, previewedFate } from "../domain/fate.ts"
import { type Json, valueText } from "../domain/json.ts"
import type { PreviewedRow } from "../domain/previewedRow.ts"
import { brief } from "../domain/problem.ts"
import { count, noSuchRow } from "../domain/words.ts"
import { command, json, pipeline, source, to, wholeNumber } from "./command.ts"
import { wrong } from "./Failure.ts"
import { openProject } from "./openProject.ts"
import { showDiagnostics } from "./terminal/diagnostics.ts"
import { withProgress } from "./terminal/progress.ts"
import { cutToWidth, paints, type Screen, table, type TableCell, widthOf } from "./terminal/screen.ts"

export const preview = command({
  name: "preview",
  about:
    "Shows what would be sent for some rows: each cell, the answer it becomes, and its problems. For a row that changed after its import, also what changed.",
  examples: [
    { words: "preview contacts", about: "Shows the first 5 rows." },
    { words: "preview contacts --row 17 --json", about: "Shows row 17 as JSON, for a program." },
    { words: "preview contacts --row 17 --rows 3", about: "Shows rows 17 to 19." },
  ],
  arguments: { pipeline },
  options: {
    rows: wholeNumber(1, "How many rows to show. Default: 5, or 1 with --row."),
    row: wholeNumber(
      1,
      "The first row to show; without --rows, the only one. The first record below the header is row 1.",
    ),
    to,
    source,
    json,
  },
  *run(input, { output }) {
    const project = yield* openProject([input.pipeline])
    const { preview } = yield* Effect.promise(() => import("../jobs/preview.ts"))
    const { rows, read, warnings, notes } = yield* withProgress(
      input.pipeline,
      () => preview(project, input),
    )
    if (rows.length === 0 && input.row !== undefined) {
      return yield* wrong(noSuchRow(input.row, read))
    }
    if (input.json) {
      const shown = rows.map((row) => ({ ...row, key: row.key ?? null }))
      return yield* output.print(JSON.stringify({ pipeline: input.pipeline, rows: shown, warnings, notes }))
    }
    if (warnings.length > 0) output.say(`${showDiagnostics(warnings, output.err)}\n`)
    for (const note of notes) output.say(`Warning: ${note}`)
    yield* output.print(showPreview(rows.map((row) => ({ ...row, fate: previewedFate(row) })), output.out))
  },
})

/** A row as it would be sent, and its fate if that is known. */
type PreviewRow = Omit<PreviewedRow, "filtered" | "valid"> & { readonly fate: Fate | undefined }

/** How many characters of a cell or value are shown. */
const most = 160

/** Returns a value as JSON, with a space after each comma, where a line can break. */
const shown = (value: Json): string =>
  Array.isArray(value)
    ? `[${value.map((one: Json) => JSON.stringify(one)).join(", ")}]`
    : typeof value === "object" && value !== null
    ? `{ ${Object.entries(value).map(([key, one]) => `${JSON.stringify(key)}: ${JSON.stringify(one)}`).join(", ")} }`
    : valueText(value)

/** Shows how a row differs from its submission: the columns, the value in the form and the value now. */
const changeLines = ({ change }: PreviewRow, screen: Screen): ReadonlyArray<string> => {
  if (change === undefined) return []
  const paint = paints(screen)
  if (change.note !== undefined) return [paint.warn(cutToWidth(change.note, screen.width))]
  const value = (one: Json): TableCell =>
    one === null ? { text: "no answer", paint: paint.soft } : cutToWidth(shown(one), most)
  return [
    paint.warn(cutToWidth(`Imported before as ${change.submissionId}, with different answers:`, screen.width)),
    table(
      ["question", "column", "in the form", "now"],
      change.answers.map(({ columns, inForm, name, now }) => [
        cutToWidth(name, most),
        cutToWidth(columns.map(brief).join(", "), most),
        value(inForm),
        value(now),
      ]),
      screen,
    ),
  ]
}

/** Shows one row: every cell next to its answer, and its problems. */
const showRow = (row: PreviewRow, screen: Screen): string => {
  const paint = paints(screen)
  const problematic = row.answers.some(({ problems }) => problems.length > 0)
  const cells = table(
    ["question", "cell", "becomes", ...problematic ? ["problem"] : []],
    row.answers.map((answer) => [
      cutToWidth(answer.name, most),
      cutToWidth(
        answer.cells.length === 1
          ? answer.cells[0]?.text ?? ""
          : answer.cells.map(({ column, text }) => `${brief(column)}: ${text}`).join(", "),
        most,
      ),
      answer.value === undefined
        ? { text: answer.problems.length > 0 ? "" : "no answer", paint: paint.soft }
        : { text: cutToWidth(shown(answer.value), most), paint: paint.good },
      ...problematic
        ? [{ text: answer.problems.map(({ message }) => message).join(" · "), paint: paint.bad }]
        : [],
    ]),
    screen,
  )
  const others = row.problems.map(({ message }) => paint.bad(cutToWidth(message, screen.width)))
  return [heading(row, screen), cells, ...others, ...changeLines(row, screen)].join("\n")
}

/** Shows the row's number, key and fate, on two lines if one is too short. */
const heading = (row: PreviewRow, screen: Screen): string => {
  const paint = paints(screen)
  const number = `Row ${count(row.row)}`
  const key = cutToWidth(row.key === undefined ? "no row key" : `key ${row.key}`, screen.width - number.length - 1)
  const fate = row.fate === undefined ? undefined : fateWords[row.fate]
  const apart = fate !== undefined && widthOf(`${number} ${key} ${fate.title}`) > screen.width ? "\n" : " "
  return [
    `${paint.strong(number)} ${row.key === undefined ? paint.bad(key) : key}`,
    ...fate === undefined ? [] : [paint[fate.tone](fate.title)],
  ].join(apart)
}

/** Shows what would be sent for some rows, with problems. */
export const showPreview = (rows: ReadonlyArray<PreviewRow>, screen: Screen): string =>
  rows.length === 0 ? "The source has no rows." : rows.map((row) => showRow(row, screen)).join("\n\n")
