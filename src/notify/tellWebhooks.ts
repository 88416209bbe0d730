import { Effect } from "effect"
import type { WebhookConfig } from "../project/Project.ts"
import type { Notification } from "./Notification.ts"
import { type Patience, postWebhook } from "./postWebhook.ts"

/** Whether a webhook wants to hear of this: of this end, or of something that is newly unlike the runs before. */
const wants = ({ on }: WebhookConfig, { anomalies, event }: Notification): boolean =>
  on.has(event) || (on.has("degraded") && anomalies.some((anomaly) => anomaly.new))

/**
 * Tells all webhooks that want to hear of it, at the same time. One that can't be told, or whose address is missing, is logged: nothing that was imported hangs on it.
 */
export const tellWebhooks = (
  webhooks: ReadonlyArray<WebhookConfig>,
  notification: Notification,
  patience?: Patience,
): Effect.Effect<void> =>
  Effect.forEach(
    webhooks.filter((webhook) => wants(webhook, notification)),
    (webhook) =>
      webhook.address.pipe(
        Effect.flatMap((address) => postWebhook(address, notification, patience)),
        Effect.catchTags({
          WebhookUnreachable: ({ message }) =>
            Effect.logWarning(`${message} The run of ${notification.pipeline} is not affected.`),
          ConfigurationInvalid: ({ diagnostics }) =>
            Effect.logWarning(
              diagnostics.map(({ file, line, message, suggestion }) =>
                `${file}:${line}: ${message} ${suggestion ?? ""}`.trim()
              ).join("\n"),
            ),
        }),
      ),
    { concurrency: "unbounded", discard: true },
  )
