import { Effect } from "effect"
import { acceptCommand, type AcceptReason } from "../domain/acceptance.ts"
import type { RunFacts } from "../domain/anomaly.ts"
import { count } from "../domain/words.ts"
import type { LedgerError, PipelineLedger } from "../ledger/Ledger.ts"
import type { Source } from "../source/Source.ts"
import { historyOf } from "./history.ts"
import { CurrentRun, RunLedger } from "./RunContext.ts"

/** Sentences about rows that may be in no source that was ever read, until a person accepts them. Any of them ends a run with exit code 1. */
export interface Coverage {
  readonly unreadFiles: string | undefined
  readonly gap: { readonly run: string; readonly sentence: string } | undefined
  /** The reason by which the first of them is accepted. */
  readonly accepts: AcceptReason | undefined
}

export const covered: Coverage = { unreadFiles: undefined, gap: undefined, accepts: undefined }

/** Returns the files that match the source's pattern, that no run has read, and that are not accepted. */
export const unreadFiles = (
  view: Pick<PipelineLedger, "accepted" | "unreadFiles">,
  { matched }: Pick<Source, "matched">,
): Effect.Effect<ReadonlyArray<string>, LedgerError> =>
  Effect.gen(function*() {
    if (matched === undefined) return []
    const now = new Set(matched.read)
    const unread = (yield* view.unreadFiles(matched.all)).filter((name) => !now.has(name))
    return yield* Effect.filter(unread, (name) => Effect.map(view.accepted("files", [name]), (accepted) => !accepted))
  })

/** Returns the run whose source shares no row with the one before it, unless a person has accepted that. */
export const openGap = (
  view: Pick<PipelineLedger, "accepted">,
  history: ReadonlyArray<RunFacts>,
): Effect.Effect<string | undefined, LedgerError> =>
  Effect.gen(function*() {
    const gap = history.find((one) => one.whole)?.gap
    return gap === undefined || (yield* view.accepted("gap", [gap])) ? undefined : gap
  })

/**
 * Whether a source shares no row with the last one that was read, though it should: those before it did, or it is only the second. Exports that hold what is new since the last one
 * never share any, so after one such run was accepted the next ones are as usual.
 *
 * @param history earlier runs, the newest first
 */
const sharesNothing = (run: RunFacts, history: ReadonlyArray<RunFacts>): boolean => {
  // A run that was stopped before it sent anything is not the last source that was read: the next one is compared again.
  if (!run.whole || run.unchanged || run.sent === 0 || run.shared > 0) return false
  const [last, ...before] = history.filter((one) => one.whole && !one.unchanged && one.shared + one.sent > 0)
  return last !== undefined && (last.shared > 0 || before.length === 0)
}

/**
 * Looks for rows that no run may have seen: files that match and were never read, and a gap between the last export and this one.
 *
 * @param run facts of the run that ends
 */
export const coverageOf = (run: RunFacts): Effect.Effect<Coverage, LedgerError, CurrentRun | RunLedger> =>
  Effect.gen(function*() {
    if (!run.whole) return covered
    const { id, pipeline, source, target } = yield* CurrentRun
    const { view } = yield* RunLedger
    const unread = yield* unreadFiles(view, source)
    const history = yield* historyOf(view, id)
    const gap = sharesNothing(run, history) ? run.run : yield* openGap(view, history)
    const isNew = gap === run.run
    return {
      unreadFiles: unread.length === 0
        ? undefined
        : unreadSentence(unread, acceptCommand(pipeline.name, "files", target)),
      gap: gap === undefined ? undefined : {
        run: gap,
        sentence:
          `${
            isNew ? "This source shares" : `The source of run ${gap} shared`
          } no row with the one that was read before it: rows between them may be missing. If so, import an export that has them `
          + `with --source. Then, or if none is missing, accept it: ${acceptCommand(pipeline.name, "gap", target)}.`,
      },
      accepts: unread.length > 0 ? "files" : gap === undefined ? undefined : "gap",
    }
  })

const shown = 5

const unreadSentence = (files: ReadonlyArray<string>, accept: string): string => {
  const named = files.slice(0, shown).join(", ")
    + (files.length > shown ? ` and ${count(files.length - shown)} more` : "")
  return `${
    files.length === 1
      ? "1 file matches the pattern and was"
      : `${count(files.length)} files match the pattern and were`
  } never read: ${named}. If rows are only there, import each with --source. If none is missing, accept it: ${accept}.`
}
