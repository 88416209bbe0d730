import * as Effect from "effect/Effect"
import type { RunReport } from "../domain/report.ts"
import type { Ledger } from "../ledger/Ledger.ts"
import { type Failed, failed, reported } from "../notify/Notification.ts"
import { unreportedAnomalies } from "../notify/unreportedAnomalies.ts"
import { notifyWebhook, type Patience } from "../notify/webhook.ts"
import type { Project, WebhookConfig } from "../project/Project.ts"
import { historyOf } from "../run/history.ts"
import { openExisting, serviceAddress } from "./projectLedger.ts"

/** How a pipeline's run ended: with a report, or before there was one. */
export type RunEnd =
  | { readonly _tag: "Reported"; readonly pipeline: string; readonly report: RunReport }
  | Failed & {
    readonly _tag: "Failed"
    /** For people. */
    readonly message: string
  }

/**
 * Calls the project's webhooks. Ignores dry runs and rehearsals, because these write nothing and a person starts them.
 *
 * @param patience how long to retry each webhook
 */
export const notifyWebhooks = (project: Project, end: RunEnd, patience?: Patience): Effect.Effect<void> => {
  if (end._tag === "Failed") {
    return Effect.forEach(project.notify, (webhook) => notifyWebhook(webhook, failed(end), patience), all)
  }
  const { report } = end
  if (report.mode === "dry-run" || report.mode === "rehearsal") return Effect.void
  const degraded = project.notify.filter(({ on }) => on.has("degraded"))
  const others = project.notify.filter((webhook) => !degraded.includes(webhook))
  const anomalies = (report.anomalies ?? []).map(({ code, fresh, sentence }) => ({
    code,
    message: sentence,
    new: fresh,
  }))
  const notifyAll = (webhooks: ReadonlyArray<WebhookConfig>) =>
    Effect.forEach(webhooks, (webhook) => notifyWebhook(webhook, reported(report, anomalies), patience), all)
  if (degraded.length === 0) return notifyAll(project.notify)
  return Effect.zip(
    notifyAll(others),
    openExisting(project).pipe(
      Effect.flatMap((ledger) =>
        ledger === undefined ? notifyAll(degraded) : notifyOfNew(project, ledger, degraded, report, patience)
      ),
      Effect.scoped,
      Effect.catchAll((error) =>
        Effect.zipRight(
          Effect.logWarning(`The record of earlier webhook notifications can't be read: ${error.message}`),
          notifyAll(degraded),
        )
      ),
    ),
    { concurrent: true },
  ).pipe(Effect.asVoid)
}

const all = { concurrency: "unbounded", discard: true } as const

/** Notifies each webhook of the anomalies that were not yet reported to it, and records that. */
const notifyOfNew = (
  project: Project,
  ledger: Ledger,
  webhooks: ReadonlyArray<WebhookConfig>,
  report: RunReport,
  patience: Patience | undefined,
) =>
  Effect.gen(function*() {
    const at = {
      pipeline: report.pipeline,
      destination: { service: serviceAddress(project, report.form.service), form: report.form.id },
    }
    const view = ledger.view(at)
    const history = yield* historyOf(view, "")
    const own = history.find(({ run }) => run === report.run)
    const before = history.filter(({ run }) => run !== report.run)
    yield* Effect.forEach(webhooks, (webhook) =>
      Effect.gen(function*() {
        const news = unreportedAnomalies(yield* view.notified(webhook.name), before, {
          anomalies: report.anomalies ?? [],
          whole: own?.whole ?? false,
        })
        if (yield* notifyWebhook(webhook, reported(report, news.anomalies), patience)) {
          // A reconciliation detects no anomalies, so the record refers to the last run.
          yield* view.recordNotified(webhook.name, { codes: news.codes, run: history[0]?.run ?? report.run })
        }
      }), all)
  })
