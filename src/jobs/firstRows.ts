import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { setImmediate } from "node:timers/promises"
import type { RowChunk } from "../domain/row.ts"
import type { Source } from "../source/Source.ts"

/** Ends the event loop's current round, so that Node answers other requests. A timer would take at least a millisecond, which is long for a few cells. */
export const turn = Effect.promise(() => setImmediate())

/** How many rows are read to show figures at once. */
const firstRead = 10_000

/** About how many cells are processed before other calls get their turn. */
const cellsAtOnce = 5_000

/**
 * Returns a source that ends after its first rows unless the whole is asked for. Other calls get a turn while it is read. `isCut` returns whether it
 * may have more rows.
 *
 * @param note called with the number of each row at which others get their turn
 */
export const firstRows = (
  source: Source,
  whole: boolean,
  note: (row: number) => void = () => {},
): { readonly source: Source; readonly isCut: () => boolean } => {
  let isCut = false
  const size = Math.ceil(cellsAtOnce / Math.max(1, source.columns.length))
  const split = ({ faults, firstRow, rows }: RowChunk) => {
    const room = whole ? Infinity : Math.max(0, firstRead - firstRow + 1)
    const isLast = room <= rows.length
    isCut ||= isLast
    const most = Math.min(room, rows.length)
    const pieces = Array.from({ length: Math.ceil(most / size) }, (_, nth) => {
      const at = nth * size
      const end = Math.min(at + size, most)
      const moved = [...faults].flatMap(([index, fault]) =>
        at <= index && index < end ? [[index - at, fault] as const] : []
      )
      return { firstRow: firstRow + at, rows: rows.slice(at, end), faults: new Map(moved) } satisfies RowChunk
    })
    return { pieces, isLast }
  }
  return {
    source: {
      ...source,
      read: () =>
        Stream.map(source.read(), split).pipe(
          Stream.takeUntil(({ isLast }) => isLast),
          Stream.mapConcat(({ pieces }) => pieces),
          Stream.mapEffect((piece) => {
            note(piece.firstRow)
            return Effect.as(turn, piece)
          }),
        ),
      files: Effect.suspend(() => isCut ? Effect.succeed([]) : source.files),
    },
    isCut: () => isCut,
  }
}
