import * as Effect from "effect/Effect"
import type { Asker, Behind, LedgerError, LedgerRefused } from "../Ledger.ts"
import { behind, type DamagedMark, type Mark, notNewest, readMarks } from "../marks.ts"
import { Refusal } from "../sql/Refusal.ts"
import { isAccepted } from "./facts.ts"
import { reading, type Store } from "./Store.ts"

/** Returns what the ledger lacks according to these marks, or undefined if it is the newest copy. */
export const lacking = (store: Store, marks: ReadonlyArray<Mark | DamagedMark>): Behind | undefined =>
  behind(store, marks, (epoch) => {
    const held = store.db.get<readonly [string, number]>("SELECT word, upTo FROM holder WHERE epoch = ?", [epoch])
    return held && { word: held[0], upTo: held[1] }
  })

/**
 * Returns a refusal if the ledger is not the newest copy. Undefined if it is the newest, or if a person has accepted its present state.
 *
 * @param marks read before the transaction
 * @param about.where the place at which a person must have accepted the state, or undefined if the ledger does not know the place yet
 * @param about.overruling states that a person accepts now
 */
export const notNewestAt = (
  store: Store,
  marks: ReadonlyArray<Mark | DamagedMark>,
  about: {
    readonly asker: Asker | undefined
    readonly where: number | "anywhere" | undefined
    readonly overruling?: ReadonlyArray<string>
  },
): LedgerRefused | undefined => {
  const found = lacking(store, marks)
  if (found === undefined) return undefined
  const left = found.states.filter((state) => about.overruling?.includes(state) !== true)
  if (left.length === 0 || (about.where !== undefined && isAccepted(store.db, about.where, "ledger", left))) {
    return undefined
  }
  return notNewest(found.wrong, about.asker)
}

/** Throws a Refusal if the ledger is not the newest copy. For use inside a transaction. */
export const mustBeNewest = (...[store, marks, about]: Parameters<typeof notNewestAt>): void => {
  const refused = notNewestAt(store, marks, about)
  if (refused !== undefined) throw new Refusal(Effect.fail(refused))
}

/** Fails if the ledger is not the newest copy. For use between transactions. */
export const isNewest = (
  store: Store,
  about: () => Parameters<typeof notNewestAt>[2],
): Effect.Effect<void, LedgerRefused | LedgerError> =>
  Effect.flatMap(
    reading(store, "reading its marks", () => notNewestAt(store, readMarks(store.marks), about())),
    (refused) => refused ?? Effect.void,
  )
