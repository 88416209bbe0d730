import * as Effect from "effect/Effect"
import type { Json } from "../domain/json.ts"
import type { RowChunk } from "../domain/row.ts"
import { counted } from "../domain/words.ts"
import type { KeyRule, RowIdentity } from "../ledger/facts.ts"
import { eachChunk } from "../source/chunks.ts"
import { conditionsOf, findSameKeyRows, type KeyOf, positionsByName, restAnswers } from "./content.ts"
import { moveKeys } from "./moveKeys.ts"
import { earlierKeys, keyRuleOf, refuse, rekeyCommand, sameList } from "./rowIdentity.ts"
import { CurrentRun, RunLedger } from "./RunContext.ts"
import { Stop } from "./Stop.ts"
import { refuseSwappedKeys } from "./swappedKeys.ts"

/** The maximum number of column lists that are recorded to find rows whose key changed. */
const keptRests = 8

/**
 * Updates the ledger's row keys before the survey if earlier runs made them differently. If both keys can be made for a row, the ledger gets the new one. Otherwise, the run is refused. If several
 * rows have the same old key, the row with the imported content gets it.
 */
export const adoptKeys = Effect.gen(function*() {
  const run = yield* CurrentRun
  const { ledger, onCopy, session, view } = yield* RunLedger
  const recorder = onCopy ?? session
  const stop = yield* Stop
  const facts = yield* view.facts
  const { firstColumns: first, identity, isAnyLeftOut, isBlank: blank } = facts
  const now = keyRuleOf(run)
  const lost = now.columns === "content"
    ? (first ?? []).filter((name) => !positionsByName(run.columns).has(name))
    : []
  if (lost.length > 0) {
    const [name = ""] = lost
    const what = `The row key is the row's content, but the source lacks ${counted(lost.length, "key column")}: ${
      lost.join(", ")
    }. Every row would be new.`
    const how = `If it has a different title now, name it under source.columns: ${name}.`
    if (yield* refuse([{ lost }], what, { how })) return
  }
  const earlier = blank ? [] : (identity?.keys ?? []).filter((rule) => !sameList(rule, now))
  const rules = earlier.map((rule) => earlierKeys(run, ledger.digest, rule, first))
  const unknown = earlier.filter((_, at) => rules[at] === undefined)
  if (unknown.length > 0) {
    const lists = unknown.map(({ columns }) => columns === "content" ? "content" : `[${columns.join(", ")}]`)
    const isRefused = yield* refuse(
      [{ now, unknown } as unknown as Json],
      `In earlier runs the row key was ${
        lists.join(", then ")
      }, but the source does not have all of these columns, so it is unknown which rows were imported.`,
      {
        how: `If columns have been renamed, write \`previousRowKey: ${
          lists.at(-1)
        }\` under source of the pipeline, with as many columns as rowKey has. If they are gone, but the rows are the same, run: ${
          rekeyCommand(run)
        }.`,
        acceptIf: "the rows have their new keys, or are really new",
      },
    )
    if (isRefused) return
  }
  const makers = rules.flatMap((rule) => (typeof rule === "object" ? [rule] : []))
  const { sentBefore, where } = conditionsOf(run, facts, ledger.digest)
  for (const { keys, rule } of sentBefore === 0 ? [] : makers) {
    if (rule.columns !== "content") continue
    const sameKey = yield* sameKeyRows(keys(), sentBefore)
    if (sameKey === undefined) continue
    const [one, other] = sameKey.rows
    const isRefused = yield* refuse(
      [{ where, alike: sameKey.state }],
      `In earlier runs the row key was the row's content. Rows ${one} and ${other} had the same key. Since then, \`where\` or \`empty\` was edited, so that only one of the two is skipped. So it is unknown which of such rows were imported.`,
      {
        how: "Restore the earlier `where` and `empty`, run once, then edit them.",
        acceptIf: "the rows that are not skipped were imported",
      },
    )
    if (isRefused) return
  }
  const rest = restAnswers(run)
  const rests = [
    ...(identity?.rests ?? []).filter((one) => !sameList(one, rest)),
    ...(rest.length === 0 ? [] : [rest]),
  ]
  const record = (keys: ReadonlyArray<KeyRule>) => {
    const next: RowIdentity = {
      keys,
      dialect: identity?.dialect ?? (run.ownSource ? { ...run.source.dialect } : null),
      rests: rests.slice(-keptRests),
      where: identity?.where ?? where,
      sentBefore: identity?.sentBefore ?? 0,
    }
    return recorder === undefined || sameList(identity, next) ? Effect.void : recorder.recordFacts({ identity: next })
  }
  const kept = makers.map(({ rule }) => rule)
  if (kept.length === 0 || recorder === undefined) return yield* record([now])
  const isCompared = sameList(identity?.keys.at(-1), now)
  if (!isCompared) {
    yield* refuseSwappedKeys(makers)
    if (stop.requested()) return
  }
  // Recorded first: if the run stops halfway, and `rowKey` is edited back, some rows of the ledger have keys by this rule. It is the last one only
  // after all rows were compared. A different file may contain only some of them.
  yield* record(isCompared || run.otherSource === undefined ? [...kept, now] : [now, ...kept])
  const left = yield* moveKeys(recorder, makers.toReversed())
  if (stop.requested()) return
  // A skipped row that the source lacks now must be known by its earlier key when it returns.
  if (!left && !isAnyLeftOut) yield* record([now])
})

/** Returns rows of the source that had the same key from content, of which `where` skips only one. */
const sameKeyRows = (keyOf: KeyOf, sentBefore: number) =>
  Effect.gen(function*() {
    const run = yield* CurrentRun
    const { ledger: { digest }, view } = yield* RunLedger
    const sameKey = findSameKeyRows(run, [], digest, sentBefore)
    const add = ({ faults, firstRow, rows }: RowChunk) => {
      const keyed = rows.flatMap((cells, at) => {
        const key = faults.has(at) ? undefined : keyOf(cells)
        return key === undefined ? [] : [{ row: firstRow + at, key, cells }]
      })
      return Effect.map(view.lookUp(keyed.map(({ key }) => digest.key(key))), (known) =>
        keyed.forEach(({ cells, key, row }, at) => sameKey.add(row, key, cells, known[at]?.id ?? 0)))
    }
    yield* eachChunk(run.source.read(), add, (yield* Stop).requested)
    return sameKey.found()
  })
