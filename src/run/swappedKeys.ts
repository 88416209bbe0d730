import * as Effect from "effect/Effect"
import type { RowChunk } from "../domain/row.ts"
import { counted } from "../domain/words.ts"
import { eachChunk } from "../source/chunks.ts"
import { makeContents, rowKeys } from "./content.ts"
import { SeenLedgerRows } from "./FateTable.ts"
import { keyedRows } from "./moveKeys.ts"
import { type EarlierKeys, refuse } from "./rowIdentity.ts"
import { CurrentRun, RunLedger } from "./RunContext.ts"
import { Stop } from "./Stop.ts"

/**
 * Refuses a changed row key if the new key of a row is the earlier key of another row, for example because the rows were renumbered. The row would count
 * as the other one. Reads the source before any row of the ledger gets its new key.
 */
export const refuseSwappedKeys = (earlier: ReadonlyArray<EarlierKeys>) =>
  Effect.gen(function*() {
    const run = yield* CurrentRun
    const inLedger = yield* RunLedger
    const { ledger: { digest }, view } = inLedger
    const stop = yield* Stop
    const contents = makeContents(run, digest)
    const rowsOf = keyedRows(run.mapping, yield* rowKeys(run, inLedger), earlier, false)
    const [byNewKey, byOldKey] = [new SeenLedgerRows(), new SeenLedgerRows()]
    const swapped = { rows: 0, first: "", state: "" }
    /** Notes that a row of the ledger was found by a key. */
    const found = (id: number, key: string, [by, other]: readonly [SeenLedgerRows, SeenLedgerRows]) => {
      if (by.marks[id] === 1) return
      by.mark(id, true)
      if (other.marks[id] !== 1) return
      if (swapped.rows++ === 0) swapped.first = key
      swapped.state = digest.key(`${swapped.state} ${key}`).toString("hex")
    }
    const add = (chunk: RowChunk) =>
      Effect.gen(function*() {
        const rows = rowsOf(chunk)
        const now = rows.flatMap(({ key, old }) => key === undefined || old.includes(key) ? [] : [key])
        const old = rows.flatMap(({ cells, key, old }) =>
          old.flatMap((was) => was === undefined || was === key ? [] : [{ cells, was }])
        )
        const [byNow, byOld] = [
          yield* view.lookUp(now.map((key) => digest.key(key))),
          yield* view.lookUp(old.map(({ was }) => digest.key(was))),
        ]
        for (const [at, key] of now.entries()) {
          const id = byNow[at]?.id ?? 0
          if (id > 0) found(id, key, [byNewKey, byOldKey])
        }
        for (const [at, { cells, was }] of old.entries()) {
          const row = byOld[at]
          if (row !== undefined && row.id > 0 && contents.same(row, cells)) found(row.id, was, [byOldKey, byNewKey])
        }
      })
    yield* eachChunk(run.source.read(), add, stop.requested)
    if (swapped.rows === 0 || stop.requested()) return
    const columns = new Set([...run.keyColumns, ...earlier.flatMap(({ rule }) => rule.columns)])
    yield* refuse(
      [{ swapped: swapped.state }],
      `${counted(swapped.rows, "row has", "rows have")} a new row key that was the key of another row before, such as ${
        JSON.stringify(swapped.first)
      }.`,
      {
        how: `Write \`rowKey: [${[...columns].join(", ")}]\`, run once, then edit \`rowKey\` again.`,
        acceptIf: "the rows were imported with these keys",
      },
    )
  })
