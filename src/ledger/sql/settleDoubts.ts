import * as Arr from "effect/Array"
import * as Effect from "effect/Effect"
import type { Settlement } from "../../domain/report.ts"
import { isoOf } from "../../domain/times.ts"
import { fateCode, stateCode } from "../codes.ts"
import type { SettledRow } from "../evidence.ts"
import type { LedgerSession } from "../Ledger.ts"
import { takenSubmissions } from "./evidence.ts"
import { type Created, recordCreated, recordUnsent } from "./outcomes.ts"
import { completeReplacement, openReplacements, undoReplacement } from "./replace.ts"
import { all, each, get, inTens, Refusal, rowsAtOnce, type Sql, write } from "./statement.ts"
import type { Store } from "./Store.ts"
import { ofUndoneRun } from "./undo.ts"

type Settling = Parameters<LedgerSession["settleDoubts"]>[0]

/**
 * Records how rows in doubt are settled. See `LedgerSession.settleDoubts`.
 *
 * @param record runs a program in a transaction
 */
export const settleDoubts = <E>(
  store: Store,
  place: number,
  what: Settling,
  record: <A>(program: () => Sql<A>) => Effect.Effect<A, E>,
): Effect.Effect<ReadonlySet<string>, E> =>
  Effect.gen(function*() {
    const [others, landed] = Arr.partition(what.rows, ({ outcome }) => outcome._tag === "Landed")
    const taken = new Set<string>()
    let settlement: number | undefined
    // Landed rows first: if this ends early, no row may be sent while a submission that fits it belongs to no row yet.
    for (const rows of Arr.chunksOf([...landed, ...others], rowsAtOnce)) {
      const earlier = settlement
      const recorded = yield* record(() => settleSome(store, place, { ...what, rows }, earlier))
      settlement = recorded.settlement
      for (const id of recorded.taken) taken.add(id)
    }
    return taken
  })

/**
 * Records, inside a transaction, how rows in doubt are settled. Rows that landed become imported and unread. The other rows become not created,
 * or undone if a person undid the run that sent them. A row stays in doubt if a different row got its submission meanwhile, since several pipelines may import into one form. Returns these submissions.
 * Throws without recording anything if a row is not in doubt.
 *
 * @param settlement the settlement to which earlier transactions have added rows. Undefined: these are its first rows
 */
function* settleSome(
  store: Store,
  place: number,
  { because, by, file, rows: all }: Settling,
  settlement: number | undefined,
): Sql<{ readonly taken: ReadonlySet<string>; readonly settlement: number | undefined }> {
  const taken = yield* takenSubmissions(
    place,
    all.flatMap(({ outcome }) => outcome._tag === "Landed" ? outcome.submissionId ?? [] : []),
  )
  const rows = all.filter(({ outcome }) =>
    outcome._tag === "NotLanded" || outcome.submissionId === undefined || !taken.has(outcome.submissionId)
  )
  if (rows.length === 0) return { taken, settlement }
  const [id = 0] = settlement === undefined
    ? (yield* get<readonly [number]>(
      "INSERT INTO settlement (place, at, by, because, file, sha256, complete) VALUES (?, ?, ?, ?, ?, ?, ?) RETURNING id",
      [
        place,
        yield* store.now(),
        by,
        because ?? null,
        file?.name ?? null,
        file?.sha256 ?? null,
        file?.isComplete === true ? 1 : 0,
      ],
    )) ?? []
    : [settlement]
  const found = (yield* each<readonly [number, number, number, number | null]>(
    `SELECT r.id, d.batch, ${ofUndoneRun}, (SELECT 1 FROM replaced p WHERE p.row = r.id AND p.at IS NULL LIMIT 1)
     FROM row r JOIN doubt d ON d.row = r.id JOIN batch b ON b.id = d.batch
     WHERE r.place = ? AND r.digest = ? AND r.state = ${stateCode.inDoubt}`,
    rows.map(({ keyDigest }) => [place, keyDigest]),
  )).flat()
  if (found.length < rows.length) {
    throw new Refusal(Effect.dieMessage("A row that is not in doubt was to be settled."))
  }
  const replacements = yield* openReplacements(
    "row",
    found.flatMap(([row, , , isReplaced]) => (isReplaced === 1 ? [row] : [])),
  )
  const created: Array<Created> = []
  const notCreated: Array<number> = []
  const undone: Array<number> = []
  for (const [at, { outcome }] of rows.entries()) {
    const [row = 0, batch = 0, isUndone] = found[at] ?? []
    const replacement = replacements.get(row)
    if (outcome._tag === "Landed") {
      created.push({ row, submissionId: outcome.submissionId })
      yield* write("UPDATE batch SET imported = imported + 1 WHERE id = ?", [batch])
    } else if (replacement === undefined || isUndone === 1) {
      ;(isUndone === 1 ? undone : notCreated).push(row)
    }
    if (replacement === undefined) continue
    // If the row's run was undone, the earlier submission remains, but the changed row must not be imported again.
    const isCompleted = outcome._tag === "Landed" || isUndone === 1
    yield* isCompleted ? completeReplacement(store, replacement) : undoReplacement(replacement)
  }
  yield* recordCreated(created)
  yield* recordUnsent(stateCode.notCreated, notCreated)
  yield* recordUnsent(stateCode.undone, undone)
  yield* endDoubts(place, id, rows.map((row, at) => ({ ...row, found: found[at] ?? [0, 0] })))
  return { taken, settlement: id }
}

/** @param rows the rows, each with its number and its batch in the ledger */
function* endDoubts(
  place: number,
  settlement: number,
  rows: ReadonlyArray<
    SettledRow & { readonly found: readonly [row: number, batch: number, ...unknown: ReadonlyArray<unknown>] }
  >,
): Sql<void> {
  for (const [some, values] of inTens(rows)) {
    yield* write(`DELETE FROM doubt WHERE row IN (${values("?")})`, some.map(({ found: [row] }) => row))
    // The acknowledgement covered this doubt only. If the row is ever in doubt again, a person must review it again.
    yield* write(`DELETE FROM acknowledged WHERE place = ? AND what = ? AND digest IN (${values("?")})`, [
      place,
      fateCode.inDoubt,
      ...some.map(({ keyDigest }) => keyDigest),
    ])
    yield* write(
      `INSERT INTO settled (settlement, row, batch, landed, submission, reason, proof) VALUES ${
        values("(?, ?, ?, ?, ?, ?, ?)")
      }`,
      some.flatMap(({ found: [row, batch], outcome, proof, reason }) => {
        const [landed, submission] = outcome._tag === "Landed" ? [1, outcome.submissionId ?? null] : [0, null]
        return [settlement, row, batch, landed, submission, reason, proof]
      }),
    )
  }
}

type SettlementColumns = readonly [
  at: number,
  by: string,
  because: string | null,
  file: string | null,
  sha256: string | null,
  complete: number,
  landed: number,
  notLanded: number,
]

export function* settlements(place: number, limit: number): Sql<ReadonlyArray<Settlement>> {
  return (yield* all<SettlementColumns>(
    `SELECT t.at, t.by, t.because, t.file, t.sha256, t.complete, coalesce(sum(s.landed), 0), coalesce(sum(1 - s.landed), 0)
     FROM settlement t JOIN settled s ON s.settlement = t.id WHERE t.place = ? GROUP BY t.id ORDER BY t.id DESC LIMIT ?`,
    [place, limit],
  )).map(([at, by, because, file, sha256, complete, landed, notLanded]) => ({
    at: isoOf(at),
    by,
    because: because ?? undefined,
    file: file === null ? undefined : { name: file, sha256: sha256 ?? "", isComplete: complete === 1 },
    landed,
    notLanded,
  }))
}
