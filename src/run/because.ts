import type { RequestCounts, RunReport } from "../domain/report.ts"
import { count as grouped, lasting } from "../domain/words.ts"
import type { Drift, Unverified } from "../ledger/records.ts"
import type { StopReason } from "./Stop.ts"

/** Submissions that are not proven and that nobody has acknowledged, over all that the ledger holds here. */
export interface Unproven {
  readonly differing: number
  readonly missing: number
  readonly unread: number
  /** Verified once, and edited or deleted since: what a reconciliation finds. */
  readonly edited: number
  readonly gone: number
}

export const noDrift: Drift = { edited: 0, gone: 0, acknowledged: { edited: 0, gone: 0 } }

/** @param leftUnread submissions of earlier runs that this one did not have to read */
export const unprovenOf = ({ acknowledged, verdicts }: Unverified, drift: Drift, leftUnread: number): Unproven => ({
  differing: verdicts.differing - acknowledged.differing,
  missing: verdicts.missing - acknowledged.missing,
  unread: Math.max(0, verdicts.unread - acknowledged.unread - leftUnread),
  edited: drift.edited - drift.acknowledged.edited,
  gone: drift.gone - drift.acknowledged.gone,
})

/** Submissions that are not proven and that a person has acknowledged. */
export const acknowledgedOf = ({ acknowledged }: Unverified, drift: Drift): number =>
  acknowledged.differing + acknowledged.missing + drift.acknowledged.edited + drift.acknowledged.gone

/** Why a run ended as it did, for people, in sentences. */
export const because = (end: {
  readonly reasons: ReadonlyArray<StopReason>
  readonly holds: boolean
  readonly needed: number
  readonly inDoubt: number
  readonly left: Unproven
  readonly rows: RunReport["rows"]
}): ReadonlyArray<string> => {
  const { differing, edited, gone, missing, unread } = end.left
  const submissions = (many: number) => count(many, "submission", "submissions")
  const was = (many: number) => (many === 1 ? "was" : "were")
  return [
    ...(end.holds
      ? []
      : ["The balance does not hold: this is a fault in formferry. Don't trust this run; please report it."]),
    ...end.reasons.flatMap((reason) => {
      switch (reason._tag) {
        case "Interrupted":
          return [`The run was interrupted (${reason.signal}). What was in flight was finished and recorded.`]
        case "Unconfirmed":
          return [`Writes to ${reason.service} can't be undone, and sending was not confirmed. Nothing was sent.`]
        case "CanaryInDoubt":
          return ["The rows sent first ended in doubt, which proves nothing: the next run tries others."]
        case "Failed":
          return []
        default:
          return [reason.because]
      }
    }),
    ...(end.inDoubt > 0
      ? [`${count(end.inDoubt, "row is", "rows are")} in doubt: sent, and the outcome is not known.`]
      : []),
    ...(differing > 0 ? [`${submissions(differing)} came back different from what was sent.`] : []),
    ...(missing > 0 ? [`${submissions(missing)} can't be found on the service.`] : []),
    ...(edited > 0 ? [`${submissions(edited)} came back as sent once, and ${was(edited)} edited since.`] : []),
    ...(gone > 0 ? [`${submissions(gone)} came back as sent once, and ${was(gone)} deleted since.`] : []),
    ...(unread > 0
      ? [
        `${count(unread, "submission is", "submissions are")} not read back yet: the next run reads them first.`,
      ]
      : []),
    ...(end.needed > 0 ? [`${count(end.needed, "row needs", "rows need")} a person: see rejected.csv.`] : []),
    ...(end.rows.pending > 0 ? [`${count(end.rows.pending, "row is", "rows are")} left for the next run.`] : []),
  ]
}

/** What happened since earlier runs that is no reason for how this one ended. */
export const since = (run: {
  /** The run that it repeats. */
  readonly repeated: string | undefined
  readonly replaced: number
  readonly vanished: RunReport["vanished"]
}): ReadonlyArray<string> => {
  const { repeated, replaced, vanished } = run
  const rows = (many: number) => `${grouped(many)} ${many === 1 ? "row" : "rows"}`
  const fresh = vanished === undefined || vanished.fresh === 0
    ? ""
    : vanished.fresh === vanished.count
    ? ", since the last run"
    : `, ${grouped(vanished.fresh)} of them since the last run`
  return [
    ...(repeated === undefined
      ? []
      : [`Nothing changed since run ${repeated}: the source was not read again.`]),
    ...(replaced === 0
      ? []
      : [`${rows(replaced)} changed and went in again; what they were before stays in the form: see replaced.csv.`]),
    ...(vanished === undefined || vanished.count === 0 ? [] : [
      `${grouped(vanished.count)} of the rows imported earlier ${
        vanished.count === 1 ? "is" : "are"
      } not in the source any more${fresh}${repeated === undefined ? ": see vanished.csv" : ""}.`,
    ]),
  ]
}

/** How long the real run will take at the service's pace, after a rehearsal that made so many requests; nothing where it does not matter. */
export const takes = (requests: RequestCounts, perSecond: number): ReadonlyArray<string> => {
  const all = requests.metadata + requests.create + requests.read
  const millis = (all / perSecond) * 1000
  return millis < 10_000
    ? []
    : [`The run makes about ${grouped(all)} requests: at ${perSecond} a second that takes ${lasting(millis)}.`]
}

export const count = (many: number, one: string, more: string): string => `${many} ${many === 1 ? one : more}`
