import { Effect } from "effect"
import type { RowChunk } from "../domain/row.ts"
import { rowKeys } from "../run/content.ts"
import { SeenLedgerRows } from "../run/FateTable.ts"
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
            if (row !== undefined && row.id !== 0) found.seen.mark(row.id, true)
            else if (isValid(index)) found.newRows.add(chunk.firstRow + index, key, cells)
          }),
      )
    }
    return { ...found, numbering, look }
  })
