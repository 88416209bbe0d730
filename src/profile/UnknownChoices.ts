import { cached } from "../domain/cached.ts"
import { type Cell, ErrorCell } from "../domain/cell.ts"
import type { Question } from "../domain/form.ts"
import { textOf } from "../kinds/cells.ts"
import { Fault, ofColumns } from "../kinds/Kind.ts"
import { optionSplitter, optionTable, piecesIn, type SplitOptions } from "../kinds/optionTable.ts"

/** The maximum number of choices that are counted. */
const unknownKept = 1_000

/**
 * Counts choices in cells that are not options of a question.
 *
 * @param kindName `choice`, `choices` or `ranking`
 * @param options of the kind, as in the pipeline
 * @param unnamed choices that count as unknown even if an option has this name
 * @returns undefined when these options can't be compiled
 */
export const collectUnknown = (
  kindName: string,
  options: Readonly<Record<string, unknown>>,
  question: Question,
  empty: ReadonlySet<string>,
  unnamed: ReadonlySet<string> = new Set(),
) => {
  // The cast is safe, because the options were decoded by the kind's own Schema or come from a suggestion.
  const given = options as SplitOptions
  const table = optionTable(given, { question, input: ofColumns, empty })
  if (!("read" in table)) return undefined
  const split = optionSplitter(kindName === "choice" ? undefined : given.split, table)
  if (typeof split !== "function") return undefined
  const counts = new Map<string, number>()
  let more = false
  const unknownIn = cached((cell: Exclude<Cell, null>) => {
    const text = textOf(cell)
    // A value of `source.empty` means no answer, or is an option's name.
    if (cell instanceof ErrorCell || text === "" || empty.has(text)) return []
    const pieces = kindName === "choice" ? [text] : piecesIn(cell, split)
    return [...new Set(pieces instanceof Fault ? [text] : pieces)].filter((piece) =>
      piece !== "" && !empty.has(piece) && (unnamed.has(piece) || table.read(piece) instanceof Fault)
    )
  })
  return {
    add: (cell: Cell, times = 1): void => {
      for (const piece of cell === null ? [] : unknownIn(cell)) {
        const before = counts.get(piece) ?? 0
        if (before > 0 || counts.size < unknownKept) counts.set(piece, before + times)
        else more = true
      }
    },
    /** Returns these choices with their counts, most frequent first, and whether there were more. */
    unknown: () => ({ counts: [...counts].toSorted((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1)), more }),
  }
}
