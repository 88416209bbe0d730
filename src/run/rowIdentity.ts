import { Effect } from "effect"
import { acceptCommand } from "../domain/acceptance.ts"
import type { Json } from "../domain/json.ts"
import type { Cells, RowChunk } from "../domain/row.ts"
import { count, counted } from "../domain/words.ts"
import type { LedgerError, LedgerOvertaken, LedgerSession } from "../ledger/Ledger.ts"
import type { KeyRule, Rekeyed, RowIdentity } from "../ledger/records.ts"
import { eachChunk } from "../source/eachChunk.ts"
import type { SourceChanged, SourceDialect, SourceError } from "../source/Source.ts"
import { makeContents } from "./classify.ts"
import { columnNames, contentDigest } from "./content.ts"
import { MetRows } from "./MetRows.ts"
import { type Alike, restColumns } from "./NewRows.ts"
import { numberedKeys, rowKeys } from "./rowKeys.ts"
import type { RunContext } from "./RunContext.ts"
import { overLimit } from "./stopWhen.ts"
import type { Survey } from "./survey.ts"

type Failure = LedgerError | LedgerOvertaken

/** Lists of columns that are remembered to find rows whose key changed. */
const keptRests = 8

const sameList = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b)

/** How this run makes row keys. */
const keyRuleOf = (
  { keyColumns, mapping, pipeline: { source } }: Pick<RunContext, "keyColumns" | "mapping" | "pipeline">,
): KeyRule =>
  mapping.keyed === "content"
    ? { columns: "content", empty: [] }
    : {
      columns: keyColumns,
      empty: [...new Set(source.empty.map((text) => text.trim()).filter((text) => text !== ""))].toSorted(),
    }

/** Whether rows stand in the ledger under keys that this run makes otherwise. */
export const keysDiffer = (run: Omit<RunContext, "session">): Effect.Effect<boolean, LedgerError> =>
  Effect.map(run.view.identity, (identity) => {
    const now = keyRuleOf(run)
    return identity?.keys.some((rule) => !sameList(rule, now)) ?? false
  })

/** Stops the run because rows may be known under other keys (exit code 2), and records that for `accept`. */
const refuse = (run: RunContext, state: Json, what: string, how: string): Effect.Effect<void, Failure> =>
  Effect.gen(function*() {
    const states = [stateOf(run, state)]
    if (run.session !== undefined) yield* run.session.refused({ reason: "row-key", states, what })
    const accept = `If these rows are new all the same: ${acceptCommand(run.pipeline.name, "row-key", run.target)}.`
    yield* run.stop.request({ _tag: "Refused", because: `${what} Nothing was sent. ${how} ${accept}` })
  })

const stateOf = (run: RunContext, state: Json): string => run.ledger.digest.value(state).toString("hex")

const isAccepted = (run: RunContext, state: Json) => run.view.accepted("row-key", [stateOf(run, state)])

/** Makes keys for one reading of the source as an earlier rule did. */
type Numbering = () => (cells: Cells) => string | undefined

/**
 * Finds out how an earlier rule makes keys of this source.
 *
 * @returns `same`: as this run does, for its columns only have other names now. Undefined: its columns are not in the source
 */
const earlierKeys = (
  run: RunContext,
  rule: KeyRule,
  first: ReadonlyArray<string> | undefined,
): Numbering | "same" | undefined => {
  const names = columnNames(run.columns)
  if (rule.columns === "content") {
    if (first === undefined || first.some((name) => !names.includes(name))) return undefined
    return numberedKeys(contentDigest(first, run.columns, run.ledger.digest))
  }
  const { previousRowKey } = run.pipeline.source
  const renamed = sameList(previousRowKey, rule.columns) && run.keyColumns.length === rule.columns.length
  const positions = rule.columns.map((name, at) => {
    const position = names.indexOf(name)
    return position >= 0 || !renamed ? position : names.indexOf(run.keyColumns[at] ?? "")
  })
  const columns = positions.map((position) => run.columns[position]).filter((column) => column !== undefined)
  if (columns.length < rule.columns.length) return undefined
  const now = keyRuleOf(run)
  if (
    sameList(columns.map((column) => names[run.columns.indexOf(column)]), now.columns)
    && sameList(rule.empty, now.empty)
  ) {
    return "same"
  }
  const key = run.mapping.keyBy(columns, new Set(rule.empty))
  return () => key
}

/**
 * Sees to it, before the survey, that rows are known though their keys are made otherwise than in earlier runs: where both keys can be made, the ledger gets the new ones; otherwise the run is refused. Of
 * several rows with one old key, the one with the imported content takes it.
 *
 * @param recorder where that is recorded; for a dry run on a copy of the ledger
 */
export const adoptKeys = (
  run: RunContext,
  recorder: LedgerSession | undefined,
): Effect.Effect<void, Failure | SourceError | SourceChanged> =>
  Effect.gen(function*() {
    const identity = yield* run.view.identity
    const now = keyRuleOf(run)
    const first = yield* run.view.firstShape
    const blank = (yield* run.view.rowCount) === 0 && (yield* run.view.isBlank)
    const lost = now.columns === "content"
      ? (first ?? []).filter((name) => !columnNames(run.columns).includes(name))
      : []
    if (lost.length > 0) {
      const [name = ""] = lost
      const what = `The row key is the row's content, and the source lacks ${
        counted(lost.length, "column", "columns")
      } of it: ${lost.join(", ")}. Every row would be new.`
      const state = { lost }
      if (!(yield* isAccepted(run, state))) {
        return yield* refuse(run, state, what, `If it has another title now, name it under source.columns: ${name}.`)
      }
    }
    let kept: ReadonlyArray<KeyRule> = []
    const earlier = blank ? [] : (identity?.keys ?? []).filter((rule) => !sameList(rule, now))
    const rules = earlier.map((rule) => ({ rule, keys: earlierKeys(run, rule, first) }))
    const unknown = rules.filter(({ keys }) => keys === undefined)
    if (unknown.length > 0) {
      const state = { now, unknown: unknown.map(({ rule }) => rule) } as unknown as Json
      if (!(yield* isAccepted(run, state))) {
        const lists = unknown.map(({ rule: { columns } }) =>
          columns === "content" ? "content" : `[${columns.join(", ")}]`
        )
        return yield* refuse(
          run,
          state,
          `In earlier runs the row key was ${
            lists.join(", then ")
          }, and the source does not have all of these columns, so it is unknown which rows were imported.`,
          `If columns have other names now, write "previousRowKey: ${
            lists.at(-1)
          }" under source of the pipeline, with as many columns as rowKey has.`,
        )
      }
    }
    const makers = rules.flatMap(({ keys, rule }) => (typeof keys === "function" ? [{ keys, rule }] : []))
    if (makers.length > 0 && recorder !== undefined) {
      const left = yield* moveKeys(run, recorder, makers.map(({ keys }) => keys).toReversed())
      if (run.stop.requested()) return
      if (left) kept = makers.map(({ rule }) => rule)
    }
    const rest = restColumns(run)
    const rests = [
      ...(identity?.rests ?? []).filter((one) => !sameList(one, rest)),
      ...(rest.length === 0 ? [] : [rest]),
    ]
    const next: RowIdentity = {
      keys: [...kept, now],
      dialect: identity?.dialect ?? (run.ownSource ? { ...run.source.dialect } : null),
      rests: rests.slice(-keptRests),
    }
    if (recorder !== undefined && !sameList(identity, next)) yield* recorder.identity(next)
  })

/** A row of the ledger whose old key rows of the source have, none of them with the imported content so far. */
interface Contested {
  readonly key: string
  readonly move: Rekeyed
  rows: number
}

/** Reads the source once and gives the rows of the ledger their new keys. Gives whether rows are left under an old one. */
const moveKeys = (
  run: RunContext,
  recorder: LedgerSession,
  earlier: ReadonlyArray<Numbering>,
): Effect.Effect<boolean, Failure | SourceError | SourceChanged> =>
  Effect.gen(function*() {
    const { digest } = run.ledger
    const key = (yield* rowKeys(run)).numbering()
    const makers = earlier.map((make) => make())
    const met = new MetRows()
    const contents = makeContents(run, new MetRows())
    const contested = new Map<number, Contested>()
    let collided = false
    const taken = (id: number) => met.marks[id] === 1
    const record = (moves: ReadonlyArray<Rekeyed>) =>
      moves.length === 0 ? Effect.void : Effect.map(recorder.rekey(moves), (moved) => {
        // Two old keys may be one new one: the second row stays where it is.
        if (moved < moves.filter((move) => move.key !== undefined).length) collided = true
      })
    const move = (chunk: RowChunk) =>
      Effect.gen(function*() {
        const rows = chunk.rows.map((cells, at) =>
          chunk.faults.has(at)
            ? { cells, key: undefined, old: [] }
            : { cells, key: key(cells), old: makers.map((make) => make(cells)) }
        )
        const keyed = rows.flatMap((row) =>
          row.key === undefined ? [] : [{ ...row, key: row.key, to: digest.key(row.key) }]
        )
        const known = yield* run.view.lookUp(keyed.map(({ to }) => to))
        for (const row of known) if (row !== undefined && row.id > 0) met.mark(row.id, true)
        let unknown = keyed.filter((_, at) => (known[at]?.id ?? 0) === 0)
        const moves: Array<Rekeyed> = []
        for (let maker = 0; maker < makers.length; maker++) {
          const asked = unknown.flatMap((row) => {
            const old = row.old[maker]
            return old === undefined || old === row.key ? [] : [{ ...row, from: digest.key(old), was: old }]
          })
          const found = yield* run.view.lookUp(asked.map(({ from }) => from))
          yield* contents.learn(found)
          const settled = new Set<Cells>()
          asked.forEach(({ cells, from, key, to, was }, at) => {
            const memory = found[at]
            if (memory === undefined || memory.id === 0 || taken(memory.id)) {
              moves.push({ from, to, key: undefined })
              return
            }
            settled.add(cells)
            const free = memory.state === "notCreated" || memory.state === "refused"
            if (free || contents.same(memory, cells)) {
              moves.push({ from, to, key })
              met.mark(memory.id, true)
              contested.delete(memory.id)
              return
            }
            const other = contested.get(memory.id)
            if (other === undefined) contested.set(memory.id, { key: was, move: { from, to, key }, rows: 1 })
            else other.rows++
          })
          unknown = unknown.filter(({ cells }) => !settled.has(cells))
        }
        yield* record(moves)
      })
    yield* eachChunk(run.source.read(), move, run.stop.requested)
    if (run.stop.requested()) return true
    const doubtful = [...contested.values()].filter(({ rows }) => rows > 1)
    if (doubtful.length > 0) {
      const state = { contested: doubtful.map((one) => [one.key, one.rows]) }
      if (!(yield* isAccepted(run, state))) {
        const [example] = doubtful
        yield* refuse(
          run,
          state,
          `${
            counted(doubtful.length, "row", "rows")
          } of earlier runs can't be told: several rows of the source have the earlier row key, such as ${
            JSON.stringify(example?.key)
          }, and none of them has the content that was imported.`,
          `Say which is which: formferry ledger rekey ${run.pipeline.name} --map old-new.csv.`,
        )
        return true
      }
    }
    const alone = [...contested].filter(([, { rows }]) => rows === 1)
    for (const [id] of alone) met.mark(id, true)
    yield* record(alone.map(([, { move }]) => move))
    return collided || met.imported < (yield* run.view.rowCount)
  })

/**
 * Whether rows that are read in one way have the keys that they have when read in the other. The cells of key columns depend on the format and on our reader; encodings are compared key by key. Keys made
 * of content depend on every cell.
 */
const readsAlike = (before: SourceDialect, now: SourceDialect, content: boolean): boolean =>
  before.format === now.format && before.reader === now.reader
  && (!content || (before.quotes === now.quotes
    && (before.encoding === undefined || now.encoding === undefined || before.encoding === now.encoding)))

const dialectText = ({ delimiter, encoding, format, quotes }: SourceDialect): string =>
  [
    format,
    encoding,
    delimiter === undefined ? undefined : `delimiter ${JSON.stringify(delimiter)}`,
    quotes === "none" ? "without quotes" : undefined,
  ]
    .filter((part) => part !== undefined).join(", ")

/** Pairs that a refusal shows. */
const shownPairs = 5

/**
 * Stops the run, before anything is sent, if new rows look like rows that were imported and that the source does not hold any more: by their keys but for formatting (even one), by the way in which the
 * source is read, or, for many, by their other cells.
 */
export const checkKeys = (run: RunContext, survey: Survey): Effect.Effect<void, Failure> =>
  Effect.gen(function*() {
    const { dialect } = run.source
    const identity = yield* run.view.identity
    const before = (identity?.dialect ?? undefined) as SourceDialect | undefined
    const isOwn = run.ownSource
    const reads = before === undefined || !isOwn || readsAlike(before, dialect, run.mapping.keyed === "content")
    const recordDialect = Effect.suspend(() => {
      const next = { ...before, ...dialect }
      return run.session === undefined || identity === undefined || !isOwn || sameList(before, next)
        ? Effect.void
        : run.session.identity({ ...identity, dialect: next })
    })
    const { fresh } = survey
    if (fresh === undefined || fresh.size === 0) return yield* recordDialect
    const shown: Array<Alike> = []
    const states = { key: "", encoding: "", cells: "" }
    const unmet = yield* fresh.compare(run.view, survey.met.marks, (pair) => {
      if (pair.by === "key" && shown.length < shownPairs) shown.push(pair)
      states[pair.by] = run.ledger.digest.key(`${states[pair.by]} ${pair.old}`).toString("hex")
    })
    const { name } = run.pipeline
    const rekey = `If they are the same rows: formferry ledger rekey ${name}.`
    if (unmet.reformatted > 0) {
      const pairs = { reformatted: states.key }
      if (!(yield* isAccepted(run, pairs))) {
        const examples = shown.map(({ old, row }) => `${JSON.stringify(old)} (row ${row})`).join(", ")
        return yield* refuse(
          run,
          pairs,
          `${
            unmet.reformatted === 1
              ? "A new row has the key of an imported row that is"
              : `${count(unmet.reformatted)} new rows have keys of imported rows that are`
          } not in the source any more, but for formatting (case, spaces, punctuation, zeros, number or Unicode form). Imported as: ${examples}.`,
          rekey,
        )
      }
    }
    if (unmet.misread > 0 || (!reads && unmet.count > 0)) {
      const change = { before: { ...before }, now: { ...dialect }, misread: states.encoding } as unknown as Json
      if (!(yield* isAccepted(run, change))) {
        return yield* refuse(
          run,
          change,
          `The source is read otherwise than in earlier runs (${before === undefined ? "" : dialectText(before)}; now ${
            dialectText(dialect)
          }). ${counted(fresh.size, "row is", "rows are")} new, and ${
            counted(unmet.count, "imported row is", "imported rows are")
          } not in the source any more: these may be the same.`,
          `If it must be read as before, say so under source (format, encoding, delimiter, quoteChar). ${rekey}`,
        )
      }
    }
    const replaced = overLimit("replaced", run.pipeline.sink.stopWhen.replaced, {
      rows: unmet.replaced,
      of: fresh.size,
      among: "rows that are new in this run",
    })
    if (replaced !== undefined) {
      const pairs = { replaced: states.cells, of: fresh.size }
      if (!(yield* isAccepted(run, pairs))) {
        const what =
          `${replaced} Their other cells equal those of imported rows that are not in the source any more, so their keys may have changed.`
        if (run.session !== undefined) {
          yield* run.session.refused({ reason: "row-key", states: [stateOf(run, pairs)], what })
        }
        return yield* run.stop.request({
          _tag: "Protected",
          because: `${what} Nothing was sent. ${rekey} If they are new rows: ${
            acceptCommand(name, "row-key", run.target)
          }.`,
        })
      }
    }
    yield* recordDialect
  })
