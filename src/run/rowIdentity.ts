import * as Effect from "effect/Effect"
import { acceptCommand } from "../domain/acceptance.ts"
import type { Json } from "../domain/json.ts"
import type { Cells, RowChunk } from "../domain/row.ts"
import { commandLine } from "../domain/shell.ts"
import { counted } from "../domain/words.ts"
import type { LedgerError } from "../ledger/errors.ts"
import type { KeyRule, Rekeyed, RowIdentity } from "../ledger/facts.ts"
import type { Digester, LedgerSession, PipelineLedger } from "../ledger/Ledger.ts"
import { isUnsent, type KnownRow } from "../ledger/rows.ts"
import { emptyTexts } from "../project/sourceSection.ts"
import { eachChunk } from "../source/chunks.ts"
import { columnNames } from "../source/columns.ts"
import {
  alikeRows,
  conditionsOf,
  contentDigest,
  coveredColumns,
  type KeyOf,
  makeContents,
  numberedKeys,
  restAnswers,
  rowKeys,
} from "./content.ts"
import { SeenLedgerRows } from "./FateTable.ts"
import { CurrentRun, RunLedger, type RunPlan } from "./RunContext.ts"
import { Stop } from "./Stop.ts"

/** The maximum number of column lists that are recorded to find rows whose key changed. */
const keptRests = 8

export const sameList = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b)

/** Returns how this run makes row keys. */
const keyRuleOf = (
  { keyColumns, mapping, pipeline: { source } }: Pick<RunPlan, "keyColumns" | "mapping" | "pipeline">,
): KeyRule =>
  mapping.keyed === "content"
    ? { columns: "content", empty: [] }
    : { columns: keyColumns, empty: emptyTexts(source).toSorted() }

/** Whether the ledger's row keys were made differently from those of this run. */
export const keysDiffer = (plan: RunPlan, view: PipelineLedger): Effect.Effect<boolean, LedgerError> =>
  Effect.map(view.facts, ({ identity }) => {
    const now = keyRuleOf(plan)
    return identity?.keys.some((rule) => !sameList(rule, now)) ?? false
  })

/**
 * Stops the run because rows may be known under different keys, unless a person has accepted each part of this state. Exits with code 2, or 3 if `limit` is exceeded. Returns whether it stopped the run.
 *
 * @param refused what a person has to accept. If only a part of it remains, that part stays accepted
 * @param options.how what to do if the rows are known, and, as its last line, the command for it (`next`), if there is one
 * @param options.acceptIf when a person may accept the state
 */
export const refuse = (
  refused: ReadonlyArray<Json>,
  what: string,
  { acceptIf = "these rows are really new", how, limit = false, next }: {
    readonly how: string
    readonly next?: string
    readonly limit?: boolean
    readonly acceptIf?: string
  },
) =>
  Effect.gen(function*() {
    const { ledger, view } = yield* RunLedger
    const states = refused.map((one) => ledger.digest.value(one).toString("hex"))
    if (yield* view.accepted("row-key", states)) return false
    const { isPartial, pipeline, projectOption, target } = yield* CurrentRun
    yield* RunLedger.write((session) => session.recordFacts({ refused: { reason: "row-key", states, what } }))
    const accept = `${how} If ${acceptIf}, run: ${acceptCommand(pipeline.name, "row-key", target, projectOption)}.`
    // A pull of all records either resolves this, or is refused with instructions.
    const full = `To see whether both are in the source, pull all records: ${
      commandLine(["run", pipeline.name], { "--to": target, "--full": true, "--project": projectOption })
    }.`
    const because = `${what} Nothing was sent. ${isPartial ? full : accept}`
    yield* (yield* Stop).request(
      limit ? { _tag: "Protected", because } : { _tag: "Refused", because, next: isPartial ? undefined : next },
    )
    return true
  })

/**
 * Returns how an earlier rule makes keys for this source, and the rule with the present names of its columns.
 *
 * @returns `same` if only the names of its columns have changed. Undefined if the source lacks the rule's columns
 */
export const earlierKeys = (
  run: Pick<RunPlan, "columns" | "keyColumns" | "mapping" | "pipeline">,
  digest: Digester,
  rule: KeyRule,
  first: ReadonlyArray<string> | undefined,
): { readonly rule: KeyRule; readonly keys: () => KeyOf } | "same" | undefined => {
  const names = columnNames(run.columns)
  if (rule.columns === "content") {
    if (first === undefined || first.some((name) => !names.includes(name))) return undefined
    return { rule, keys: numberedKeys(contentDigest(first, run.columns, digest), run.mapping.filtered) }
  }
  const { previousRowKey } = run.pipeline.source
  const renamed: ReadonlyArray<string> = previousRowKey?.length === run.keyColumns.length ? previousRowKey : []
  const present = {
    ...rule,
    columns: rule.columns.map((name) => names.includes(name) ? name : run.keyColumns[renamed.indexOf(name)] ?? name),
  }
  const columns = present.columns.map((name) => run.columns[names.indexOf(name)]).filter((one) => one !== undefined)
  if (columns.length < rule.columns.length) return undefined
  if (sameList(present, keyRuleOf(run))) return "same"
  const key = run.mapping.keyBy(columns, new Set(rule.empty))
  return { rule: present, keys: () => key }
}

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
    ? (first ?? []).filter((name) => !columnNames(run.columns).includes(name))
    : []
  if (lost.length > 0) {
    const [name = ""] = lost
    const what = `The row key is the row's content, but the source lacks ${counted(lost.length, "key column")}: ${
      lost.join(", ")
    }. Every row would be new.`
    const how = `If it has a different title now, name it under source.columns: ${name}.`
    if (yield* refuse([{ lost }], what, { how })) return
  }
  let kept: ReadonlyArray<KeyRule> = []
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
    const alike = yield* alikeBy(keys(), sentBefore)
    if (alike === undefined) continue
    const [one, other] = alike.rows
    const isRefused = yield* refuse(
      [{ where, alike: alike.state }],
      `In earlier runs the row key was the row's content. Rows ${one} and ${other} had the same key. Since then, \`where\` or \`empty\` was edited, so that only one of the two is skipped. So it is unknown which of such rows were imported.`,
      {
        how: "Restore the earlier `where` and `empty`, run once, then edit them.",
        acceptIf: "the rows that are not skipped were imported",
      },
    )
    if (isRefused) return
  }
  if (makers.length > 0 && recorder !== undefined) {
    const left = yield* moveKeys(recorder, makers.map(({ keys }) => keys).toReversed())
    if (stop.requested()) return
    // A skipped row that the source lacks now must be known by its earlier key when it returns.
    if (left || isAnyLeftOut) kept = makers.map(({ rule }) => rule)
  }
  const rest = restAnswers(run)
  const rests = [
    ...(identity?.rests ?? []).filter((one) => !sameList(one, rest)),
    ...(rest.length === 0 ? [] : [rest]),
  ]
  const next: RowIdentity = {
    keys: [...kept, now],
    dialect: identity?.dialect ?? (run.ownSource ? { ...run.source.dialect } : null),
    rests: rests.slice(-keptRests),
    where: identity?.where ?? where,
    sentBefore: identity?.sentBefore ?? 0,
  }
  if (recorder !== undefined && !sameList(identity, next)) yield* recorder.recordFacts({ identity: next })
})

/** Returns rows of the source that had the same key from content, of which `where` skips only one. */
const alikeBy = (keyOf: KeyOf, sentBefore: number) =>
  Effect.gen(function*() {
    const run = yield* CurrentRun
    const { ledger: { digest }, view } = yield* RunLedger
    const alike = alikeRows(run, [], digest, sentBefore)
    const add = ({ faults, firstRow, rows }: RowChunk) => {
      const keyed = rows.flatMap((cells, at) => {
        const key = faults.has(at) ? undefined : keyOf(cells)
        return key === undefined ? [] : [{ row: firstRow + at, key, cells }]
      })
      return Effect.map(view.lookUp(keyed.map(({ key }) => digest.key(key))), (known) =>
        keyed.forEach(({ cells, key, row }, at) => alike.add(row, key, cells, known[at]?.id ?? 0)))
    }
    yield* eachChunk(run.source.read(), add, (yield* Stop).requested)
    return alike.found()
  })

/** Returns the command that gives known rows the keys of this run's source. */
export const rekeyCommand = (
  { otherSource, pipeline, projectOption, target }: RunPlan,
  options: Readonly<Record<string, string>> = {},
): string =>
  commandLine(["ledger", "rekey", pipeline.name], {
    "--source": otherSource,
    ...options,
    "--to": target,
    "--project": projectOption,
  })

/** A row of the ledger whose old key was seen in the source, but only in rows with different content so far. */
interface Contested {
  readonly key: string
  readonly move: Rekeyed
  rows: number
}

const refuseContested = (rows: ReadonlyArray<Contested>) =>
  Effect.flatMap(CurrentRun, (run) =>
    refuse(
      [{ contested: rows.map((one) => [one.key, one.rows]) }],
      `${
        counted(rows.length, "row", "rows")
      } of earlier runs can't be identified: several rows of the source have the earlier row key, such as ${
        JSON.stringify(rows[0]?.key)
      }, and none of these rows has the imported content.`,
      { how: `To match them, run: ${rekeyCommand(run, { "--map": "old-new.csv" })}.` },
    ))

/**
 * Reads the source and gives the rows of the ledger their new keys. Reads it once more if `where` skips rows: such a row gets an old key only if no other
 * row has it. Returns whether any row keeps an old key.
 */
const moveKeys = (recorder: LedgerSession, earlier: ReadonlyArray<() => KeyOf>) =>
  Effect.gen(function*() {
    const run = yield* CurrentRun
    const { ledger, view } = yield* RunLedger
    const stop = yield* Stop
    const { digest } = ledger
    const numbering = yield* rowKeys(run, { ledger, view })
    const placed = new SeenLedgerRows()
    const contents = makeContents(run, digest)
    const contested = new Map<number, Contested>()
    let collided = false
    const isTaken = (id: number) => placed.marks[id] === 1
    const record = (moves: ReadonlyArray<Rekeyed>) =>
      moves.length === 0 ? Effect.void : Effect.map(recorder.rekey(moves), (moved) => {
        // If two old keys become the same new key, the second row keeps its old one.
        if (moved < moves.filter((move) => move.isCopied !== true).length) collided = true
      })

    /** Returns a function that returns the rows of a chunk that `where` skips, or does not skip, with their keys now and by the earlier rules. */
    const rowsOf = (isSkipped: boolean) => {
      const key = numbering()
      const makers = earlier.map((make) => make())
      return ({ faults, rows }: RowChunk) =>
        rows.flatMap((cells, at) => {
          if (faults.has(at)) return []
          // Keys may number rows with the same content, so each is made for every row.
          const one = { cells, key: key(cells), old: makers.map((make) => make(cells)) }
          return run.mapping.filtered(cells) === isSkipped ? [one] : []
        })
    }

    type Rows = ReturnType<ReturnType<typeof rowsOf>>

    /** Records rows that have no key any more, but whose earlier key and content are known. */
    const unkeyRows = (rows: Rows) =>
      Effect.gen(function*() {
        const asked = rows.flatMap(({ cells, key, old }) =>
          key !== undefined ? [] : old.flatMap((was) => was === undefined ? [] : [{ cells, from: digest.key(was) }])
        )
        const known = yield* view.lookUp(asked.map(({ from }) => from))
        const columns = coveredColumns(run)(undefined)
        const unkeyed = asked.flatMap(({ cells, from }, at) => {
          const row = known[at]
          if (row === undefined || row.id === 0 || !contents.same(row, cells)) return []
          placed.mark(row.id, true)
          return [{ from, columns, content: contents.filled(columns, cells) }]
        })
        if (unkeyed.length > 0) yield* recorder.unkey(unkeyed)
      })

    /** Returns the move of a ledger's row to a row of the source that has its old key. Undefined if their contents differ, which is noted. */
    const moveTo = (known: KnownRow, cells: Cells, old: string, move: Rekeyed): Rekeyed | undefined => {
      if (isUnsent(known) || contents.same(known, cells)) {
        placed.mark(known.id, true)
        contested.delete(known.id)
        return move
      }
      // A fixed row keeps its old key, because the source may be corrected later, which changes the new key.
      if (contents.isReplaced(known, cells)) return { ...move, isCopied: true }
      const other = contested.get(known.id)
      if (other === undefined) contested.set(known.id, { key: old, move, rows: 1 })
      else other.rows++
      return undefined
    }

    const moveRows = (rows: Rows) =>
      Effect.gen(function*() {
        yield* unkeyRows(rows)
        const keyed = rows.flatMap(({ cells, key, old }) =>
          key === undefined ? [] : [{ cells, key, to: digest.key(key), old }]
        )
        const known = yield* view.lookUp(keyed.map(({ to }) => to))
        for (const row of known) if (row !== undefined && row.id > 0) placed.mark(row.id, true)
        let unknown = keyed.filter((_, at) => (known[at]?.id ?? 0) === 0)
        const moves: Array<Rekeyed> = []
        for (let maker = 0; maker < earlier.length; maker++) {
          const asked = unknown.flatMap(({ cells, key, old, to }) => {
            const was = old[maker]
            return was === undefined || was === key ? [] : [{ cells, was, move: { from: digest.key(was), to, key } }]
          })
          const found = yield* view.lookUp(asked.map(({ move }) => move.from))
          const matched = new Set<Cells>()
          for (const [at, { cells, move, was }] of asked.entries()) {
            const known = found[at]
            if (known === undefined || known.id === 0 || isTaken(known.id)) {
              moves.push({ ...move, isCopied: true })
              continue
            }
            matched.add(cells)
            const moved = moveTo(known, cells, was, move)
            if (moved !== undefined) moves.push(moved)
          }
          unknown = unknown.filter(({ cells }) => !matched.has(cells))
        }
        yield* record(moves)
      })

    for (const isSkipped of run.pipeline.source.where.length === 0 ? [false] : [false, true]) {
      const rows = rowsOf(isSkipped)
      yield* eachChunk(run.source.read(), (chunk) => moveRows(rows(chunk)), stop.requested)
      if (stop.requested()) return true
      const doubtful = [...contested.values()].filter(({ rows }) => rows > 1)
      if (doubtful.length > 0 && (yield* refuseContested(doubtful))) return true
      const alone = [...contested].filter(([, { rows }]) => rows === 1)
      for (const [id] of alone) placed.mark(id, true)
      yield* record(alone.map(([, { move }]) => move))
      contested.clear()
    }
    return collided || placed.imported < (yield* view.standing).rows
  })
