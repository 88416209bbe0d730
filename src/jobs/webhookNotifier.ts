import { type Context, Effect } from "effect"
import { existsSync } from "node:fs"
import type { Anomaly, RunReport } from "../domain/report.ts"
import { openLedger } from "../ledger/openLedger.ts"
import { failed, reported } from "../notify/Notification.ts"
import { unreportedAnomalies } from "../notify/unreportedAnomalies.ts"
import { notifyWebhook, type Patience } from "../notify/webhook.ts"
import type { Project, WebhookConfig } from "../project/Project.ts"
import { historyOf } from "../run/history.ts"
import type { Notifier } from "./Notifier.ts"
import { ledgerOf, serviceAddress } from "./projectLedger.ts"

/**
 * Tells the project's webhooks. A dry run and a rehearsal tell nobody: somebody sits in front of them, and nothing was written.
 *
 * @param patience how long each is tried
 */
export const webhookNotifier = (patience?: Patience): Context.Tag.Service<typeof Notifier> => ({
  notify: (project, end, anomalies) => {
    if (end._tag === "Failed") {
      return Effect.forEach(project.notify, (webhook) => notifyWebhook(webhook, failed(end), patience), all)
    }
    const { report } = end
    if (report.mode === "dry-run" || report.mode === "rehearsal") return Effect.void
    const remembering = project.notify.filter(({ on }) => on.has("degraded"))
    const others = project.notify.filter((webhook) => !remembering.includes(webhook))
    const plainly = (webhooks: ReadonlyArray<WebhookConfig>) =>
      Effect.forEach(webhooks, (webhook) => notifyWebhook(webhook, reported(report, asFresh(anomalies)), patience), all)
    // A ledger that is not there is not made, nor looked for twice.
    if (remembering.length === 0 || !existsSync(project.ledger)) return plainly(project.notify)
    return Effect.zip(
      plainly(others),
      remembered(project, remembering, report, anomalies, patience).pipe(
        Effect.catchAll((error) =>
          Effect.zipRight(
            Effect.logWarning(`What webhooks were told can't be looked up: ${error.message}`),
            plainly(remembering),
          )
        ),
      ),
      { concurrent: true },
    ).pipe(Effect.asVoid)
  },
})

const all = { concurrency: "unbounded", discard: true } as const

const asFresh = (anomalies: ReadonlyArray<Anomaly>) =>
  anomalies.map(({ code, fresh, sentence }) => ({ code, message: sentence, new: fresh }))

/** Tells webhooks what each of them has not been told yet, and writes down what it knows now. */
const remembered = (
  project: Project,
  webhooks: ReadonlyArray<WebhookConfig>,
  report: RunReport,
  anomalies: ReadonlyArray<Anomaly>,
  patience: Patience | undefined,
) =>
  Effect.scoped(Effect.gen(function*() {
    const ledger = yield* openLedger(ledgerOf(project))
    const at = {
      pipeline: report.pipeline,
      destination: { service: serviceAddress(project, report.form.service), form: report.form.id },
    }
    const view = ledger.view(at)
    const history = yield* historyOf(view, "")
    const own = history.find(({ run }) => run === report.run)
    const before = history.filter(({ run }) => run !== report.run)
    yield* Effect.forEach(webhooks, ({ name, ...webhook }) =>
      Effect.gen(function*() {
        const news = unreportedAnomalies(yield* view.notified(name), before, { anomalies, whole: own?.whole ?? false })
        if (yield* notifyWebhook({ name, ...webhook }, reported(report, news.anomalies), patience)) {
          // A reconciliation is no run that could be unusual: what is known ends with the last one that was.
          yield* view.recordNotified(name, { codes: news.codes, run: history[0]?.run ?? report.run })
        }
      }), all)
  }))
