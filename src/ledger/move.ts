// Moves a ledger to a different database (docs/decisions/0037-moving-a-ledger.md). Each step can be repeated, and checks the ids of both ledgers in
// its own transaction. So a move that was interrupted at any point continues, and of two moves at the same time at most one finishes.
import * as Effect from "effect/Effect"
import { randomBytes } from "node:crypto"
import { atStart, LedgerError, type LedgerLocked, LedgerRefused } from "./errors.ts"
import { type AnyLedgerOptions, databaseOf } from "./openLedger.ts"
import { closedBecause, type Closing, movingOf } from "./sql/closing.ts"
import { holdersByEpoch, pipelinesOf, takeLock } from "./sql/lock.ts"
import { mustBeNewest, notNewestAt, readMarked } from "./sql/newest.ts"
import { abandon } from "./sql/outcomes.ts"
import { all, exists, numberIn, Refusal, type Sql, write } from "./sql/statement.ts"
import { refusedIf, type Store } from "./sql/Store.ts"
import { addRows, areSame, pageOf, pageSize, type TableRow, tables, tablesWithNul } from "./sql/tables.ts"

export interface Moved {
  /** What messages call the two ledgers. */
  readonly from: string
  readonly to: string
  /** The names of all pipelines in the ledger. */
  readonly pipelines: ReadonlyArray<string>
  /** How many records were copied and compared. */
  readonly records: number
}

type Refusing<A> = Effect.Effect<A, LedgerError | LedgerRefused | LedgerLocked>

const refused = (message: string): LedgerRefused => new LedgerRefused({ message })

/** Throws a Refusal inside a transaction, if there is one. */
const must = (refusal: LedgerRefused | undefined): void => {
  if (refusal !== undefined) throw new Refusal(refusal)
}

/** `meta` describes the ledger itself, so it is not copied. */
const copied = tables.filter(({ name }) => name !== "meta")

/** How many milliseconds the clocks of two ledgers may differ. */
const mostApart = 10_000

/**
 * Moves a ledger, which must exist, to a place without one. Continues a move that was interrupted. Afterwards, only the new ledger can be used. Fails
 * with `LedgerLocked` if a run is in progress, and with `LedgerRefused` if the ledger is not the newest, or if the new place can't be used.
 *
 * @param show is called while records are copied, with their number
 */
export const moveLedger = (
  from: AnyLedgerOptions,
  to: AnyLedgerOptions,
  show: (records: number) => Effect.Effect<void>,
): Refusing<Moved> =>
  Effect.scoped(Effect.gen(function*() {
    const source = databaseOf(from)
    const target = databaseOf({ ...to, isMoved: true, overruling: true })
    const old = yield* atStart(source.open)
    const { before, closing: earlier, id, unfinished } = yield* old.read("opening it", movingOf)
    if (unfinished !== undefined) yield* refusedIf(old, "opening it", () => closedBecause(old))
    yield* target.adopt(yield* source.secret, source.keyAdvice)
    const next = yield* atStart(target.open)
    const there = yield* next.read("opening it", movingOf)
    const pipelines = (yield* old.read("listing its pipelines", pipelinesOf)).map(([pipeline]) => pipeline)
    const result = { from: old.file, to: next.file, pipelines, records: 0 }
    if (earlier?.id === there.id && there.unfinished === undefined) return result
    const mayUse = refusedIf(next, "opening it", () => unusable(old, next, earlier, target.removal))
    const closing = earlier === undefined
      ? yield* Effect.zipRight(mayUse, close(old, next, target.removal)).pipe(
        // If a different process has started the move meanwhile, the new place has its copy, which must not be removed.
        Effect.catchTag("LedgerRefused", (refusal) =>
          Effect.zipRight(refusedIf(old, "opening it", () => closedBecause(old)), refusal)),
      )
      : yield* Effect.as(mayUse, earlier)
    const taken = { ...next, id: closing.id }
    if (there.id === closing.id && there.unfinished === "copied") {
      yield* finish(old, taken, closing)
      return result
    }
    const records = yield* copyAll(old, taken, show)
    yield* taken.writer.write<void, LedgerRefused>("completing it", () =>
      complete(taken, [...before, id]))
    yield* finish(old, taken, closing)
    return { ...result, records }
  }))

/** Opens a ledger again that was closed for a move. Returns false if it was not closed. Fails if everything has been copied. */
export const cancelMove = (from: AnyLedgerOptions): Refusing<boolean> =>
  Effect.scoped(Effect.gen(function*() {
    const old = yield* atStart(databaseOf(from).open)
    return yield* old.writer.write<boolean, LedgerRefused>("cancelling its move", function*() {
      const { closing } = yield* movingOf()
      must(
        closing?.isMoved === true
          ? refused(
            `The ledger ${old.file} was moved to ${closing.name}, so the move can't be cancelled any more. If it has not finished, run: formferry ledger move`,
          )
          : undefined,
      )
      yield* write("DELETE FROM meta WHERE name = 'closed'")
      return closing !== undefined
    })
  }))

/**
 * Returns why the ledger can't be moved to this place.
 *
 * @param closing what the old ledger records if it was closed
 * @param removal how to remove what was copied
 */
function* unusable(
  old: Store,
  next: Store,
  closing: Closing | undefined,
  removal: string,
): Sql<LedgerRefused | undefined> {
  const { id, unfinished } = yield* movingOf()
  if (closing !== undefined && closing.id !== id) {
    return refused(
      `The ledger ${old.file} is being moved to ${closing.name}, but \`newLedger\` is ${next.file}, or the copy there was lost. Nothing was changed. `
        + (closing.isMoved
          ? "Name the right place in `newLedger`. If its ledger was lost, docs/maintain.md says how to continue without it."
          : "Name the right place in `newLedger`, or first cancel that move: formferry ledger move --cancel"),
    )
  }
  if (unfinished === undefined) {
    return refused(
      `${next.file} already contains a ledger, so no other ledger can be moved there. Nothing was changed. Name a place without a ledger in \`newLedger\`.`,
    )
  }
  if (closing !== undefined) return undefined
  for (const { name } of copied) {
    if (!(yield* exists(`SELECT 1 FROM ${name} LIMIT 1`))) continue
    return refused(
      `${next.file} contains the incomplete copy of a move that was cancelled. Nothing was changed. Before you run the command again, remove this copy: ${removal}`,
    )
  }
  return undefined
}

/** Closes the old ledger. Each of its later sessions, turns and writes is refused. */
const close = (old: Store, next: Store, removal: string): Refusing<Closing> =>
  Effect.gen(function*() {
    const anywhere = { asker: undefined, where: "anywhere" } as const
    const marked = yield* readMarked(old)
    yield* refusedIf(old, "reading its marks", () => notNewestAt(old, marked, anywhere))
    const others = { marks: yield* next.marks.read, unmarked: undefined }
    if ((yield* old.read("reading its marks", () => notNewestAt(old, others, anywhere))) !== undefined) {
      return yield* refused(
        `The place for the marks of ${next.file} contains marks of a different ledger. Nothing was changed. Name a place without marks in \`newLedger\`.`,
      )
    }
    const apart = Math.abs(
      (yield* old.read("reading the time", old.now)) - (yield* next.read("reading the time", next.now)),
    )
    if (apart > mostApart) {
      return yield* refused(
        `The clocks of ${old.file} and ${next.file} differ by ${
          Math.round(apart / 1_000)
        } seconds. Times are evidence for rows in doubt, so both ledgers need the right time. Nothing was changed. Set both clocks, then run the command again.`,
      )
    }
    const nul = old.dialect.mayHaveNul ? yield* old.read("looking for texts that can't be moved", tablesWithNul) : []
    if (nul.length > 0) {
      return yield* refused(
        `The ledger ${old.file} contains texts with the character NUL, which no new ledger can store (in ${
          nul.join(", ")
        }). Nothing was changed. This ledger can't be moved.`,
      )
    }
    const closing: Closing = { id: randomBytes(8).toString("hex"), name: next.file, isMoved: false }
    // With a new id, a move that was cancelled but is still in progress can't write to the new ledger any more.
    yield* next.writer.write<void, LedgerRefused>("preparing it", function*() {
      must(yield* unusable(old, next, undefined, removal))
      yield* write("UPDATE meta SET value = ? WHERE name = 'id'", [closing.id])
    })
    yield* old.writer.write<void, LedgerRefused | LedgerLocked>("closing it", function*() {
      must(yield* closedBecause(old))
      yield* mustBeNewest(old, marked, anywhere)
      const holders = yield* holdersByEpoch()
      for (const [pipeline] of yield* pipelinesOf()) {
        const { epoch } = yield* takeLock(old, pipeline)
        yield* abandon(old, pipeline, epoch, holders)
      }
      yield* write("UPDATE lock SET held = 0")
      yield* write("INSERT INTO meta (name, value) VALUES ('closed', ?)", [JSON.stringify(closing)])
    })
    return closing
  })

/** Fails, inside a transaction, if the new ledger is complete, or belongs to a later move. Returns how far it is. */
function* mustBeUnfinished({ file, id }: Store): Sql<"begun" | "copied"> {
  const found = yield* movingOf()
  if (found.id === id && found.unfinished !== undefined) return found.unfinished
  throw new Refusal(refused(`A different process has finished or cancelled the move to ${file}. Nothing was changed.`))
}

/** Copies every table in pages, reads each page back, and compares it. What is already there is only compared. */
const copyAll = (old: Store, taken: Store, show: (records: number) => Effect.Effect<void>): Refusing<number> =>
  Effect.gen(function*() {
    let records = 0
    for (const table of copied) {
      let after: TableRow | undefined
      do {
        const from = after
        const rows = yield* old.read("reading it to move it", () => pageOf(table, from))
        yield* taken.writer.write<void, LedgerRefused>("copying records to it", function*() {
          yield* mustBeUnfinished(taken)
          yield* addRows(table, rows.slice((yield* pageOf(table, from)).length))
        })
        if (!areSame(rows, yield* taken.read("reading what was copied", () => pageOf(table, from)))) {
          const cause = new Error(
            `its table ${table.name} differs from that of ${old.file}. To keep that ledger, run: formferry ledger move --cancel`,
          )
          return yield* new LedgerError({ file: taken.file, doing: "comparing what was copied", cause })
        }
        yield* show(records += rows.length)
        after = rows.length < pageSize ? undefined : rows.at(-1)
      } while (after !== undefined)
    }
    return records
  })

/** Completes the new ledger inside a transaction, with a holder whose mark distinguishes it from the old one. */
function* complete(taken: Store, before: ReadonlyArray<string>): Sql<void> {
  if ((yield* mustBeUnfinished(taken)) === "copied") return
  const last = yield* numberIn("SELECT max(epoch) FROM holder")
  yield* write("INSERT INTO holder (epoch, word, upTo) VALUES (?, ?, 1)", [last + 1, taken.id])
  yield* write("INSERT INTO meta (name, value) VALUES ('before', ?)", [JSON.stringify(before)])
  for (const { isNumbered, name } of copied) {
    const numbering = isNumbered ? taken.dialect.continueNumbers(name) : undefined
    if (numbering !== undefined) yield* all(numbering)
  }
  yield* write("UPDATE meta SET value = 'copied' WHERE name = 'unfinished'")
}

/**
 * Opens the new ledger. Before that, the old one records that it is never opened again, and marks in the places of both ledgers name the new one. So
 * copies of the old ledger are refused.
 */
const finish = (old: Store, taken: Store, closing: Closing): Refusing<void> =>
  Effect.gen(function*() {
    const marked = yield* readMarked(old)
    yield* Effect.try({
      try: () => [old, taken].forEach((one) => one.mustBeSame()),
      catch: (cause) => new LedgerError({ file: taken.file, doing: "completing it", cause }),
    })
    yield* old.writer.write<void, LedgerRefused>("recording its move", function*() {
      const now = (yield* movingOf()).closing
      must(now?.id === closing.id ? undefined : refused(`The move of ${old.file} was cancelled. Nothing was changed.`))
      if (now?.isMoved === true) return
      yield* mustBeNewest(old, marked, { asker: undefined, where: "anywhere" })
      yield* write("UPDATE meta SET value = ? WHERE name = 'closed'", [JSON.stringify({ ...closing, isMoved: true })])
    })
    const epoch = yield* taken.read(
      "completing it",
      () => numberIn("SELECT epoch FROM holder WHERE word = ?", [closing.id]),
    )
    // The new ledger's marks are written last, because only they may name its server.
    for (const { file, holder, marks } of [old, taken]) {
      const mark = marks.of({ ledger: closing.id, epoch, word: closing.id }, holder)
      yield* Effect.ensuring(
        Effect.tryPromise({
          try: async () => mark.write(1),
          catch: (cause) => new LedgerError({ file, doing: "writing marks of its move", cause }),
        }),
        Effect.sync(() => mark.close()),
      )
    }
    yield* taken.writer.write<void, LedgerRefused>("opening it", function*() {
      yield* mustBeUnfinished(taken)
      yield* write("DELETE FROM meta WHERE name = 'unfinished'")
    })
  })
