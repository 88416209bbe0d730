import * as Effect from "effect/Effect"
import { acceptWords } from "../domain/acceptance.ts"
import { commandLine } from "../domain/shell.ts"
import { type LedgerError, LedgerRefused } from "./errors.ts"
import type { Asker, Behind } from "./Ledger.ts"
import type { DamagedMark, Mark, MarkedHolder, MarkedServer, Marks, SharedLedger } from "./marks.ts"

const stateOf = (mark: Mark | DamagedMark): string =>
  "damaged" in mark ? `damaged ${mark.damaged}` : `${mark.ledger} ${mark.epoch} ${mark.word} ${mark.upTo}`

/** The marks, and what was read before them. */
export interface Marked {
  readonly marks: ReadonlyArray<Mark | DamagedMark>
  /**
   * The newest holder of a shared ledger that had committed something before the marks were read, but has no mark in the place that hosts share. It
   * wrote its mark before its first commit, so this is not the place that every host uses. A mark among this host's reports does not replace it,
   * because the marks of other hosts may be missing, too.
   */
  readonly unmarked: MarkedHolder | undefined
}

/**
 * Returns what a ledger lacks, or undefined if it has everything that its marks record. Read the marks before the transaction that calls this
 * function. A commit precedes its mark, so a ledger that is being written is never behind.
 *
 * @param ledger.before ids of the ledgers whose rows this one took over, with their holders
 * @param held each epoch's word, and how many of its commits the ledger has
 */
export const behind = (
  ledger: {
    readonly id: string
    readonly before: ReadonlyArray<string>
    readonly marks: Pick<Marks, "ledger" | "shared">
  },
  { marks, unmarked }: Marked,
  held: ReadonlyMap<number, { readonly word: string; readonly upTo: number }>,
): Behind | undefined => {
  const { before, id, marks: { ledger: name, shared } } = ledger
  const unmet = marks.flatMap((mark): ReadonlyArray<{ readonly mark: typeof mark; readonly wrong: string }> => {
    if ("damaged" in mark) return [{ mark, wrong: `The mark ${mark.damaged} of the ledger ${name} is damaged` }]
    if (mark.ledger !== id && !before.includes(mark.ledger)) {
      return [{ mark, wrong: `The ledger ${name} is not the one that earlier runs wrote${orOtherProject(shared)}` }]
    }
    const had = held.get(mark.epoch)
    if (had?.word !== mark.word) {
      return [{
        mark,
        wrong: `The ledger ${name} is an older copy: it lacks everything that was written after the copy was made`,
      }]
    }
    return had.upTo >= mark.upTo ? [] : [{
      mark,
      wrong: `The ledger ${name} lacks ${
        mark.upTo - had.upTo
      } of ${mark.upTo} commits of the run that wrote it: the last writes were lost or damaged, or it is an older copy`,
    }]
  })
  const [first] = unmet
  if (first !== undefined) {
    const moved = movedServer(ledger, marks)
    return {
      wrong: moved === undefined ? first.wrong : `${first.wrong}. ${moved}`,
      advice: shared === undefined ? adviceForFile : adviceForServer,
      states: unmet.map(({ mark }) => stateOf(mark)),
    }
  }
  return unmarked === undefined || shared?.place === undefined ? undefined : {
    wrong: `A run that wrote to the ledger ${name} has no mark in ${shared.place}`,
    advice: "So this host does not use the place to which other hosts write their marks, or the mark was lost. "
      + "If the ledger lost rows, no run here would notice it. Nothing was sent. "
      + "Correct `ledger.marks`, so that every host uses the same place. If only the mark was lost, the ledger itself may be complete.",
    states: [`unmarked ${id} ${unmarked.epoch} ${unmarked.word}`],
  }
}

/** Returns what marks of a different ledger may also mean, if several projects can use their place. */
const orOtherProject = (shared: Pick<SharedLedger, "place"> | undefined): string =>
  shared?.place === undefined
    ? ""
    : `, or another project also uses the place of its marks, ${shared.place}: each project needs a place of its own`

/**
 * Returns a sentence without its full stop if the ledger's server is not the one that the newest mark names. Undefined if it is, or if that is
 * unknown.
 */
export const movedServer = (
  { id, marks: { shared } }: { readonly id: string; readonly marks: Pick<Marks, "shared"> },
  marks: Marked["marks"],
): string | undefined => {
  const now = shared?.server()
  const then = marks
    .flatMap((mark) => "upTo" in mark && mark.ledger === id && mark.server !== undefined ? [mark] : [])
    .reduce<Mark | undefined>((last, mark) => last === undefined || last.epoch < mark.epoch ? mark : last, undefined)
    ?.server
  if (now === undefined || then === undefined) return undefined
  if (now.system === then.system && now.timeline === then.timeline) return undefined
  const inWords = ({ position, system, timeline }: MarkedServer) =>
    `${system}, timeline ${timeline}, position ${position}`
  return `Its server was replaced, or is a copy that was promoted: the newest mark names the server ${
    inWords(then)
  }, and this one is ${inWords(now)}`
}

const adviceForFile =
  "Rows that were already imported would be imported again. Nothing was sent. Restore the newest ledger, with its .key file and every other file whose name begins with the ledger's name. If it is lost, docs/maintain.md says how to continue without it."

const adviceForServer =
  "Rows that were already imported would be imported again. Nothing was sent. Connect to the server that has the newest ledger, or restore the newest backup of it. If it is lost, docs/maintain.md says how to continue without it."

/** Returns what is wrong if the ledger is missing. Undefined if no mark shows that there was one. */
export const missing = (
  { ledger, read, shared }: Pick<Marks, "ledger" | "read"> & {
    readonly shared: Pick<SharedLedger, "place"> | undefined
  },
): Effect.Effect<Omit<Behind, "states"> | undefined, LedgerError> =>
  Effect.map(
    read,
    ([mark]) =>
      mark && {
        wrong: `The ledger ${ledger} is missing or empty, but an earlier run wrote to it${orOtherProject(shared)}`,
        advice: shared === undefined ? adviceForFile : adviceForServer,
      },
  )

export const acceptedLedger =
  "Then rows that this ledger lacks count as new: the next run sends them, even if the form already has them."

/** Returns the refusal for a ledger that is not the newest copy. `asker` is undefined if no pipeline is involved. */
export const notNewest = ({ advice, wrong }: Omit<Behind, "states">, asker: Asker | undefined): LedgerRefused => {
  const accept = acceptWords(asker?.pipeline ?? "NAME", "ledger", asker?.target)
  return new LedgerRefused({
    // Accepting the state is not the next command, because it can import rows twice.
    ...(asker === undefined && { next: ["status"] }),
    message: `${wrong}. ${advice} Only if no row can be imported twice, accept this state: ${commandLine(accept)}${
      asker === undefined ? ", for each pipeline NAME" : ""
    }. ${acceptedLedger}`,
  })
}
