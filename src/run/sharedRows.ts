import * as Effect from "effect/Effect"
import type { RowChunk } from "../domain/row.ts"
import { isUnsent } from "../ledger/rows.ts"
import type { Classifier } from "./classify.ts"
import { CurrentRun, RunLedger } from "./RunContext.ts"

/** Rows with the key and the cells of rows that another pipeline may have imported. */
export interface SharedRows {
  readonly pipeline: string
  /** The number of the first row. */
  readonly first: number
  /** The keys' digests, in hexadecimal digits. */
  readonly keys: ReadonlyArray<string>
}

/** Prepares to find rows that other pipelines may have imported into the form. `find` is undefined if there are no other pipelines. */
export const sharedRows = ({ contents, fates }: Pick<Classifier, "contents" | "fates">) =>
  Effect.gen(function*() {
    const plan = yield* CurrentRun
    const { ledger, view: { destination: { form, service }, pipeline } } = yield* RunLedger
    const others = (yield* ledger.places).filter((at) =>
      at.destination.form === form && at.destination.service === service && at.pipeline !== pipeline
      && at.pipeline !== plan.pipeline.renamedFrom
    ).map(ledger.view)
    const shared = new Map<string, Array<{ readonly row: number; readonly key: string }>>()

    /** Looks up the rows of a chunk that would be sent, or that wait for later rows, among those that other pipelines imported into the form. */
    const find = ({ firstRow, rows }: RowChunk, keys: ReadonlyArray<string | undefined>) =>
      Effect.suspend(() => {
        const sent = keys.flatMap((key, at) =>
          key !== undefined && (fates.get(firstRow + at) ?? "pending") === "pending"
            ? [{ at, key: ledger.digest.key(key) }]
            : []
        )
        return Effect.forEach(sent.length === 0 ? [] : others, (other) =>
          Effect.map(other.lookUp(sent.map(({ key }) => key)), (known) =>
            known.forEach((one, nth) => {
              const at = sent[nth]?.at ?? 0
              if (one === undefined || isUnsent(one) || one.state === "undone" || !contents.same(one, rows[at]!)) {
                return
              }
              const found = shared.get(other.pipeline) ?? []
              found.push({ row: firstRow + at, key: sent[nth]!.key.toString("hex") })
              shared.set(other.pipeline, found)
            })), { discard: true })
      })

    /** Returns the rows that were found and would be sent. Call this after the fates of the waiting rows were decided. */
    const found = (): ReadonlyArray<SharedRows> =>
      [...shared].flatMap(([pipeline, all]) => {
        const sent = all.filter(({ row }) =>
          fates.get(row) === "pending"
        )
        return sent.length === 0 ? [] : [{ pipeline, first: sent[0]!.row, keys: sent.map(({ key }) => key) }]
      })
    return { find: others.length === 0 ? undefined : find, found }
  })
