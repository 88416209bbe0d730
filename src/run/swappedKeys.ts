import * as Effect from "effect/Effect"
import type { RowChunk } from "../domain/row.ts"
import { counted } from "../domain/words.ts"
import { isUnsent } from "../ledger/rows.ts"
import { eachChunk } from "../source/chunks.ts"
import { makeContents, rowKeys } from "./content.ts"
import { keyedRows } from "./moveKeys.ts"
import { type EarlierKeys, refuse } from "./rowIdentity.ts"
import { CurrentRun, RunLedger } from "./RunContext.ts"
import { Stop } from "./Stop.ts"

/**
 * Refuses a changed row key if a row's new key is that of one row of the ledger, and an earlier key that of another, for example because rows were
 * renumbered. Its new key would make it the other row. Reads the source before any row of the ledger gets its new key.
 */
export const refuseSwappedKeys = (earlier: ReadonlyArray<EarlierKeys>) =>
  Effect.gen(function*() {
    const run = yield* CurrentRun
    const inLedger = yield* RunLedger
    const { ledger: { digest }, view } = inLedger
    const stop = yield* Stop
    const contents = makeContents(run, digest)
    const rowsOf = keyedRows(run.mapping, yield* rowKeys(run, inLedger), earlier)
    const swapped = { rows: 0, first: "", state: "" }
    const lookUp = (keys: ReadonlyArray<string>) => view.lookUp(keys.map((key) => digest.key(key)))
    const add = (chunk: RowChunk) =>
      Effect.gen(function*() {
        const keyed = rowsOf(chunk).flatMap(({ cells, key, old }) => key === undefined ? [] : [{ cells, key, old }])
        const found = yield* lookUp(keyed.map(({ key }) => key))
        const asked = keyed.flatMap(({ cells, key, old }, at) => {
          const row = found[at]
          // If the row never arrived, it may have been imported under its earlier key.
          if (row === undefined || row.id === 0 || (isUnsent(row) && contents.same(row, cells))) return []
          return old.flatMap((was) => was === undefined ? [] : [{ id: row.id, key, was }])
        })
        const others = yield* lookUp(asked.map(({ was }) => was))
        for (const [at, { id, key }] of asked.entries()) {
          const other = others[at]?.id ?? 0
          if (other === 0 || other === id) continue
          if (swapped.rows++ === 0) swapped.first = key
          swapped.state = digest.key(`${swapped.state} ${key}`).toString("hex")
        }
      })
    yield* eachChunk(run.source.read(), add, stop.requested)
    if (swapped.rows === 0 || stop.requested()) return
    const columns = new Set([
      ...run.keyColumns,
      ...earlier.flatMap(({ rule }) => rule.columns === "content" ? [] : rule.columns),
    ])
    yield* refuse(
      [{ swapped: swapped.state }],
      `${counted(swapped.rows, "row has", "rows have")} a new row key that was the key of another row before, such as ${
        JSON.stringify(swapped.first)
      }.`,
      {
        how: `Write \`rowKey: [${[...columns].join(", ")}]\`, with which no key belongs to two rows.`,
        acceptIf: "the rows were imported with these keys",
      },
    )
  })
