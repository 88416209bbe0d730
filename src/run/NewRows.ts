import { Effect } from "effect"
import type { Cells } from "../domain/row.ts"
import type { LedgerError, PipelineLedger } from "../ledger/Ledger.ts"
import { contentDigest } from "./content.ts"
import { KeyTable } from "./KeyTable.ts"
import { asciiOf, looseKey } from "./looseKey.ts"
import { RowHash } from "./RowHash.ts"
import type { RunContext } from "./RunContext.ts"

/** Names of the mapped columns that are no part of the row key, sorted: what tells a row whose key changed. None for `rowKey: content`. */
export const restColumns = (
  { keyColumns, mapping, shape }: Pick<RunContext, "keyColumns" | "mapping" | "shape">,
): ReadonlyArray<string> =>
  mapping.keyed === "content" ? [] : shape.filter((name) => !keyColumns.includes(name)).toSorted()

/** Digests the cells of these columns; undefined if all of them are empty. */
export const restDigest = (
  names: ReadonlyArray<string>,
  { columns, ledger }: Pick<RunContext, "columns" | "ledger">,
): (cells: Cells) => Buffer | undefined => {
  // The names first: equal digests are of the same columns.
  const list = JSON.stringify(names)
  const digest = contentDigest(names, columns, {
    ...ledger.digest,
    content: (cells) => cells.every((cell) => cell === "") ? nothing : ledger.digest.content([list, ...cells]),
  })
  return (cells) => {
    const rest = digest(cells)
    return rest === nothing ? undefined : rest
  }
}

const nothing = Buffer.alloc(0)

/** A row of the ledger that a source does not hold, and the new row that looks like it. */
export interface Alike {
  /** The key in the ledger. */
  readonly old: string
  /** The number of the new row. */
  readonly row: number
  readonly by: "key" | "encoding" | "cells"
  /** Whether several new rows look like it. */
  readonly ambiguous: boolean
}

/** What became known of rows of the ledger that a source does not hold. */
export interface Unmet {
  readonly count: number
  /** Rows whose key differs from that of a new row by its formatting alone. */
  readonly reformatted: number
  /** Rows whose key differs from that of a new row only in characters that another encoding reads otherwise. */
  readonly misread: number
  /** New rows whose other cells equal those of such a row. */
  readonly replaced: number
}

/** New rows by the marks by which each of them is found if it is a known row whose key changed. About 80 bytes a row. */
export class NewRows {
  private readonly keys = new KeyTable()
  private readonly rests = new KeyTable()
  private readonly hash = new RowHash()
  private readonly digests: ReadonlyArray<(cells: Cells) => Buffer | undefined>
  private rows = 0

  private readonly inEncodings: boolean

  /**
   * @param digests of the cells besides the key, over each list of columns that the ledger knows
   * @param inEncodings whether the source is read in another encoding than before
   */
  constructor(digests: ReadonlyArray<(cells: Cells) => Buffer | undefined>, inEncodings: boolean) {
    this.digests = digests
    this.inEncodings = inEncodings
  }

  get size(): number {
    return this.rows
  }

  add(row: number, key: string, cells: Cells): void {
    this.rows++
    for (const text of looseKey(key).stored) {
      this.hash.key(text)
      this.put(this.keys, row)
    }
    const ascii = this.inEncodings ? asciiOf(key) : undefined
    if (ascii !== undefined) {
      this.hash.key(`~${ascii}`)
      this.put(this.keys, row)
    }
    for (const digest of this.digests) {
      const rest = digest(cells)
      if (rest === undefined) continue
      this.hash.digest(rest)
      this.put(this.rests, row)
    }
  }

  /**
   * Compares the rows of the ledger that may stand at the destination and that the source does not hold with the new ones.
   *
   * @param met by the number of a row in the ledger, not 0 if the source holds it
   * @param each is called with every pair
   */
  compare(
    view: PipelineLedger,
    met: Uint8Array,
    each: (pair: Alike) => void,
  ): Effect.Effect<Unmet, LedgerError> {
    const seen = new Uint8Array(this.rests.size)
    const found = { count: 0, reformatted: 0, misread: 0, replaced: 0 }
    const page = (first: number): Effect.Effect<Unmet, LedgerError> =>
      Effect.flatMap(view.unmet(met, first), ({ keys, next, rests }) => {
        found.count += keys.length
        for (let at = 0; at < keys.length; at++) {
          const old = keys[at]!
          const slot = this.byKey(old)
          if (slot >= 0) {
            found.reformatted++
            each({ old, row: this.keys.row(slot), by: "key", ambiguous: this.keys.matched(slot) })
            continue
          }
          const misread = this.byAscii(old)
          if (misread >= 0) {
            found.misread++
            each({ old, row: this.keys.row(misread), by: "encoding", ambiguous: this.keys.matched(misread) })
            continue
          }
          const same = this.byRest(rests[at] ?? "")
          if (same < 0) continue
          if (seen[same] === 0) found.replaced++
          each({
            old,
            row: this.rests.row(same),
            by: "cells",
            ambiguous: this.rests.matched(same) || seen[same] === 1,
          })
          seen[same] = 1
        }
        return next === undefined ? Effect.succeed(found) : page(next)
      })
    return page(0)
  }

  private put(table: KeyTable, row: number): void {
    const slot = table.find(this.hash)
    if (slot < 0) table.add(this.hash, row)
    else if (table.row(slot) !== row) table.match(slot)
  }

  private byKey(old: string): number {
    for (const text of looseKey(old).sought) {
      this.hash.key(text)
      const slot = this.keys.find(this.hash)
      if (slot >= 0) return slot
    }
    return -1
  }

  private byAscii(old: string): number {
    const ascii = this.inEncodings ? asciiOf(old) : undefined
    if (ascii === undefined) return -1
    this.hash.key(`~${ascii}`)
    return this.keys.find(this.hash)
  }

  private byRest(rest: string): number {
    if (rest === "" || this.rests.size === 0) return -1
    this.hash.digest(Buffer.from(rest, "hex"))
    return this.rests.find(this.hash)
  }
}

/** What a survey collects new rows in. Other cells are compared only where a row that the source does not hold is missed. */
export const newRows = (
  run: Pick<RunContext, "view" | "ownSource" | "pipeline" | "columns" | "ledger" | "source">,
): Effect.Effect<NewRows, LedgerError> =>
  Effect.map(run.view.identity, (identity) => {
    const isMissed = run.ownSource && run.pipeline.source.vanished !== "ignore"
    const encoding = (identity?.dialect as { readonly encoding?: string } | null | undefined)?.encoding
    const now = run.source.dialect.encoding
    return new NewRows(
      isMissed ? (identity?.rests ?? []).map((names) => restDigest(names, run)) : [],
      run.ownSource && encoding !== undefined && now !== undefined && now !== encoding,
    )
  })
