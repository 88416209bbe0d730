import { Effect } from "effect"
import type { Cells } from "../domain/row.ts"
import type { LedgerError } from "../ledger/Ledger.ts"
import { contentDigest } from "./content.ts"
import { KeyTable } from "./KeyTable.ts"
import { RowHash } from "./RowHash.ts"
import type { RunContext } from "./RunContext.ts"

/** How rows of a source get their keys. */
export interface RowKeys {
  /** A function for one reading of the source from its first row on: cells → row key, or undefined for a row without one. */
  readonly numbering: () => (cells: Cells) => string | undefined
}

/**
 * Keys from the pipeline's key columns; or, for `rowKey: content`, from the cells of the columns used at the pipeline's first run, plus a number for
 * identical rows.
 */
export const rowKeys = (
  run: Pick<RunContext, "mapping" | "view" | "ledger" | "columns" | "shape">,
): Effect.Effect<RowKeys, LedgerError> =>
  Effect.gen(function*() {
    if (run.mapping.keyed === "columns") return { numbering: () => run.mapping.key }
    const shape = (yield* run.view.firstShape) ?? run.shape
    return { numbering: numberedKeys(contentDigest(shape, run.columns, run.ledger.digest)) }
  })

/** Keys made of a row's content and a number for identical rows, for one reading of the source from its first row on. */
export const numberedKeys = (digest: (cells: Cells) => Buffer) => () => {
  const seen = new KeyTable()
  const hash = new RowHash()
  return (cells: Cells): string => {
    const content = digest(cells)
    hash.digest(content)
    const slot = seen.find(hash)
    const nth = slot < 0 ? 1 : seen.row(slot) + 1
    if (slot < 0) seen.add(hash, 1)
    else seen.setRow(slot, nth)
    return `${content.toString("hex")}-${nth}`
  }
}
