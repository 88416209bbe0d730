import type { Item } from "../../domain/item.ts"
import { missingCode, stateCode, verdictCode } from "../codes.ts"
import {
  type BatchKnown,
  type Evidence,
  noEvidence,
  type SettlingFacts,
  type TestEntry,
  type Waits,
} from "../evidence.ts"
import type { KnownSubmission, Page } from "../pages.ts"
import { all, exists, get, type Sql } from "./statement.ts"
import type { Store } from "./Store.ts"
import { driftCode, isAcknowledged } from "./verdicts.ts"

/**
 * Whether an export must contain the submission of `row r`. An export can't contain a submission that was deleted later, or one that is missing and
 * acknowledged as missing.
 */
const isRequired = `r.submission IS NOT NULL AND r.state = ${stateCode.imported}
  AND NOT EXISTS (SELECT 1 FROM drift f WHERE f.row = r.id AND f.standing = ${driftCode.gone})
  AND NOT (r.verdict = ${verdictCode.missing} AND ${isAcknowledged("r", "r.content", missingCode)})`

/** Returns a page of all submissions that the ledger knows at the place's destination, regardless of the pipeline that sent them. */
export function* submissionsPage(place: number, page: Page<"submissions">): Sql<ReadonlyArray<KnownSubmission>> {
  return (yield* all<readonly [number, string, number, number, number, number | null, string | null]>(
    `WITH ${sameDestination}
     SELECT at, submission, required, unproven, batch, closed, time FROM (SELECT * FROM (
       SELECT r.id * 3 AS at, r.submission, CASE WHEN ${isRequired} THEN 1 ELSE 0 END AS required, CASE WHEN r.verdict > 0 THEN 1 ELSE 0 END AS unproven, r.batch, CASE WHEN b.dead = 0 THEN b.closed END AS closed, r.time
       FROM row r NOT INDEXED CROSS JOIN batch b ON b.id = r.batch
       WHERE r.id > CAST(?2 AS BIGINT) / 3 AND r.submission IS NOT NULL AND +r.place IN (SELECT id FROM here) ORDER BY r.id LIMIT ?3) AS present
     UNION ALL SELECT * FROM (
       SELECT p.id * 3 + 1 AS at, p.submission, 0, CASE WHEN p.verdict > 0 THEN 1 ELSE 0 END, p.batch, CAST(NULL AS BIGINT), CAST(NULL AS TEXT) FROM replaced p JOIN row r ON r.id = p.row
       WHERE p.id > (CAST(?2 AS BIGINT) - 1) / 3 AND r.place IN (SELECT id FROM here) ORDER BY p.id LIMIT ?3) AS earlier
     UNION ALL SELECT * FROM (
       SELECT f.id * 3 + 2 AS at, f.submission, 0, 0, 0, CAST(NULL AS BIGINT), CAST(NULL AS TEXT) FROM forgotten f
       WHERE f.id > (CAST(?2 AS BIGINT) - 2) / 3 AND f.place IN (SELECT id FROM here) ORDER BY f.id LIMIT ?3) AS removed) AS submissions
     ORDER BY at LIMIT ?3`,
    [place, page.after, page.limit],
  )).map(([at, id, required, unproven, batch, closed, time]) => {
    const millis = time === null ? NaN : Date.parse(time)
    return {
      at,
      id,
      isRequired: required === 1,
      isUnproven: unproven === 1,
      batch,
      closed: closed ?? undefined,
      time: Number.isNaN(millis) ? undefined : millis,
    }
  })
}

/** Returns a batch at the place's destination, and one of its submissions that an export must contain. */
function* known(where: string, order: "ASC" | "DESC", params: ReadonlyArray<number>): Sql<BatchKnown | undefined> {
  const found = yield* get<readonly [number, string]>(
    `WITH ${sameDestination}
     SELECT id, submission FROM (
       SELECT b.id, (SELECT r.submission FROM row r WHERE r.batch = b.id AND ${isRequired} LIMIT 1) AS submission
       FROM batch b WHERE b.place IN (SELECT id FROM here) AND b.imported > 0 AND ${where}) AS batches
     WHERE submission IS NOT NULL ORDER BY id ${order} LIMIT 1`,
    [...params],
  )
  return found === undefined ? undefined : { batch: found[0], submissionId: found[1] }
}

/**
 * Returns the evidence about a row in doubt. An export without the row's submission shows that the row did not land if the submission had to be visible
 * when the export was made:
 *
 * 1. The submission is visible `visibleWithin` after the last request that sent the row ended. If that end is known only from the end of its process,
 *    it is visible `lateWithin` later, because the kernel may have sent data after that. While a request may still arrive, there is no such time.
 * 2. A submission in the export that was sent after that time (a witness), or a test entry issued after it, shows that the export was made later.
 * 3. A witness or a test entry counts only if no clock was set back meanwhile: from the row's first batch on, the times of all batches must rise with
 *    their numbers.
 *
 * @param batches the first and the last batch that contained the row
 * @param entries test entries that an export contains
 */
export function* evidence(
  place: number,
  { first, last }: { readonly first: number; readonly last: number },
  { lateWithin, visibleWithin }: Waits,
  entries: ReadonlyArray<TestEntry>,
): Sql<Evidence> {
  const ends = yield* all<readonly [ended: number | null, closed: number | null, dead: number]>(
    "SELECT ended, closed, dead FROM batch WHERE id IN (?, ?)",
    [first, last],
  )
  const before = yield* known("b.id < ?2 AND b.closed < ?2 AND b.dead = 0", "DESC", [place, first])
  const endTimes = ends.flatMap(([ended]) => ended ?? [])
  if (endTimes.length < ends.length) return { ...noEvidence, before }
  const ended = Math.max(...endTimes)
  const closed = Math.max(...ends.map(([, closed]) => closed ?? 0))
  const visibleFrom = ended + visibleWithin + (ends.some(([, , dead]) => dead === 1) ? lateWithin : 0)

  const witness = yield* known("b.id > ?2 AND b.sent >= ?3", "ASC", [place, closed, visibleFrom])
  const testEntry = entries.find(({ after, at }) => after >= closed && at >= visibleFrom)

  const isWitness = witness !== undefined && (yield* isRising(witness.batch, Number.MAX_SAFE_INTEGER))
  const isTestEntry = testEntry !== undefined && (yield* isRising(testEntry.after, testEntry.at))
  return {
    visibleFrom,
    before,
    witness: isWitness ? witness : undefined,
    testEntry: isTestEntry ? testEntry : undefined,
    hasClockGoneBack: (witness !== undefined && !isWitness) || (testEntry !== undefined && !isTestEntry),
  }

  /** Whether sending times rise from `first` to the batch `upTo`. `ended` counts as a time after the batch `closed`, and no time may be later than `at`. */
  function* isRising(upTo: number, at: number): Sql<boolean> {
    return !(yield* exists(
      `SELECT 1 FROM (SELECT sent, lag(sent) OVER (ORDER BY id) AS earlier FROM batch WHERE id BETWEEN ?1 AND ?2) AS batches WHERE sent < earlier
       UNION ALL SELECT 1 FROM batch WHERE id BETWEEN ?1 AND ?3 AND sent > ?4
       UNION ALL SELECT 1 FROM batch WHERE id > ?3 AND id <= ?2 AND (sent < ?4 OR sent > ?5) LIMIT 1`,
      [first, upTo, closed, ended, at],
    ))
  }
}

/** Returns the test entries that were issued at the place's destination, newest first. */
function* testEntries(place: number): Sql<ReadonlyArray<TestEntry>> {
  return (yield* all<readonly [string, number, number]>(
    `WITH ${sameDestination} SELECT text, at, after FROM testEntry WHERE place IN (SELECT id FROM here) ORDER BY id DESC`,
    [place],
  )).map(([text, at, after]) => ({ text, at, after }))
}

/** Places with the same destination as place `?1`, including those of other pipelines that import into the same form. */
const sameDestination =
  "here AS (SELECT p.id FROM place p JOIN place o ON o.service = p.service AND o.form = p.form WHERE o.id = ?1)"

/** Scalar subqueries, because PostgreSQL would read whole tables to answer `EXISTS`. */
const isTakenSubmission =
  `(SELECT 1 FROM row r WHERE r.submission = asked.id AND +r.place IN (SELECT id FROM here) LIMIT 1) = 1
         OR (SELECT 1 FROM replaced p JOIN row r ON r.id = p.row WHERE p.submission = asked.id AND +r.place IN (SELECT id FROM here) LIMIT 1) = 1
         OR (SELECT 1 FROM forgotten f WHERE f.submission = asked.id AND f.place IN (SELECT id FROM here) LIMIT 1) = 1`

function* askedWhere(place: number, ids: ReadonlyArray<string>, where: string): Sql<ReadonlySet<string>> {
  if (ids.length === 0) return new Set()
  return new Set(
    (yield* all<readonly [string]>(
      `WITH ${sameDestination}, asked AS (SELECT value AS id FROM json_each(?2)) SELECT id FROM asked WHERE ${where}`,
      [place, JSON.stringify(ids)],
    )).map(([id]) => id),
  )
}

export function* takenSubmissions(place: number, ids: ReadonlyArray<string>): Sql<ReadonlySet<string>> {
  return yield* askedWhere(place, ids, isTakenSubmission)
}

/** Returns which of the submission ids the ledger already has at the place's destination: those that are taken, and those that belong to no row. */
export function* knownSubmissions(place: number, ids: ReadonlyArray<string>): Sql<ReadonlySet<string>> {
  return yield* askedWhere(
    place,
    ids,
    `${isTakenSubmission}
         OR EXISTS (SELECT 1 FROM batch b WHERE b.loose IS NOT NULL AND b.place IN (SELECT id FROM here)
           AND asked.id IN (SELECT value FROM json_each(b.loose)))`,
  )
}

/**
 * Returns the items of rows that a person said had landed at the place's destination, from any pipeline. Their submissions exist, but the ids are
 * unknown.
 */
function* landedByWord(place: number): Sql<ReadonlyArray<Item>> {
  return (yield* all<readonly [string]>(
    `SELECT d.item FROM place o JOIN place p ON p.service = o.service AND p.form = o.form
     JOIN row r INDEXED BY row_unverified ON r.place = p.id AND r.verdict > 0 JOIN detail d ON d.row = r.id
     WHERE o.id = ? AND r.state = ${stateCode.imported} AND r.submission IS NULL AND d.item IS NOT NULL ORDER BY r.id`,
    [place],
  )).map(([item]) => JSON.parse(item) as Item)
}

/** Returns submission ids that the service returned for a batch of the place, but that belong to no row. */
function* looseIds(place: number): Sql<ReadonlyArray<string>> {
  return (yield* all<readonly [string]>("SELECT loose FROM batch WHERE place = ? AND loose IS NOT NULL ORDER BY id", [
    place,
  ]))
    .flatMap(([loose]) => JSON.parse(loose) as ReadonlyArray<string>)
}

export function* settlingFacts(store: Store, place: number): Sql<SettlingFacts> {
  return {
    now: yield* store.now(),
    testEntries: yield* testEntries(place),
    looseIds: yield* looseIds(place),
    landedByWord: yield* landedByWord(place),
  }
}
