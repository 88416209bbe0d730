import * as Effect from "effect/Effect"
import type { VerdictCounts } from "../../domain/fate.ts"
import { isoOf } from "../../domain/times.ts"
import { differingCode, editedCode, goneCode, missingCode, stateCode, verdictCode, verdictOf } from "../codes.ts"
import type { AnswerDigest, AnswerDigests, Drifted, ReadBack, SeenAgain } from "../rows.ts"
import type { Drift, Reconciliation } from "../standing.ts"
import { all, get, inTens, type Param, Refusal, type Sql, write } from "./statement.ts"
import type { Store } from "./Store.ts"
import type { Texts } from "./texts.ts"

export function* recordVerdicts(
  store: Store,
  { place, run }: { readonly place: number; readonly run: number },
  rows: ReadonlyArray<ReadBack | SeenAgain>,
): Sql<void> {
  yield* recordReadBack(store, place, rows.filter((row) => "verdict" in row))
  yield* recordSeenAgain(place, run, rows.filter((row) => "standing" in row))
}

/**
 * Records verdicts inside a transaction. The content of a verified row is deleted, and the digests of its answers go to a separate table. So pages
 * full of content can be reused for the next rows.
 */
function* recordReadBack(store: Store, place: number, rows: ReadonlyArray<ReadBack>): Sql<void> {
  const { texts } = store
  for (const verdict of ["verified", "differing", "missing"] as const) {
    for (const [some, values] of inTens(rows.filter((row) => row.verdict === verdict))) {
      const found = yield* all<readonly [number, Buffer]>(
        `UPDATE row SET verdict = ? FROM (VALUES ${values("(CAST(? AS BLOB))")}) AS v
         WHERE row.id = (SELECT r.id FROM row r WHERE r.place = ? AND r.digest = v.column1) AND state = ${stateCode.imported}
         RETURNING id, digest`,
        [verdictCode[verdict], ...some.map((row) => row.keyDigest), place],
      )
      if (found.length !== some.length) {
        throw new Refusal(Effect.dieMessage("A verdict was to be recorded for a row that was not imported."))
      }
      const ids = new Map(found.map(([id, digest]) => [digest.toString("latin1"), id]))
      const idOf = ({ keyDigest }: ReadBack) => ids.get(keyDigest.toString("latin1")) ?? 0
      const isVerified = verdict === "verified"
      const table = isVerified ? "verified" : "detail"
      const numbers = yield* texts.idsOf(idsIn(some))
      // A missing submission has no answers, and doesn't change what is known about earlier ones.
      yield* write(
        `INSERT INTO ${table} (row, answers) VALUES ${values("(?, ?)")}
         ON CONFLICT (row) DO UPDATE SET answers = coalesce(excluded.answers, ${table}.answers)`,
        some.flatMap((row): ReadonlyArray<Param> => [
          idOf(row),
          row.verdict === "missing" ? null : packAnswers(row.answers, numbers),
        ]),
      )
      if (isVerified) yield* write(`DELETE FROM detail WHERE row IN (${values("?")})`, some.map(idOf))
    }
  }
}

const idsIn = function*(rows: ReadonlyArray<ReadBack>): Iterable<string> {
  for (const { answers } of rows) yield* answers.keys()
}

const hasSent = 1
const hasReturned = 2
const alike = 4

/** The size in bytes of an answer's head, which contains the number of its id, and the flags for its digests. */
const headLength = 5

/**
 * Returns answer digests as bytes, which take an eighth of the space of JSON. Each answer has the number of its id (4 bytes), flags for its digests
 * (1 byte), and each digest preceded by its length. An answer that was returned as sent has one digest.
 */
const packAnswers = (answers: AnswerDigests, numbers: ReadonlyMap<string, number>): Buffer => {
  let length = 0
  for (const { sent, returned } of answers.values()) {
    length += headLength + lengthOf(sent) + (isAlike(sent, returned) ? 0 : lengthOf(returned))
  }
  const bytes = Buffer.allocUnsafe(length)
  let at = 0
  const put = (digest: Buffer) => {
    if (digest.length > 255) throw new Error("An answer's digest is too long.")
    bytes[at] = digest.length
    digest.copy(bytes, at + 1)
    at += 1 + digest.length
  }
  for (const [id, { sent, returned }] of answers) {
    const same = isAlike(sent, returned)
    bytes.writeUInt32LE(numbers.get(id) ?? 0, at)
    bytes[at + 4] = (sent === undefined ? 0 : hasSent) | (returned === undefined ? 0 : hasReturned) | (same ? alike : 0)
    at += headLength
    if (sent !== undefined) put(sent)
    if (returned !== undefined && !same) put(returned)
  }
  return bytes
}

const lengthOf = (digest: Buffer | undefined): number => (digest === undefined ? 0 : 1 + digest.length)

const isAlike = (sent: Buffer | undefined, returned: Buffer | undefined): boolean =>
  sent !== undefined && returned !== undefined && (sent === returned || sent.equals(returned))

export const unpackAnswers = (bytes: Buffer, texts: Texts): AnswerDigests => {
  const answers = new Map<string, AnswerDigest>()
  let at = 0
  const digest = (): Buffer => {
    const length = bytes[at] ?? 0
    at += 1 + length
    return bytes.subarray(at - length, at)
  }
  while (at < bytes.length) {
    const id = texts.textOf(bytes.readUInt32LE(at))
    const flags = bytes[at + 4] ?? 0
    at += headLength
    const sent = (flags & hasSent) === 0 ? undefined : digest()
    const returned = (flags & alike) !== 0 ? sent : (flags & hasReturned) === 0 ? undefined : digest()
    answers.set(id, { sent, returned })
  }
  return answers
}

export const driftCode: { readonly [D in Drifted]: number } = { edited: 0, gone: 1 }

export const driftedOf = (code: number | null): Drifted | undefined =>
  code === null ? undefined : code === driftCode.gone ? "gone" : "edited"

/**
 * Selects drifted rows. Only verified submissions count as drifted. For any other submission, the ledger still contains what was sent, so the verdict shows every change. `CROSS JOIN`, because few rows drift and SQLite would otherwise read every row of the place (400 ms for 200,000).
 */
export const drifting = `FROM drift d CROSS JOIN row t ON t.id = d.row WHERE t.place = ?
  AND t.state = ${stateCode.imported} AND t.verdict = ${verdictCode.verified}`

/** Selects the code under which a differing or missing row is acknowledged, as part of a SELECT with an alias of `row`. */
export const reviewedAs = (alias: string): string =>
  `CASE ${alias}.verdict WHEN ${verdictCode.differing} THEN ${differingCode} ELSE ${missingCode} END`

/** Selects the code under which a drifted row is acknowledged. */
export const driftedAs = `CASE d.standing WHEN ${driftCode.gone} THEN ${goneCode} ELSE ${editedCode} END`

/** Records, inside a transaction, how verified submissions changed. */
function* recordSeenAgain(place: number, run: number, rows: ReadonlyArray<SeenAgain>): Sql<void> {
  for (const { keyDigest, seen, standing } of rows) {
    if (standing === "unchanged") {
      yield* write("DELETE FROM drift WHERE row = (SELECT id FROM row WHERE place = ? AND digest = ?)", [
        place,
        keyDigest,
      ])
    } else {
      yield* write(
        `INSERT INTO drift (row, standing, seen, run)
         SELECT id, ?, ?, ? FROM row WHERE place = ? AND digest = ? AND state = ${stateCode.imported}
         ON CONFLICT (row) DO UPDATE SET standing = excluded.standing, seen = excluded.seen, run = excluded.run`,
        [driftCode[standing], seen, run, place, keyDigest],
      )
    }
  }
}

/**
 * Returns the condition that a person acknowledged a row.
 *
 * @param of the alias of a table with a place and a digest
 * @param content the SQL of what was acknowledged
 * @param code the SQL of the reason: a fate's code, or one for an imported row
 */
export const isAcknowledged = (of: string, content: string, code: number | string): string =>
  `EXISTS (SELECT 1 FROM acknowledged a WHERE a.place = ${of}.place AND a.digest = ${of}.digest AND a.content = ${content} AND a.what = ${code})`

export function* drift(place: number): Sql<Drift> {
  const found = { edited: 0, gone: 0 }
  const acknowledged = { edited: 0, gone: 0 }
  const counts = yield* all<readonly [number, number, number]>(
    `SELECT d.standing, count(*), count(*) FILTER (WHERE ${
      isAcknowledged("t", "d.seen", driftedAs)
    }) ${drifting} GROUP BY d.standing`,
    [place],
  )
  for (const [code, count, seen] of counts) {
    const what = driftedOf(code) ?? "edited"
    found[what] += count
    acknowledged[what] += seen
  }
  return { ...found, acknowledged }
}

/**
 * Records, inside a transaction, that a reconciliation has read all rows up to this one, or everything. The run that started the reconciliation
 * remains recorded.
 */
export function* recordReconciled(place: number, run: number, upTo: number | "through", now: number): Sql<void> {
  if (upTo === "through") yield* write("DELETE FROM reconciliation WHERE place = ?", [place])
  else {
    yield* write(
      `INSERT INTO reconciliation (place, run, after, at) VALUES (?, ?, ?, ?)
       ON CONFLICT (place) DO UPDATE SET after = excluded.after, at = excluded.at`,
      [place, run, upTo, now],
    )
  }
}

export function* reconciliation(place: number): Sql<Reconciliation | undefined> {
  const found = yield* get<readonly [string, number, number]>(
    "SELECT u.name, c.at, c.after FROM reconciliation c JOIN run u ON u.id = c.run WHERE c.place = ?",
    [place],
  )
  if (found === undefined) return undefined
  const [run, at, after] = found
  return { run, at: isoOf(at), after, readBack: yield* countsUpTo(place, after) }
}

function* countsUpTo(place: number, last: number): Sql<VerdictCounts> {
  const counts = { verified: 0, differing: 0, missing: 0, unread: 0 }
  const rows = yield* all<readonly [number, number | null, number]>(
    `SELECT r.verdict, d.standing, count(*) FROM row r NOT INDEXED LEFT JOIN drift d ON d.row = r.id
     WHERE r.place = ? AND r.state = ${stateCode.imported} AND r.id <= ? GROUP BY r.verdict, d.standing`,
    [place, last],
  )
  for (const [code, standing, count] of rows) {
    const verdict = verdictOf(code)
    const drifted = verdict === "verified" ? driftedOf(standing) : undefined
    counts[drifted === undefined ? verdict : drifted === "gone" ? "missing" : "differing"] += count
  }
  return counts
}
