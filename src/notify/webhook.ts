import * as FetchHttpClient from "@effect/platform/FetchHttpClient"
import * as HttpClient from "@effect/platform/HttpClient"
import * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Data from "effect/Data"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Schedule from "effect/Schedule"
import type { WebhookConfig } from "../project/Project.ts"
import { retryAfter } from "../service/rateHeaders.ts"
import { backOff, type RetryPolicy } from "../service/schedules.ts"
import type { Notification } from "./Notification.ts"

/** A webhook can't be reached. The error names only the host, because the rest of the address is secret. */
export class WebhookUnreachable extends Data.TaggedError("WebhookUnreachable")<{
  readonly host: string
  /** The reason, as a part of a sentence. */
  readonly reason: string
  /** Whether a retry may succeed. */
  readonly passing: boolean
  /** How many milliseconds the webhook asks to wait before that. */
  readonly wait: number
}> {
  override get message() {
    return `The webhook at ${this.host} could not be notified: ${this.reason}.`
  }
}

/** The time limits and attempts for a webhook. */
export interface Patience {
  readonly retries: RetryPolicy
  /** The limit for one attempt. */
  readonly timeout: Duration.Duration
  /** The limit for all attempts together. */
  readonly whole: Duration.Duration
}

const usualPatience: Patience = {
  retries: { attempts: 5, base: Duration.seconds(1), max: Duration.seconds(15) },
  timeout: Duration.seconds(10),
  whole: Duration.seconds(60),
}

const isPassing = (status: number): boolean => status === 408 || status === 429 || status >= 500

/**
 * Posts a notification to a webhook. Retries with backoff after a lost connection, a time-out, 408, 429 or 5xx, because a repeated notification is
 * better than none. Waits as long as the webhook asks, unless that is too long. Doesn't follow redirects, which would reveal the address to a different host.
 */
export const postWebhook = (
  address: Redacted.Redacted,
  notification: Notification,
  patience: Patience = usualPatience,
): Effect.Effect<void, WebhookUnreachable> => {
  const url = Redacted.value(address)
  const host = new URL(url).host
  const unreachable = (reason: string, passing: boolean, wait = 0) =>
    new WebhookUnreachable({ host, reason, passing, wait })
  const slow = (time: Duration.Duration) =>
    unreachable(`it did not answer within ${Math.round(Duration.toSeconds(time))} seconds`, true)
  const once = Effect.gen(function*() {
    const client = Context.get(yield* Layer.build(FetchHttpClient.layer), HttpClient.HttpClient)
    const { headers, status } = yield* HttpClientRequest.post(url).pipe(
      HttpClientRequest.bodyUnsafeJson(notification),
      HttpClientRequest.setHeader("user-agent", "formferry"),
      client.execute,
      // The client's own message would contain the address.
      Effect.mapError(() => unreachable("the connection failed", true)),
    )
    if (status >= 200 && status < 300) return
    const wait = retryAfter(headers["retry-after"], yield* Clock.currentTimeMillis) ?? 0
    const redirect = status >= 300 && status < 400 ? ", a redirect, which is not followed" : ""
    const passing = isPassing(status) && wait < Duration.toMillis(patience.whole)
    return yield* unreachable(`it answered ${status}${redirect}`, passing, wait)
  })
  let last: WebhookUnreachable | undefined
  const schedule = Schedule.identity<WebhookUnreachable>().pipe(
    Schedule.intersect(backOff(patience.retries)),
    Schedule.modifyDelay(([error], delay) => Duration.max(delay, error.wait)),
  )
  return once.pipe(
    Effect.scoped,
    Effect.timeoutFail({ duration: patience.timeout, onTimeout: () => slow(patience.timeout) }),
    Effect.tapError((error) => Effect.sync(() => last = error)),
    Effect.retry({ schedule, while: (error) => error.passing }),
    Effect.timeoutFail({ duration: patience.whole, onTimeout: () => last ?? slow(patience.whole) }),
    // The client would write the whole address into a span.
    Effect.withTracerEnabled(false),
    Effect.provideService(FetchHttpClient.RequestInit, { redirect: "manual" }),
  )
}

/** Whether a webhook is configured for this notification: for its event, or for a new anomaly. */
const asksFor = ({ on }: WebhookConfig, { anomalies, event }: Notification): boolean =>
  on.has(event) || (on.has("degraded") && anomalies.some((anomaly) => anomaly.new))

/**
 * Notifies a webhook if it is configured for this notification. If the webhook can't be reached or its address is missing, only logs that, because no
 * import depends on it.
 *
 * @returns false if the webhook should have been notified but was not
 */
export const notifyWebhook = (
  webhook: WebhookConfig,
  notification: Notification,
  patience?: Patience,
): Effect.Effect<boolean> =>
  !asksFor(webhook, notification) ? Effect.succeed(true) : webhook.address.pipe(
    Effect.flatMap((address) => postWebhook(address, notification, patience)),
    Effect.as(true),
    Effect.catchTags({
      WebhookUnreachable: ({ message }) =>
        Effect.as(Effect.logWarning(`${message} The run of ${notification.pipeline} is not affected.`), false),
      ConfigurationInvalid: ({ diagnostics }) => {
        const lines = diagnostics.map(({ file, line, message, suggestion }) =>
          `${file}:${line}: ${message} ${suggestion ?? ""}`.trim()
        )
        return Effect.as(Effect.logWarning(lines.join("\n")), false)
      },
    }),
  )
