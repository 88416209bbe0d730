import * as Effect from "effect/Effect"
import { openStates, stateCode, verdictCode } from "../codes.ts"
import { LedgerBusy } from "../errors.ts"
import type { Forgotten, Ledger } from "../Ledger.ts"
import { forget, refusalIfInDoubt } from "./forget.ts"
import { holdAll } from "./lock.ts"
import { dropOldRuns } from "./standing.ts"
import { numberIn, rowsAtOnce, run, type Sql } from "./statement.ts"
import { refusedIf, type Store } from "./Store.ts"

export const makeUpkeep = (store: Store): Pick<Ledger, "verify" | "compact" | "forget"> => {
  const { writer } = store
  return {
    verify: Effect.zipWith(
      store.damage,
      store.read("verifying it", violations),
      (damage, violated) => [...damage, ...violated],
    ),
    compact: Effect.scoped(Effect.gen(function*() {
      yield* store.mayRewrite
      const before = yield* store.size
      yield* holdAll(store)
      const deleted = yield* writer.write("forgetting old runs", function*() {
        return { runs: yield* dropOldRuns(), rejected: yield* dropOldAttention() }
      })
      yield* store.rewrite
      return { before, after: yield* store.size, ...deleted }
    })),
    forget: (what) =>
      Effect.scoped(Effect.gen(function*() {
        yield* store.mayRewrite
        const [hold] = yield* holdAll(store)
        const { keys } = what
        if (hold === undefined) return { keys: [], already: [], unknown: keys, submissions: [] }
        // No row gets in doubt as long as all locks are held.
        yield* refusedIf(store, "reading rows in doubt", () => refusalIfInDoubt(store, what))
        const found = yield* Effect.forEach(
          keys,
          (key) =>
            writer.writeOn(hold, "forgetting rows", () => forget(store, key, what), {
              isCounted: true,
              touches: [key],
            }),
          { concurrency: rowsAtOnce },
        )
        const forgotten: Forgotten = {
          keys: keys.filter((_, at) => found[at]?.had !== undefined),
          already: keys.filter((_, at) => found[at]?.had === "digest"),
          unknown: keys.filter((_, at) => found[at]?.had === undefined),
          submissions: found.flatMap(({ submissions }) => submissions),
        }
        if (forgotten.keys.length === 0) return forgotten
        const busy = yield* Effect.as(store.rewrite, undefined).pipe(Effect.catchTag("LedgerBusy", Effect.succeed))
        // A copy that was started before the rows were forgotten is complete by now, and so it is found.
        const [copy] = yield* store.removeCopies
        return copy === undefined
          ? { ...forgotten, busy }
          : { ...forgotten, busy: new LedgerBusy({ file: store.file, by: "copy", copy }) }
      })),
  }
}

/** Deletes, inside a transaction, rejected rows that none of the kept runs has seen. They were fixed, or are no longer in the source. */
function* dropOldAttention(): Sql<number> {
  return yield* run(`DELETE FROM attention WHERE seen NOT IN (SELECT id FROM run)
     AND seen < (SELECT coalesce(latest, 0) FROM place p WHERE p.id = attention.place)`)
}

/** Invariants of every ledger, each with a query that counts violations. */
const invariants: ReadonlyArray<readonly [finding: string, sql: string]> = [
  [
    "imported rows without a submission or a verdict",
    `SELECT count(*) FROM row r WHERE r.state = ${stateCode.imported} AND (r.verdict IS NULL OR (r.submission IS NULL
      AND NOT EXISTS (SELECT 1 FROM settled s WHERE s.row = r.id AND s.landed = 1 AND s.submission IS NULL)))`,
  ],
  ["rows in an unknown state", `SELECT count(*) FROM row WHERE state NOT IN (${Object.values(stateCode).join(", ")})`],
  [
    "rows in doubt without a reason",
    `SELECT count(*) FROM row r LEFT JOIN doubt d ON d.row = r.id WHERE r.state = ${stateCode.inDoubt} AND d.row IS NULL`,
  ],
  [
    "refused rows without the service's reason",
    `SELECT count(*) FROM row r LEFT JOIN refusal f ON f.row = r.id WHERE r.state = ${stateCode.refused} AND f.row IS NULL`,
  ],
  [
    "rows of a batch that does not exist",
    "SELECT count(*) FROM row r LEFT JOIN batch b ON b.id = r.batch WHERE b.id IS NULL",
  ],
  [
    "open intents in a settled batch",
    `SELECT count(*) FROM row r JOIN batch b ON b.id = r.batch WHERE r.state = ${stateCode.intended} AND b.open = 0`,
  ],
  [
    "verified rows whose content is still kept",
    `SELECT count(*) FROM row r JOIN detail d ON d.row = r.id WHERE r.state = ${stateCode.imported} AND r.verdict = ${verdictCode.verified} AND d.item IS NOT NULL`,
  ],
  [
    "digests of returned answers for rows that are not imported",
    `SELECT count(*) FROM verified v LEFT JOIN row r ON r.id = v.row WHERE r.state IS DISTINCT FROM ${stateCode.imported}`,
  ],
  [
    "undone rows that still have a verdict or content, or that lack the id of the deleted submission although they had landed",
    `SELECT count(*) FROM row r LEFT JOIN detail d ON d.row = r.id
     WHERE r.state = ${stateCode.undone} AND (r.verdict IS NOT NULL OR d.row IS NOT NULL
       OR (r.submission IS NULL AND NOT EXISTS (SELECT 1 FROM settled s WHERE s.row = r.id AND s.landed = 0)))`,
  ],
  [
    "rows in doubt without their content",
    `SELECT count(*) FROM row r LEFT JOIN detail d ON d.row = r.id WHERE r.state IN (${openStates}) AND d.item IS NULL`,
  ],
  [
    "submissions that are recorded for several rows of a form",
    `SELECT count(*) FROM (SELECT 1 FROM (SELECT place, submission FROM row WHERE submission IS NOT NULL
        UNION ALL SELECT r.place, o.submission FROM replaced o JOIN row r ON r.id = o.row) AS r
      JOIN place p ON p.id = r.place GROUP BY p.service, p.form, r.submission HAVING count(*) > 1) AS repeated`,
  ],
  [
    "rows that replace a submission but are neither sent nor in doubt",
    `SELECT count(*) FROM replaced o JOIN row r ON r.id = o.row WHERE o.at IS NULL AND r.state NOT IN (${openStates})`,
  ],
  [
    "replaced submissions whose rows were not created again",
    // An undone row counts as created again, because its submission existed. After a resend, the row belongs to a later batch.
    `SELECT count(*) FROM replaced o JOIN row r ON r.id = o.row WHERE o.at IS NOT NULL AND r.state NOT IN (${stateCode.imported}, ${stateCode.undone}) AND r.batch <= o.by
      AND NOT EXISTS (SELECT 1 FROM replaced later WHERE later.row = o.row AND later.id > o.id)`,
  ],
  [
    "rows that were refused after a change but had never been imported",
    `SELECT count(*) FROM refusedAgain f JOIN row r ON r.id = f.row WHERE r.state <> ${stateCode.imported}`,
  ],
]

/** Returns a sentence for each invariant that the ledger violates. */
function* violations(): Sql<ReadonlyArray<string>> {
  const found: Array<string> = []
  for (const [finding, sql] of invariants) {
    const count = yield* numberIn(sql)
    if (count > 0) found.push(`The ledger contains ${finding}: ${count}.`)
  }
  return found
}
