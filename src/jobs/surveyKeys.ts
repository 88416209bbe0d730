import { Effect } from "effect"
import type { RowChunk } from "../domain/row.ts"
import { makeContents, rowKeys } from "../run/content.ts"
import { SeenLedgerRows } from "../run/FateTable.ts"
import { KeyTable, RowHash } from "../run/KeyTable.ts"
import { newRows } from "../run/NewRows.ts"
import type { RunLedger, RunPlan } from "../run/RunContext.ts"

/** Looks up the row keys of a source in the ledger while the source is read: rows of the ledger that it has, and rows that are new. */
export const surveyKeys = (
  plan: Pick<RunPlan, "mapping" | "pipeline" | "source" | "columns" | "shape" | "ownSource">,
  opened: Pick<RunLedger["Type"], "ledger" | "view">,
) =>
  Effect.gen(function*() {
    const { ledger, view } = opened
    const numbering = yield* rowKeys(plan, opened)
    const found = { newRows: yield* newRows(plan, opened), seen: new SeenLedgerRows() }
    const contents = makeContents(plan, ledger.digest, found.seen)
    const keys = new KeyTable()
    const hash = new RowHash()
    const keyOf = numbering()
    /** Takes the source's chunks in their order. `isValid`: whether a row that the ledger doesn't know would be sent. */
    const look = (chunk: RowChunk, isValid: (index: number) => boolean) => {
      const rows = chunk.rows.flatMap((cells, index) => {
        const key = chunk.faults.has(index) ? undefined : keyOf(cells)
        return key === undefined ? [] : [{ cells, index, key }]
      })
      return Effect.map(
        view.lookUp(rows.map(({ key }) => ledger.digest.key(key))),
        (known) =>
          rows.forEach(({ cells, index, key }, at) => {
            const row = known[at]
            if (row !== undefined && row.id !== 0) return found.seen.mark(row.id, true)
            if (row !== undefined && (row.leftOut || contents.replaced(row, cells))) return
            if (!isValid(index)) return
            hash.key(key)
            // Later rows with the same key are duplicates.
            if (keys.find(hash) >= 0) return
            keys.add(hash, chunk.firstRow + index)
            found.newRows.add(chunk.firstRow + index, key, cells)
          }),
      )
    }
    return { ...found, numbering, look }
  })
