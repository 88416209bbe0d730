import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { dirname } from "node:path"
import { evidenceOf } from "../evidence.ts"
import type { Ledger, LedgerError, LedgerOptions, LedgerRefused, PipelineLedger } from "../Ledger.ts"
import { readMarks } from "../marks.ts"
import { attended, rejectedRows } from "./attention.ts"
import { landedByWord, looseIds, requestsOf, testEntries } from "./evidence.ts"
import { facts, isAccepted, noFacts, notified, recordNotified, unreadFiles } from "./facts.ts"
import { type Cursor, lookUp, lookUpRows } from "./lookUp.ts"
import { isNewest, lacking } from "./newest.ts"
import { exportRows, pages, unfinished, vanished } from "./pages.ts"
import { findPlace, mustTakeOver, type Place, refusal, takeOver } from "./place.ts"
import { freeSpace, requireRoom } from "./room.ts"
import { makeSession } from "./session.ts"
import { settlements } from "./settle.ts"
import { counts, importedUnderOther, noCounts, noStanding, runRecords, standing } from "./standing.ts"
import { openStore, reading, type Store } from "./Store.ts"
import { makeTurns } from "./turns.ts"
import { makeUpkeep } from "./upkeep.ts"
import { reconciliation } from "./verdicts.ts"

/**
 * Opens the ledger for the scope. If there is none, makes it with its folder and its secret. Fails with `LedgerRefused` if the ledger must not be
 * used: its secret is missing or belongs to a different ledger, it is on a network file system, or it is not a ledger of this version. Fails with
 * `LedgerError` if it is damaged or can't be written.
 */
export const openLedger = (options: LedgerOptions): Effect.Effect<Ledger, LedgerError | LedgerRefused, Scope.Scope> =>
  Effect.map(openStore(options), makeLedger)

/** Returns the port over an open ledger's parts. */
export const makeLedger = (store: Store): Ledger => {
  const { db } = store
  return {
    file: store.file,
    id: store.id,
    behind: reading(store, "reading its marks", () => lacking(store, readMarks(store.marks))),
    isNewest: isNewest(store, () => ({ asker: store.asker, where: "anywhere" })),
    digest: store.digest,
    pipeline: (which) =>
      Effect.gen(function*() {
        if (yield* reading(store, "reading pipelines", () => mustTakeOver(db, which))) {
          yield* store.writer.write<void, LedgerRefused>("taking rows over", () => takeOver(store, which))
        }
        const refused = yield* reading(store, "reading pipelines", () => refusal(db, which))
        if (refused !== undefined) return yield* refused
        return pipelineLedger(store, which)
      }),
    view: (which) => pipelineLedger(store, which),
    places: reading(
      store,
      "reading pipelines",
      () =>
        db.all<readonly [string, string, string, string]>(
          "SELECT pipeline, service, form, typed FROM place ORDER BY id",
        )
          .map(([pipeline, service, form, typed]) => ({ pipeline, destination: { service, form }, typed })),
    ),
    turns: makeTurns(store),
    roomFor: (rows, bytes) =>
      Effect.suspend(() => requireRoom(store.file, freeSpace(dirname(store.file)), rows, bytes)),
    ...makeUpkeep(store),
    exported: (pipelines) => exportRows(store, pipelines),
  }
}

/** Returns the ledger for one pipeline at one destination. Nothing is written for them until a run holds the lock. */
const pipelineLedger = (store: Store, at: Place): PipelineLedger => {
  const { db } = store
  let place: number | undefined
  const cursor: Cursor = { last: undefined }
  const known = () => (place ??= findPlace(db, at))
  /** Reads from the place's part of the ledger. Returns `empty` if the ledger has no such place. */
  const read = <A>(doing: string, empty: A, work: (place: number) => A): Effect.Effect<A, LedgerError> =>
    reading(store, doing, () => {
      const place = known()
      return place === undefined ? empty : work(place)
    })
  return {
    pipeline: at.pipeline,
    destination: at.destination,
    facts: read("reading facts", noFacts, (place) => facts(store, place)),
    lookUp: (keys) => reading(store, "looking up rows", () => lookUp(store, known(), keys)),
    lookUpRows: (keys, content) =>
      read("looking up rows", keys.map(() => undefined), (place) => lookUpRows(store, place, keys, content, cursor)),
    rejected: (row) => read("looking up rejected rows", [], (place) => rejectedRows(db, place, row)),
    attended: (rows) =>
      read("looking up rows that need review", rows.map(() => "new" as const), (place) => attended(db, place, rows)),
    importedUnderOtherMapping: (mapping) => read("counting rows", 0, (place) => importedUnderOther(db, place, mapping)),
    pages: (of, choice) => pages(store, known, of, choice),
    counts: reading(store, "counting rows", () => {
      const place = known()
      return place === undefined ? noCounts(db) : counts(db, place)
    }),
    standing: reading(store, "counting rows", () => {
      const place = known()
      return place === undefined ? noStanding(db) : standing(store, at.pipeline, place)
    }),
    evidence: (batches, within, entries) =>
      Effect.flatMap(
        read("reading batches", undefined, (place) => evidenceOf(requestsOf(db, place, batches), within, entries)),
        (found) => found === undefined ? Effect.dieMessage("A row in doubt has no batch.") : Effect.succeed(found),
      ),
    settlingFacts: read(
      "reading evidence for rows in doubt",
      { testEntries: [], looseIds: [], landedByWord: [] },
      (place) => ({
        testEntries: testEntries(db, place),
        looseIds: looseIds(db, place),
        landedByWord: landedByWord(db, place),
      }),
    ),
    settlements: (limit) => read("reading settlements", [], (place) => settlements(db, place, limit)),
    reconciliation: read("reading the reconciliation", undefined, (place) => reconciliation(db, place)),
    unfinished: (batches) => read("looking for unfinished rows", [], (place) => unfinished(db, place, batches)),
    vanished: (seen) =>
      read("counting vanished rows", { seen, upTo: 0, count: 0, fresh: 0 }, (place) => vanished(db, place, seen)),
    accepted: (reason, states) =>
      read("reading acceptances", states.length === 0, (place) => isAccepted(db, place, reason, states)),
    unreadFiles: (names) => read("reading file names", names, (place) => unreadFiles(db, place, names)),
    runs: (which) => read("reading runs", [], (place) => runRecords(store, place, which)),
    notified: (webhook) => read("reading what was reported", undefined, (place) => notified(db, place, webhook)),
    recordNotified: (webhook, what) =>
      store.writer.write("recording what was reported", () => {
        const place = findPlace(db, at)
        if (place !== undefined) recordNotified(db, place, webhook, what)
      }),
    isNewest: isNewest(store, () => ({
      asker: { pipeline: at.pipeline, target: store.asker?.target },
      where: findPlace(db, at),
    })),
    hold: (run, overruling = []) => makeSession(store, at, run, overruling),
  }
}
