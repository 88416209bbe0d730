import type { Anomaly, AnomalyCode, RunFacts } from "../domain/anomaly.ts"
import type { Notification } from "./Notification.ts"

/** What a webhook was told last: what was unusual then, and the run. */
export interface ToldBefore {
  readonly codes: ReadonlyArray<string>
  readonly run: string
}

export interface Untold {
  readonly anomalies: Notification["anomalies"]
  /** What it knows of once it was told. */
  readonly codes: ReadonlyArray<string>
}

/**
 * What of a run a webhook has not been told: what began with this run, or with one of which it could not be told, because formferry or the webhook was down. What lasts is told once; what was gone and
 * came back is told again.
 *
 * @param before undefined: it was never told anything
 * @param history runs before this one, the newest first
 * @param whole whether the run read its source to the end: else it shows nothing, and ends nothing
 */
export const untold = (
  before: ToldBefore | undefined,
  history: ReadonlyArray<RunFacts>,
  now: { readonly anomalies: ReadonlyArray<Anomaly>; readonly whole: boolean },
): Untold => {
  const at = before === undefined ? 0 : history.findIndex(({ run }) => run === before.run)
  const between = at < 0 ? [] : history.slice(0, at).filter((one) => one.whole).toReversed()
  const missed = new Map<AnomalyCode, string>()
  let known = new Set(before?.codes)
  for (const { anomalies, run } of between) {
    for (const code of anomalies) if (!known.has(code)) missed.set(code, run)
    known = new Set(anomalies)
  }
  const current = now.anomalies.map(({ code, sentence }) => {
    const news = !known.has(code) || missed.has(code)
    missed.delete(code)
    return { code, message: sentence, new: news }
  })
  const late = [...missed].map(([code, run]) => ({
    code,
    message: `Run ${run} was unlike those before it (${code}), and this could not be told then; its report says more.`,
    new: true,
  }))
  return { anomalies: [...current, ...late], codes: now.whole ? now.anomalies.map(({ code }) => code) : [...known] }
}
