import * as Effect from "effect/Effect"
import type { LedgerError, LedgerRefused } from "../errors.ts"
import type { Ledger, PipelineLedger } from "../Ledger.ts"
import { attended, skippedKeys } from "./attention.ts"
import { closedBecause, untilClosed } from "./closing.ts"
import { evidence, settlingFacts } from "./evidence.ts"
import { facts, isAccepted, notified, recordNotified, unreadFiles } from "./facts.ts"
import { lookUp, lookUpRows } from "./lookUp.ts"
import { isNewest, lacking, readMarked } from "./newest.ts"
import { exportRows, pages, unfinished } from "./pages.ts"
import { findPlace, mustTakeOver, type Place, refusal, takeOver } from "./place.ts"
import type { Cursor } from "./readOn.ts"
import { makeSession } from "./session.ts"
import { settlements } from "./settleDoubts.ts"
import { counts, importedUnderOther, runRecords, standing } from "./standing.ts"
import { all, just, type Sql } from "./statement.ts"
import { refusedIf, type Store } from "./Store.ts"
import { fixedRows } from "./superseded.ts"
import { makeTurns } from "./turns.ts"
import { makeUpkeep } from "./upkeep.ts"
import { vanished } from "./vanished.ts"
import { reconciliation } from "./verdicts.ts"

/** Returns the port over an open ledger's parts. Refuses a ledger that a move has closed or not finished. */
export const ledgerOver = (store: Store): Effect.Effect<Ledger, LedgerError | LedgerRefused> =>
  Effect.map(refusedIf(store, "opening it", () => closedBecause(store)), () => makeLedger(store))

/** Returns the port over an open ledger's parts. */
export const makeLedger = (store: Store): Ledger => portOver(untilClosed(store))

const portOver = (store: Store): Ledger => ({
  id: store.id,
  behind: Effect.flatMap(readMarked(store), (marks) => store.read("reading its marks", () => lacking(store, marks))),
  isNewest: isNewest(store, { asker: store.asker, where: () => just("anywhere" as const) }),
  digest: store.digest,
  pipeline: (which) =>
    Effect.gen(function*() {
      if (yield* store.read("reading pipelines", () => mustTakeOver(which))) {
        yield* store.writer.write<void, LedgerRefused>("taking rows over", () => takeOver(store, which))
      }
      yield* refusedIf(store, "reading pipelines", () => refusal(which))
      return pipelineLedger(store, which)
    }),
  refusalOf: (which) =>
    store.read("reading pipelines", function*() {
      return (yield* mustTakeOver(which)) ? undefined : yield* refusal(which)
    }),
  view: (which) => pipelineLedger(store, which),
  places: store.read("reading pipelines", function*() {
    const places = yield* all<readonly [string, string, string, string]>(
      "SELECT pipeline, service, form, typed FROM place ORDER BY id",
    )
    return places.map(([pipeline, service, form, typed]) => ({ pipeline, destination: { service, form }, typed }))
  }),
  turns: makeTurns(store),
  roomFor: store.roomFor,
  ...makeUpkeep(store),
  exported: (pipelines) => exportRows(store, pipelines),
})

/** Returns the ledger for one pipeline at one destination. Nothing is written for them until a run holds the lock. */
const pipelineLedger = (store: Store, at: Place): PipelineLedger => {
  let place: number | undefined
  const cursor: Cursor = { last: undefined }
  /** Returns the number of the place. 0, which no place has, as long as the ledger does not know it: queries for it find nothing. */
  function* known(): Sql<number> {
    return (place ??= yield* findPlace(at)) ?? 0
  }
  const read = <A>(doing: string, program: (place: number) => Sql<A>): Effect.Effect<A, LedgerError> =>
    store.read(doing, function*() {
      return yield* program(yield* known())
    })
  /** Reads what is known about each of many rows. Asks nothing if the ledger does not know the place, because a first dry run asks for every row. */
  const readEach = <A>(
    doing: string,
    rows: ReadonlyArray<unknown>,
    unknown: A,
    program: (place: number) => Sql<ReadonlyArray<A>>,
  ) => read(doing, (place) => place === 0 ? just(rows.map(() => unknown)) : program(place))
  return {
    pipeline: at.pipeline,
    destination: at.destination,
    facts: read("reading facts", (place) => facts(store, place)),
    lookUp: (keys) => readEach("looking up rows", keys, undefined, (place) => lookUp(store, place, keys)),
    lookUpRows: (keys, contents) =>
      readEach("looking up rows", keys, undefined, (place) => lookUpRows(store, place, keys, contents, cursor)),
    fixed: (rows) => readEach("looking up rejected rows", rows, "unsent", (place) => fixedRows(store, place, rows)),
    attended: (rows) =>
      readEach("looking up rows that need review", rows, "new", (place) => attended(store, place, rows)),
    skippedKeys: read("reading keys of skipped rows", skippedKeys),
    importedUnderOtherMapping: (mapping) => read("counting rows", (place) => importedUnderOther(place, mapping)),
    pages: (of, choice) => pages(store, known, of, choice),
    counts: read("counting rows", counts),
    standing: read("counting rows", (place) => standing(store, at.pipeline, place)),
    evidence: (batches, within, entries) =>
      read("reading batches", (place) => evidence(place, batches, within, entries)),
    settlingFacts: read("reading evidence for rows in doubt", (place) => settlingFacts(store, place)),
    settlements: (limit) => read("reading settlements", (place) => settlements(place, limit)),
    reconciliation: read("reading the reconciliation", reconciliation),
    unfinished: (batches) => read("looking for unfinished rows", (place) => unfinished(place, batches)),
    vanished: (seen) => read("counting vanished rows", (place) => vanished(place, seen)),
    accepted: (reason, states) => read("reading acceptances", (place) => isAccepted(place, reason, states)),
    unreadFiles: (versions) => read("reading which files were read", (place) => unreadFiles(place, versions)),
    runs: (which) => read("reading runs", (place) => runRecords(store, place, which)),
    notified: (webhook) => read("reading what was reported", (place) => notified(place, webhook)),
    recordNotified: (webhook, what) =>
      store.writer.write("recording what was reported", function*() {
        const place = yield* findPlace(at)
        if (place !== undefined) yield* recordNotified(place, webhook, what)
      }),
    isNewest: isNewest(store, {
      asker: { pipeline: at.pipeline, target: store.asker?.target },
      where: () => findPlace(at),
    }),
    hold: (run, overruling = []) => makeSession(store, at, run, overruling),
  }
}
