import type { Context } from "effect"
import { Effect } from "effect"
import { failed, reported } from "../notify/notificationOf.ts"
import { tellWebhooks } from "../notify/tellWebhooks.ts"
import type { Notifier } from "./Notifier.ts"

/** Tells the project's webhooks. A dry run and a rehearsal tell nobody: somebody sits in front of them, and nothing was written. */
export const webhookNotifier: Context.Tag.Service<typeof Notifier> = {
  notify: (project, end, anomalies) => {
    if (end._tag === "Failed") return tellWebhooks(project.notify, failed(end))
    const { mode } = end.report
    return mode === "dry-run" || mode === "rehearsal"
      ? Effect.void
      : tellWebhooks(project.notify, reported(end.report, anomalies))
  },
}
