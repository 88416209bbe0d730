import { Effect, Option, Stream } from "effect"

/** Rows of the ledger that are taken at a time. */
export const pageSize = 1_000

/**
 * All rows of the ledger that `read` gives, page by page, in its order.
 *
 * @param pages.from only those behind the row with this key digest
 * @param pages.size rows of a page, when `read` gives another number than `pageSize`
 */
export const paged = <A extends { readonly keyDigest: Buffer }, E>(
  read: (after: Buffer | undefined) => Effect.Effect<ReadonlyArray<A>, E>,
  { from, size = pageSize }: { readonly from?: Buffer | undefined; readonly size?: number } = {},
): Stream.Stream<ReadonlyArray<A>, E> => pagedBy(read, (row) => row.keyDigest, { from, size })

/** The same where a page goes on behind something else of its last row. */
export const pagedBy = <A, C, E>(
  read: (after: C | undefined) => Effect.Effect<ReadonlyArray<A>, E>,
  place: (row: A) => C,
  { from, size = pageSize }: { readonly from?: C | undefined; readonly size?: number } = {},
): Stream.Stream<ReadonlyArray<A>, E> =>
  Stream.paginateEffect(from, (after) =>
    Effect.map(read(after), (rows) => {
      const last = rows.at(-1)
      return [rows, rows.length < size || last === undefined ? Option.none() : Option.some(place(last))]
    }))
