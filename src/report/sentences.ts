import * as Str from "effect/String"
import type { CellState } from "../domain/cells.ts"
import { fates, fateWords, submissionsIn, verdicts, verdictWords } from "../domain/fate.ts"
import { brief } from "../domain/problem.ts"
import { phases } from "../domain/progress.ts"
import type { ColumnCells, RunReport, SourceFile, Unread } from "../domain/report.ts"
import { aboveRow, strayQuotes } from "../domain/run.ts"
import { lastingEach, span } from "../domain/times.ts"
import { count, counted, firstOf, listed, oneLine } from "../domain/words.ts"

// Sentences about a report, for the page and the terminal.

/** Returns the result of a run in one sentence. */
export const sentence = (report: RunReport): string => {
  const { mode, readBack, rows } = report
  const proof = (all: number) =>
    readBack.verified === all ? (all === 1 ? "it is verified" : `all ${count(all)} are verified`) : listed(
      verdicts.filter((verdict) => readBack[verdict] > 0).map((verdict) =>
        `${count(readBack[verdict])} ${
          verdict === "unread" ? verdictWords.unread.meaning : verdictWords[verdict].title
        }`
      ),
    )
  if (mode === "reconcile") {
    const all = submissionsIn(readBack)
    return all === 0
      ? "There was no submission to read back."
      : `Of ${counted(all, "imported submission")}, ${proof(all)}.`
  }
  if (rows.read === 0) return "No row was read."
  const pending = mode === "dry-run" ? "ready to be sent" : "left for the next run"
  const others = listed(
    fates.filter((fate) => fate !== "imported" && rows[fate] > 0)
      .map((fate) => `${count(rows[fate])} ${fate === "pending" ? pending : fateWords[fate].title}`),
  )
  const where = mode === "rehearsal" ? " into the practice service" : ""
  const imported = rows.imported === 0
    ? ""
    : `${count(rows.imported)} ${rows.imported === 1 ? "was" : "were"} imported${where} (${proof(rows.imported)})`
  const came = imported === "" ? others : others === "" ? imported : `${imported}; the others: ${others}`
  return `Of ${counted(rows.read, "row")} that ${rows.read === 1 ? "was" : "were"} read, ${came}.`
}

/** Returns sentences about the whole form: how many submissions it lacks, and how many are not in the ledger. */
export const wholeFormSentences = (
  { missing, submissions, unknown }: NonNullable<RunReport["wholeForm"]>,
): ReadonlyArray<string> => [
  ...(missing === 0 ? [] : [
    `The form lacks ${counted(missing, "submission")} that the ledger requires: see whole-form.csv.`,
  ]),
  `The form has ${counted(submissions, "submission")}${
    unknown === 0
      ? ", and all of them are in the ledger."
      : `, and ${count(unknown)} of them ${unknown === 1 ? "is" : "are"} not in the ledger: see whole-form.csv.`
  }`,
]

/** Returns the duration of a run and of its steps, which add up to it: `1m 5s (survey 3s, import 1m 2s)`. */
export const tookOf = ({ finishedAt, phases: steps, startedAt }: RunReport): string | undefined => {
  const whole = span(startedAt, finishedAt)
  const each = lastingEach(steps.map(({ millis }) => millis))
  const shown = steps.flatMap(({ phase }, index) =>
    each[index] === "0" ? [] : [`${phases[phase].title} ${each[index]}`]
  )
  return whole === undefined || shown.length < 2 ? whole : `${whole} (${shown.join(", ")})`
}

/** Returns what the lines of delimited text contain: `3,065 lines: 1 above the data, 3,062 records, 2 inside cells`. */
export const linesAccount = ({ lines }: SourceFile): string | undefined =>
  lines === undefined
    ? undefined
    : `${counted(lines.physical, "line")}: ${
      [
        `${count(lines.above)} above the data`,
        counted(lines.records, "record"),
        ...(lines.inside === 0 ? [] : [`${count(lines.inside)} inside cells`]),
        ...(lines.blank === 0 ? [] : [`${count(lines.blank)} blank`]),
        ...(lines.open === true ? ["the last without a line end"] : []),
      ].join(", ")
    }`

/** Returns the length and the place of the longest cell: `240 characters (row 17, column "Why?")`. */
export const longestAccount = ({ longest }: SourceFile): string | undefined =>
  longest === undefined
    ? undefined
    : `${counted(longest.length, "character")} (row ${count(longest.row)}, column "${brief(longest.column)}")`

/**
 * Returns sentences about how a file's lines were read.
 *
 * @param named whether to name the file
 */
export const accountOf = (file: SourceFile, named: boolean): ReadonlyArray<string> => {
  const lines = linesAccount(file)
  const longest = longestAccount(file)
  const stray = file.taken.find(({ what }) => what === strayQuotes)
  const where = named ? `${file.file}: ` : ""
  return [
    ...(lines === undefined ? [] : [`${where}${lines}.`]),
    ...file.taken.filter(({ value }) => value.includes(aboveRow))
      .map(({ value, what }) => `${where}${Str.capitalize(what)}: ${value}, where another table may begin.`),
    ...(stray === undefined ? [] : [`Quotes at the start of cells were ${stray.value}.`]),
    ...(longest === undefined ? [] : [`Longest cell: ${longest}.`]),
  ]
}

/** Returns a column's name for a sentence. */
export const columnTitle = ({ position, title }: Pick<ColumnCells, "position" | "title">): string =>
  title.trim() === "" ? `column ${position}` : oneLine(title)

/** The maximum number of columns that a sentence names. Any others are counted. */
const mostNamed = 5

/** Returns sentences about cells of imported rows that were not sent or were sent only in part, and about parts of files that were not read. Empty if everything was sent. */
export const leftBehind = (
  { columns = [], sources }: Pick<RunReport, "columns" | "sources">,
): ReadonlyArray<string> => {
  /** Returns `12 cells in 2 columns are …`. Empty if there are no cells. */
  const cells = (some: ReadonlyArray<readonly [column: ColumnCells, cells: number]>, what: string) => {
    const filled = some.filter(([, cells]) => cells > 0)
    const all = filled.reduce((sum, [, cells]) => sum + cells, 0)
    return all === 0
      ? []
      : [`${counted(all, "cell")} in ${counted(filled.length, "column")} ${all === 1 ? "is" : "are"} ${what}.`]
  }
  // Cells of rows that were not imported are not left behind: what happened to their rows is shown elsewhere.
  const ofUse = (use: ColumnCells["use"]) =>
    columns.filter((column) => column.use === use).map((column) =>
      [column, column.cells - column.states.rejected - column.states.skipped] as const
    )
  const inState = (state: CellState) => columns.map((column) => [column, column.states[state]] as const)
  /** Returns the same with the names of the fullest columns. */
  const cellsByName = (some: ReadonlyArray<readonly [column: ColumnCells, cells: number]>, what: string) => {
    const fullest = some.filter(([, cells]) => cells > 0).toSorted(([, a], [, b]) => b - a)
    const names = fullest.map(([column, cells]) => `${brief(columnTitle(column))} (${counted(cells, "cell")})`)
    return cells(fullest, `${what}: ${firstOf(names, mostNamed)}`)
  }
  const unread = (what: Unread["what"], one: string, many: string) => {
    const some = sources.flatMap(({ unread = [] }) => unread).filter((each) => each.what === what)
    const names = some.map(({ cells, name }) =>
      cells === undefined ? `"${brief(name)}"` : `"${brief(name)}" (${counted(cells, "value")})`
    )
    return some.length === 0 ? [] : [`${some.length === 1 ? one : many} not read: ${names.join(", ")}.`]
  }
  return [
    ...cellsByName(ofUse("notMapped"), "not mapped"),
    ...cellsByName(inState("sentInPart"), "sent in part"),
    ...cellsByName(inState("dropped"), "dropped"),
    ...cells(ofUse("ignored"), "ignored on purpose"),
    ...unread("sheet", "Another visible sheet is", "Other visible sheets are"),
    ...unread("file", "Another file of the archive is", "Other files of the archive are"),
    ...unread("member", "A member of the records without a column is", "Members of the records without a column are"),
    ...unread("outside", "Values outside the records are", "Values outside the records are"),
  ]
}
