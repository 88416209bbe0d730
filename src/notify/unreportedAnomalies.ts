import type { AnomalyCode, RunFacts } from "../domain/anomaly.ts"
import type { Anomaly } from "../domain/report.ts"
import type { Notified } from "../ledger/facts.ts"
import type { Notification } from "./Notification.ts"

/**
 * Finds the anomalies of a run that a webhook has not received. They began with this run, or with an earlier one that
 * could not be reported because formferry or the webhook was down. An anomaly that lasts is new only once. If it clears
 * and recurs, it is new again.
 *
 * @param before what the webhook received last. Undefined if it has received nothing yet
 * @param history runs before this one, newest first
 * @param now.whole whether the run read its source to the end. Otherwise it neither shows nor clears an anomaly
 * @returns the anomalies to report, and the codes to keep as `before`
 */
export const unreportedAnomalies = (
  before: Notified | undefined,
  history: ReadonlyArray<RunFacts>,
  now: { readonly anomalies: ReadonlyArray<Anomaly>; readonly whole: boolean },
): { readonly anomalies: Notification["anomalies"]; readonly codes: ReadonlyArray<string> } => {
  const at = before === undefined ? 0 : history.findIndex(({ run }) => run === before.run)
  const between = at < 0 ? [] : history.slice(0, at).filter((one) => one.whole).toReversed()
  const missed = new Map<AnomalyCode, string>()
  let known = new Set(before?.codes)
  for (const { anomalies, run } of between) {
    for (const code of anomalies) if (!known.has(code)) missed.set(code, run)
    known = new Set(anomalies)
  }
  const current = now.anomalies.map(({ code, sentence }) => {
    const isNew = !known.has(code) || missed.has(code)
    missed.delete(code)
    return { code, message: sentence, new: isNew }
  })
  const late = [...missed].map(([code, run]) => ({
    code,
    message:
      `Run ${run} differed from earlier runs (${code}), but that could not be reported then. Its report has the details.`,
    new: true,
  }))
  return { anomalies: [...current, ...late], codes: now.whole ? now.anomalies.map(({ code }) => code) : [...known] }
}
