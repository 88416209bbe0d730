import { fates, fateWords, type RowCounts, type VerdictCounts, verdicts, verdictWords } from "../domain/fate.ts"
import type { RunReport } from "../domain/report.ts"
import { lasting } from "../domain/times.ts"
import { listed } from "../domain/words.ts"

/** A rehearsal's result, from its report. */
export type Rehearsed = Pick<
  RunReport,
  "run" | "finishedAt" | "sources" | "fingerprints" | "rows" | "readBack" | "outcome"
>

/** The result of a run, for the comparison with its rehearsal. */
export interface AfterRehearsal extends Pick<RunReport, "startedAt" | "sources" | "fingerprints"> {
  readonly rows: RowCounts
  readonly readBack: VerdictCounts
  /** Whether the run reached its end, so that its counts can be compared. */
  readonly whole: boolean
}

/** Returns sentences that compare a run with its rehearsal. */
export const sinceRehearsal = (
  then: Rehearsed,
  now: AfterRehearsal,
): { readonly same: ReadonlyArray<string>; readonly differs: ReadonlyArray<string> } => {
  const ago = Date.parse(now.startedAt) - Date.parse(then.finishedAt)
  const when = `Rehearsed ${ago < 60_000 ? "just before" : `${lasting(ago)} before`} (${then.run})`
  const changed = [
    ...(hashes(then) === hashes(now) ? [] : [sourceChanged(then, now)]),
    ...(then.fingerprints.mapping === now.fingerprints.mapping ? [] : ["the mapping was edited"]),
    ...(then.fingerprints.form === now.fingerprints.form ? [] : ["the form was changed"]),
  ]
  if (changed.length > 0) return { same: [], differs: [`${when}; since then ${listed(changed)}.`] }
  const common = `${when} with the same source, mapping and form`
  // If a rehearsal left rows pending, it says nothing about these.
  if (!now.whole || then.rows.pending > 0) return { same: [`${common}.`], differs: [] }
  const others = [
    ...fates.flatMap((fate) => compared(fateWords[fate].title, then.rows[fate], now.rows[fate])),
    ...verdicts.flatMap((verdict) =>
      compared(verdictWords[verdict].title, then.readBack[verdict], now.readBack[verdict])
    ),
  ]
  return others.length === 0
    ? { same: [`${common}, with the same result.`], differs: [] }
    : { same: [], differs: [`${common}, with a different result: ${listed(others)}.`] }
}

const hashes = ({ sources }: Pick<RunReport, "sources">): string => sources.map(({ sha256 }) => sha256).join(" ")

const rowsOf = ({ sources }: Pick<RunReport, "sources">): number => sources.reduce((sum, { rows }) => sum + rows, 0)

const sourceChanged = (then: Rehearsed, now: AfterRehearsal): string =>
  rowsOf(then) === rowsOf(now)
    ? "the source was changed"
    : `the source was changed (${rowsOf(then)} rows then, ${rowsOf(now)} now)`

const compared = (what: string, then: number, now: number): ReadonlyArray<string> =>
  then === now ? [] : [`${what} ${now} (${then} in the rehearsal)`]
