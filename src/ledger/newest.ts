import { Effect } from "effect"
import { acceptCommand } from "../domain/acceptance.ts"
import { isAccepted } from "./accepted.ts"
import type { Database } from "./database.ts"
import { type LedgerError, LedgerRefused } from "./Ledger.ts"
import { type DamagedMark, type Mark, type MarkPlaces, readMarks } from "./marks.ts"
import type { Behind } from "./records.ts"
import { type Asker, reading, type Store } from "./Store.ts"
import { Refusal } from "./Writer.ts"

const stateOf = (mark: Mark | DamagedMark): string =>
  "damaged" in mark ? `damaged ${mark.damaged}` : `${mark.ledger} ${mark.epoch} ${mark.word} ${mark.upTo}`

type Holder = readonly [word: string, upTo: number]

/**
 * Returns what a ledger lacks, or undefined if it has all that its marks say. Read the marks before the transaction in which this looks: a commit comes before its mark, so a ledger that others are writing is
 * never behind.
 */
export const behind = (
  db: Database,
  { id, marks: { ledger: file } }: Pick<Store, "id" | "marks">,
  marks: ReadonlyArray<Mark | DamagedMark>,
): Behind | undefined => {
  const unmet = marks.flatMap((mark): ReadonlyArray<{ readonly mark: typeof mark; readonly wrong: string }> => {
    if ("damaged" in mark) return [{ mark, wrong: `The mark ${mark.damaged} of the ledger ${file} is damaged` }]
    if (mark.ledger !== id) return [{ mark, wrong: `The ledger ${file} is not the one that was written before` }]
    const held = db.get<Holder>("SELECT word, upTo FROM holder WHERE epoch = ?", [mark.epoch])
    if (held?.[0] !== mark.word) {
      return [{ mark, wrong: `The ledger ${file} is an older copy: it lacks what was written after it was copied` }]
    }
    return held[1] >= mark.upTo ? [] : [{
      mark,
      wrong: `The ledger ${file} lacks ${
        mark.upTo - held[1]
      } of ${mark.upTo} commits of the run that wrote it: its log (${file}-wal) was lost or damaged, or it is an older copy`,
    }]
  })
  const [first] = unmet
  return first && { wrong: first.wrong, states: unmet.map(({ mark }) => stateOf(mark)) }
}

/** Returns what is wrong if there is no ledger: undefined if no mark says that there was one. */
export const missing = (places: MarkPlaces): string | undefined => {
  const [mark] = readMarks(places)
  return mark === undefined
    ? undefined
    : `The ledger ${places.ledger} is missing or empty, and a run has written it before`
}

/** Returns the refusal of a ledger that is not the newest. `asker`: undefined if no pipeline asks. */
export const notNewest = (wrong: string, asker: Asker | undefined): LedgerRefused => {
  const command = acceptCommand(asker?.pipeline ?? "NAME", "ledger", asker?.target)
  return new LedgerRefused({
    message: `${wrong}. Rows that were already imported would be imported again. Nothing was sent. `
      + "Put the newest ledger back, with its .key file and its -wal file if it has one. "
      + `If it is lost, docs/in-doubt.md says how to continue without it. If no row is imported twice, accept this state: ${command}${
        asker === undefined ? ", for each pipeline NAME" : ""
      }.`,
  })
}

/**
 * Returns the refusal of a ledger that is not the newest, or undefined if it is, or if a person has accepted it as it is.
 *
 * @param marks read before the transaction
 * @param about.where the place where it must be accepted; undefined: at a place that the ledger does not know
 * @param about.overruling states that a person accepts at this moment
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
  const { db } = store
  const found = behind(db, store, marks)
  if (found === undefined) return undefined
  const left = found.states.filter((state) => about.overruling?.includes(state) !== true)
  if (left.length === 0 || (about.where !== undefined && isAccepted(db, about.where, "ledger", left))) return undefined
  return notNewest(found.wrong, about.asker)
}

/** Throws the same as a Refusal, inside a transaction. */
export const mustBeNewest = (...[store, marks, about]: Parameters<typeof notNewestAt>): void => {
  const refused = notNewestAt(store, marks, about)
  if (refused !== undefined) throw new Refusal(Effect.fail(refused))
}

/** Fails with the same, between transactions. */
export const isNewest = (
  store: Store,
  about: () => Parameters<typeof notNewestAt>[2],
): Effect.Effect<void, LedgerRefused | LedgerError> =>
  Effect.flatMap(
    reading(store, "reading its marks", () => notNewestAt(store, readMarks(store.marks), about())),
    (refused) => refused ?? Effect.void,
  )
