import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { type Cell, cellText } from "../../domain/cell.ts"
import type { Question } from "../../domain/form.ts"
import type { Cells, Column } from "../../domain/row.ts"
import { textOf } from "../../kinds/cells.ts"
import { kinds } from "../../kinds/index.ts"
import { Fault, type Kind, type Parse } from "../../kinds/Kind.ts"

/** Choices in a column that are not options, with their counts, most frequent first. */
export interface Unknown {
  readonly counts: ReadonlyArray<readonly [choice: string, count: number]>
  /** Whether there were more than these. */
  readonly more: boolean
}

/** The maximum number of distinct cells whose unknown choices are cached, and of choices that are counted. */
const remembered = 20_000
const unknownKept = 1_000

/** The maximum number of options that are compiled again to find several unknown choices in one cell. After that, only the first one of each cell is counted. */
const recompiled = 300_000

/** Compiles a kind with options of unknown type. Returns undefined if the options have mistakes. */
const compileKind = (
  kind: Kind,
  options: Readonly<Record<string, unknown>>,
  question: Question,
  empty: ReadonlySet<string>,
): Parse | undefined => {
  // The cast is safe, because the options were decoded by the kind's own Schema or come from a suggestion.
  const made = (kind as Kind<unknown> as Kind<Readonly<Record<string, unknown>>>).compile(options, {
    question,
    input: { _tag: "Columns", count: 1 },
    empty,
  })
  return typeof made === "function" ? made : undefined
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
  return Option.isNone(options) ? undefined : compileKind(kind, options.value, question, empty)
}

/** Counts the choices in cells, each with the counter of its column. */
export const countChoices = (
  counters: ReadonlyArray<{
    readonly columns: ReadonlyArray<Pick<Column, "position">>
    readonly counter: { readonly add: (cell: Cell) => void }
  }>,
  cells: Cells,
): void => {
  for (const { columns, counter } of counters) {
    for (const { position } of columns) counter.add(cells[position] ?? null)
  }
}

/**
 * Counts choices in a column's cells that are not options of a question. The kind splits the cells into choices.
 *
 * @param kindName `choice`, `choices` or `ranking`
 * @param options of the kind, as in the pipeline
 * @returns undefined when these options can't be compiled
 */
export const collectUnknown = (
  kindName: string,
  options: Readonly<Record<string, unknown>>,
  question: Question,
  empty: ReadonlySet<string>,
) => {
  const kind = kinds.get(kindName)
  const whole = kind === undefined ? undefined : compileKind(kind, options, question, empty)
  if (kind === undefined || whole === undefined) return undefined
  const given = options["values"]
  const values = typeof given === "object" && given !== null ? given : {}
  const counts = new Map<string, number>()
  const memory = new Map<string, ReadonlyArray<string>>()
  let left = recompiled
  let more = false

  const unknownIn = (cell: Cell, text: string): ReadonlyArray<string> => {
    const found: Array<string> = []
    let parse: Parse | undefined = whole
    // Each round treats the unknown choices found so far as empty, until no other is found.
    while (parse !== undefined && found.length < 100) {
      const result = parse([cell])
      if (!(result instanceof Fault) || result.code !== "not-an-option") break
      const piece = result.piece ?? text
      if (found.includes(piece)) break
      found.push(piece)
      if (kindName === "choice") break
      left -= (question.options ?? []).length + 1
      if (left < 0) {
        more = true
        break
      }
      parse = compileKind(
        kind,
        { ...options, values: { ...values, ...Object.fromEntries(found.map((each) => [each, null])) } },
        question,
        empty,
      )
    }
    return found
  }

  return {
    add: (cell: Cell): void => {
      // A value of `source.empty` means no answer, or is an option's name.
      if (cell === null || empty.has(textOf(cell).trim())) return
      const text = cellText(cell)
      let pieces = memory.get(text)
      if (pieces === undefined) {
        pieces = unknownIn(cell, text)
        if (memory.size >= remembered) memory.clear()
        memory.set(text, pieces)
      }
      for (const piece of pieces) {
        const times = counts.get(piece)
        if (times !== undefined) counts.set(piece, times + 1)
        else if (counts.size < unknownKept) counts.set(piece, 1)
        else more = true
      }
    },
    unknown: (): Unknown => ({ counts: [...counts].toSorted((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1)), more }),
  }
}
