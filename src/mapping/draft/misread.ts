import { type Cell, cellText } from "../../domain/cell.ts"
import type { Question } from "../../domain/form.ts"
import { cut, type ProblemCode, problemWords } from "../../domain/problem.ts"
import type { Column } from "../../domain/row.ts"
import { counted } from "../../domain/words.ts"
import { textOf } from "../../kinds/cells.ts"
import { Fault } from "../../kinds/Kind.ts"
import type { Settings } from "./settings.ts"
import { compileWritten, forEachCell } from "./unknownChoices.ts"

/** The cells of a column that can't be read with its settings. */
export interface Misread {
  readonly filled: number
  readonly cells: number
  /** At most the first three distinct cells among them. */
  readonly examples: ReadonlyArray<string>
  readonly code: ProblemCode | undefined
}

/** Settings to try on a column's cells, and the id of the question that the column fills, or another target such as `submissionTime`. */
export interface Reading {
  readonly of: string
  readonly column: Column
  readonly question: Question
  readonly settings: Settings
}

/** Keys of settings that say how cells are written. */
const formats: ReadonlySet<string> = new Set(["format", "decimal", "group", "true", "false"])

/** Returns the share of a column's cells that settings may fail to read. */
const tolerated = ({ keys }: Settings): number => keys.some(({ key }) => formats.has(key)) ? 0.01 : 0.5

/** Returns why settings don't fit the cells: more than half of the cells can't be read, or more than 1% if the settings say how cells are written. Undefined if they fit. */
export const misfitOf = (settings: Settings, misread: Misread | undefined): string | undefined => {
  if (misread === undefined || misread.code === undefined) return undefined
  const { cells, code, examples, filled } = misread
  if (cells <= filled * tolerated(settings)) return undefined
  const shown = examples.map((text) => JSON.stringify(cut(text, 40))).join(", ")
  return `${cells} of ${counted(filled, "cell")} can't be read like this (${problemWords[code]}), such as ${shown}`
}

/** If settings don't fit the cells, leaves them open for a person to correct. */
export const settingsThatRead = (settings: Settings, misread: Misread | undefined): Settings => {
  const misfit = misfitOf(settings, misread)
  if (misread === undefined || misfit === undefined) return settings
  const { cells, filled } = misread
  return {
    ...settings,
    keys: cells > filled / 2 ? settings.keys.filter(({ key }) => !formats.has(key)) : settings.keys,
    open: [settings.open, `${misfit}. Correct it, then remove the #.`].filter((each) => each !== undefined)
      .join(" Also: "),
  }
}

/** Kinds that take any text, or whose options are compared elsewhere. */
const unchecked: ReadonlySet<string> = new Set(["text", "choice", "choices", "ranking", "matrix", "json", "files"])

/**
 * Tries settings on the cells of a column, until it is certain that they fit.
 *
 * @param empty texts for "no answer", which don't count as filled
 * @param rows the maximum number of rows
 * @returns undefined if the settings can't be wrong
 */
export const collectMisread = ({ column, question, settings }: Reading, empty: ReadonlySet<string>, rows: number) => {
  const written = Object.fromEntries(settings.keys.map(({ key, value }) => [key, value]))
  const parse = settings.kind === undefined || unchecked.has(settings.kind)
    ? undefined
    : compileWritten(settings.kind, written, question, empty)
  if (parse === undefined) return undefined
  // Numbers without a country code can be read with the country that a person adds.
  const lacksCountry = settings.asks.some(({ key }) => key === "country")
  const examples = new Set<string>()
  const most = tolerated(settings)
  let [filled, cells, left] = [0, 0, rows]
  let code: ProblemCode | undefined
  const faultOf = forEachCell((cell): Fault | undefined => {
    if (lacksCountry && !textOf(cell).trim().startsWith("+")) return undefined
    const result = parse([cell])
    // Whether a time is skipped or repeated by a clock change depends on the zone, and the suggested zone may only be an example.
    return result instanceof Fault && result.code !== "ambiguous-time" ? result : undefined
  })
  return {
    add: (row: ReadonlyArray<Cell>): void => {
      if (cells + left <= most * (filled + left)) return
      left--
      const cell = row[column.position] ?? null
      if (cell === null || cell === "" || empty.has(textOf(cell).trim())) return
      filled++
      const fault = faultOf(cell)
      if (fault === undefined) return
      cells++
      code ??= fault.code
      if (examples.size < 3) examples.add(cellText(cell))
    },
    misread: (): Misread => ({ filled, cells, examples: [...examples], code }),
  }
}
