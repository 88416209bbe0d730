import * as Effect from "effect/Effect"
import { behind, type Marked, notNewest } from "../behind.ts"
import { atStart, LedgerError, type LedgerRefused } from "../errors.ts"
import type { Asker, Behind } from "../Ledger.ts"
import { holderName, type MarkedHolder } from "../marks.ts"
import { movingOf } from "./closing.ts"
import { isAccepted } from "./facts.ts"
import { all, ofIds, Refusal, type Sql } from "./statement.ts"
import { refusedIf, type Store } from "./Store.ts"

/** Reads the ledger's marks. Read them before the transaction that compares them. */
export const readMarked = ({ file, id, marks, read }: Store): Effect.Effect<Marked, LedgerError> =>
  atStart(Effect.gen(function*() {
    const { shared } = marks
    const committed = shared?.place === undefined ? [] : yield* read("reading its holders", () => committedSince(id))
    const marked = new Set(
      shared === undefined || committed.length === 0 ? [] : yield* Effect.tryPromise({
        try: shared.holders,
        catch: (cause) => new LedgerError({ file, doing: "reading its marks", cause }),
      }),
    )
    return { unmarked: committed.find((one) => !marked.has(holderName(one))), marks: yield* marks.read }
  }))

/**
 * Returns the holders that have committed something, newest first. If the ledger was moved, returns those since then: the marks of earlier ones are
 * where the old ledger had its marks.
 */
function* committedSince(ledger: string): Sql<ReadonlyArray<MarkedHolder>> {
  return (yield* all<readonly [number, string]>(
    `SELECT epoch, word FROM holder WHERE upTo > 0 AND epoch >= coalesce((SELECT epoch FROM holder WHERE word = ?), 0)
     ORDER BY epoch DESC`,
    [ledger],
  )).map(([epoch, word]) => ({ ledger, epoch, word }))
}

/** Returns those holders that the ledger doesn't have. They are named as the names of marks do. */
export function* lackedOf(ledger: string, holders: ReadonlyArray<string>): Sql<ReadonlyArray<string>> {
  const epochs = holders.map((name) => Number(name.split("-")[1]))
  const found = yield* ofIds<readonly [number, string]>("SELECT epoch, word FROM holder", "epoch", epochs)
  const own = new Set(found.map(([epoch, word]) => holderName({ ledger, epoch, word })))
  return holders.filter((name) => !own.has(name))
}

/** Returns what the ledger lacks according to these marks, or undefined if it is the newest copy. */
export function* lacking(store: Store, marked: Marked): Sql<Behind | undefined> {
  const epochs = marked.marks.flatMap((mark) => "epoch" in mark ? [mark.epoch] : [])
  const found = yield* ofIds<readonly [number, string, number]>("SELECT epoch, word, upTo FROM holder", "epoch", epochs)
  const { before } = yield* movingOf()
  return behind({ ...store, before }, marked, new Map(found.map(([epoch, word, upTo]) => [epoch, { word, upTo }])))
}

/**
 * Returns a refusal if the ledger is not the newest copy. Undefined if it is the newest, or if a person has accepted its present state.
 *
 * @param marked read before the transaction
 * @param about.where the place at which a person must have accepted the state, or undefined if the ledger does not know the place yet
 * @param about.overruling states that a person accepts now
 */
export function* notNewestAt(store: Store, marked: Marked, about: {
  readonly asker: Asker | undefined
  readonly where: number | "anywhere" | undefined
  readonly overruling?: ReadonlyArray<string>
}): Sql<LedgerRefused | undefined> {
  const found = yield* lacking(store, marked)
  if (found === undefined) return undefined
  const left = found.states.filter((state) => about.overruling?.includes(state) !== true)
  if (left.length === 0 || (about.where !== undefined && (yield* isAccepted(about.where, "ledger", left)))) {
    return undefined
  }
  return notNewest(found, about.asker)
}

/** Throws a Refusal if the ledger is not the newest copy. For use inside a transaction. */
export function* mustBeNewest(...[store, marks, about]: Parameters<typeof notNewestAt>): Sql<void> {
  const refused = yield* notNewestAt(store, marks, about)
  if (refused !== undefined) throw new Refusal(refused)
}

/** Fails if the ledger is not the newest copy. For use between transactions. */
export const isNewest = (
  store: Store,
  about: {
    readonly asker: Asker | undefined
    readonly where: () => Sql<number | "anywhere" | undefined>
    readonly overruling?: ReadonlyArray<string>
  },
): Effect.Effect<void, LedgerRefused | LedgerError> =>
  Effect.flatMap(readMarked(store), (marks) =>
    refusedIf(store, "reading its marks", function*() {
      return yield* notNewestAt(store, marks, { ...about, where: yield* about.where() })
    }))
