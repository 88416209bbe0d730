import { Effect } from "effect"
import type { WebhookConfig } from "../project/Project.ts"
import type { Notification } from "./Notification.ts"
import { type Patience, postWebhook } from "./postWebhook.ts"

/** Whether a webhook wants to hear of this: of this end, or of something that is newly unlike the runs before. */
const wants = ({ on }: WebhookConfig, { anomalies, event }: Notification): boolean =>
  on.has(event) || (on.has("degraded") && anomalies.some((anomaly) => anomaly.new))

/**
 * Tells a webhook what it wants to hear. One that can't be told, or whose address is missing, is logged: nothing that was imported hangs on it.
 *
 * @returns false: it wanted to hear of it and could not be told
 */
export const tellWebhook = (
  webhook: WebhookConfig,
  notification: Notification,
  patience?: Patience,
): Effect.Effect<boolean> =>
  !wants(webhook, notification) ? Effect.succeed(true) : webhook.address.pipe(
    Effect.flatMap((address) => postWebhook(address, notification, patience)),
    Effect.as(true),
    Effect.catchTags({
      WebhookUnreachable: ({ message }) =>
        Effect.as(Effect.logWarning(`${message} The run of ${notification.pipeline} is not affected.`), false),
      ConfigurationInvalid: ({ diagnostics }) =>
        Effect.as(
          Effect.logWarning(
            diagnostics.map(({ file, line, message, suggestion }) =>
              `${file}:${line}: ${message} ${suggestion ?? ""}`.trim()
            ).join("\n"),
          ),
          false,
        ),
    }),
  )
