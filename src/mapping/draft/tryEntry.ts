import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { type Cell, cellText } from "../../domain/cell.ts"
import type { Question } from "../../domain/form.ts"
import { cut, type ProblemCode, problemWords } from "../../domain/problem.ts"
import type { Cells } from "../../domain/row.ts"
import { counted } from "../../domain/words.ts"
import { textOf } from "../../kinds/cells.ts"
import { kinds } from "../../kinds/index.ts"
import { Fault, type Kind, type Parse } from "../../kinds/Kind.ts"
import { codesOf } from "../suggest/labelled.ts"
import { indexOptions, optionsNamed } from "../suggest/optionIndex.ts"
import { columnsOf, type Suggestion } from "../suggest/Suggestion.ts"
import { cached } from "../words/words.ts"
import { joinedOpen, type Settings } from "./settings.ts"
import { collectUnknown, type Unknown } from "./unknownChoices.ts"

/** What a column's cells show about an entry that reads them. */
export interface TriedEntry extends Unknown {
  readonly filled: number
  readonly faulty: number
  /** At most the first three distinct cells among them. */
  readonly examples: ReadonlyArray<string>
  readonly code: ProblemCode | undefined
}

/** Entries that were tried, by the id of their question, or by the name of another target such as `submissionTime`. */
export type TriedEntries = ReadonlyMap<string, TriedEntry>

const untried: TriedEntry = { filled: 0, faulty: 0, examples: [], code: undefined, counts: [], more: false }

/** Keys of settings that say how cells are written. */
const formats: ReadonlySet<string> = new Set(["format", "decimal", "group", "true", "false"])

/** Returns the share of a column's cells that settings may fail to read. */
const tolerated = ({ keys }: Settings): number => keys.some(({ key }) => formats.has(key)) ? 0.01 : 0.5

/** Returns why settings don't fit the cells: more than half of the cells can't be read, or more than 1% if the settings say how cells are written. Undefined if they fit. */
export const misfitOf = (settings: Settings, tried: TriedEntry | undefined): string | undefined => {
  if (tried === undefined || tried.code === undefined) return undefined
  const { code, examples, faulty, filled } = tried
  if (faulty <= filled * tolerated(settings)) return undefined
  const shown = examples.map((text) => JSON.stringify(cut(text, 40))).join(", ")
  return `${faulty} of ${counted(filled, "cell")} can't be read like this (${problemWords[code]}), such as ${shown}`
}

/** If settings don't fit the cells, leaves them open for a person to correct. */
export const settingsThatRead = (settings: Settings, tried: TriedEntry | undefined): Settings => {
  const misfit = misfitOf(settings, tried)
  if (tried === undefined || misfit === undefined) return settings
  const { faulty, filled } = tried
  return {
    ...settings,
    keys: faulty > filled / 2 ? settings.keys.filter(({ key }) => !formats.has(key)) : settings.keys,
    open: joinedOpen([settings.open, `${misfit}. Correct it, then remove the #.`]),
  }
}

/**
 * Returns how a kind reads cells if an entry has these keys. Times without a zone are read in UTC. Undefined if the kind is unknown, or if the keys have
 * mistakes.
 */
export const compileWritten = (
  kindName: string,
  written: Readonly<Record<string, unknown>>,
  question: Question,
  empty: ReadonlySet<string>,
): Parse | undefined => {
  const kind = kinds.get(kindName)
  if (kind === undefined) return undefined
  const schema = Schema.Struct(kind.options) as unknown as Schema.Schema<Readonly<Record<string, unknown>>, unknown>
  const options = Schema.decodeUnknownOption(schema)(kindName === "dateTime" ? { zone: "UTC", ...written } : written)
  if (Option.isNone(options)) return undefined
  // The cast is safe, because the options were decoded by the kind's own Schema.
  const made = (kind as Kind<unknown> as Kind<Readonly<Record<string, unknown>>>).compile(options.value, {
    question,
    input: { _tag: "Columns", count: 1 },
    empty,
  })
  return typeof made === "function" ? made : undefined
}

type OriginOf = Pick<Suggestion, "origin" | "question">

/** Whether each of several columns contains one of the question's options. */
export const isGrid = ({ origin, question }: OriginOf): boolean =>
  origin._tag === "Block" && (question.type === "Matrix" || origin.content === "places")

/** Kinds whose cells are choices, and other kinds that take any text. */
const choiceKinds: ReadonlySet<string> = new Set(["choice", "choices", "ranking"])
const anyText: ReadonlySet<string> = new Set(["text", "matrix", "json", "files"])

const tryChoices = (entry: OriginOf, kind: string, written: Readonly<Record<string, unknown>>) => {
  const { origin, question: { options = [] }, question } = entry
  if (options.length === 0) return undefined
  const names = indexOptions(options)
  // The form may use the same codes with other meanings. So a code whose label names no option is not the option with this code.
  const unnamed = [...codesOf(entry)].flatMap(([code, label]) =>
    optionsNamed(names, [label])[0] === undefined ? [code] : []
  )
  const counter = collectUnknown(columnsOf(origin), kind, written, question, new Set(), new Set(unnamed))
  return counter && { addRow: counter.addRow, tried: (): TriedEntry => ({ ...untried, ...counter.unknown() }) }
}

/**
 * Tries the settings of an entry on the cells of its columns, until it is certain that they fit.
 *
 * @param empty texts for "no answer", which don't count as filled. Choices count even so, because an option may have this name
 * @param rows the maximum number of rows
 * @returns undefined if the settings can't be wrong
 */
export const tryEntry = (entry: OriginOf, settings: Settings, empty: ReadonlySet<string>, rows: number) => {
  const { origin, question } = entry
  if (isGrid(entry)) return tryChoices(entry, "choice", {})
  const { asks, keys, kind } = settings
  if (origin._tag !== "Column" || kind === undefined || anyText.has(kind)) return undefined
  const written = Object.fromEntries(keys.map(({ key, value }) => [key, value]))
  if (choiceKinds.has(kind)) return tryChoices(entry, kind, written)
  const parse = compileWritten(kind, written, question, empty)
  if (parse === undefined) return undefined
  // Numbers without a country code can be read with the country that a person adds.
  const lacksCountry = asks.some(({ key }) => key === "country")
  const examples = new Set<string>()
  const most = tolerated(settings)
  let [filled, faulty, left] = [0, 0, rows]
  let code: ProblemCode | undefined
  const faultOf = cached((cell: Exclude<Cell, null>): Fault | undefined => {
    if (lacksCountry && !textOf(cell).trim().startsWith("+")) return undefined
    const result = parse([cell])
    // Whether a time is skipped or repeated by a clock change depends on the zone, and the suggested zone may only be an example.
    return result instanceof Fault && result.code !== "ambiguous-time" ? result : undefined
  })
  return {
    addRow: (cells: Cells): void => {
      if (faulty + left <= most * (filled + left)) return
      left--
      const cell = cells[origin.column.position] ?? null
      if (cell === null || cell === "" || empty.has(textOf(cell).trim())) return
      filled++
      const fault = faultOf(cell)
      if (fault === undefined) return
      faulty++
      code ??= fault.code
      if (examples.size < 3) examples.add(cellText(cell))
    },
    tried: (): TriedEntry => ({ ...untried, filled, faulty, examples: [...examples], code }),
  }
}
