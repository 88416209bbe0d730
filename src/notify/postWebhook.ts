import { FetchHttpClient, HttpClient, HttpClientRequest } from "@effect/platform"
import { Context, Data, Duration, Effect, Layer, Redacted } from "effect"
import { backOff } from "../service/schedules.ts"
import type { RetryPolicy } from "../service/schedules.ts"
import type { Notification } from "./Notification.ts"

/** A webhook could not be told. It names the host alone: the rest of the address is the secret. */
export class WebhookUnreachable extends Data.TaggedError("WebhookUnreachable")<{
  readonly host: string
  /** Why, as half a sentence. */
  readonly reason: string
  /** Whether it may be better the next moment. */
  readonly passing: boolean
}> {
  override get message() {
    return `The webhook at ${this.host} could not be told: ${this.reason}.`
  }
}

/** How long and how often it is tried. */
export interface Patience {
  readonly retries: RetryPolicy
  /** For one try. */
  readonly timeout: Duration.Duration
  /** For all of them. */
  readonly whole: Duration.Duration
}

const usualPatience: Patience = {
  retries: { attempts: 5, base: Duration.seconds(1), max: Duration.seconds(15) },
  timeout: Duration.seconds(10),
  whole: Duration.seconds(60),
}

const isPassing = (status: number): boolean => status === 408 || status === 429 || status >= 500

/** Seconds that an answer asks to wait, at most a minute. */
const retryAfter = (text: string | undefined): number => (/^\d{1,2}$/.test(text ?? "") ? Number(text) : 0)

/**
 * Posts a notification to a webhook. Tried again with backoff after a lost connection, a time-out, 408, 429 or 5xx: hearing of something twice is better than not at all. Redirects
 * are not followed: the address would be told to another host.
 */
export const postWebhook = (
  address: Redacted.Redacted,
  notification: Notification,
  patience: Patience = usualPatience,
): Effect.Effect<void, WebhookUnreachable> => {
  const url = Redacted.value(address)
  const host = new URL(url).host
  const unreachable = (reason: string, passing: boolean) => new WebhookUnreachable({ host, reason, passing })
  const slow = (time: Duration.Duration) =>
    unreachable(`it did not answer within ${Math.round(Duration.toSeconds(time))} seconds`, true)
  const once = Effect.gen(function*() {
    const client = Context.get(yield* Layer.build(FetchHttpClient.layer), HttpClient.HttpClient)
    const response = yield* HttpClientRequest.post(url).pipe(
      HttpClientRequest.bodyUnsafeJson(notification),
      HttpClientRequest.setHeader("user-agent", "formferry"),
      client.execute,
      // The client's own words repeat the address.
      Effect.mapError(() => unreachable("the connection failed", true)),
    )
    const { headers, status } = response
    if (status >= 200 && status < 300) return
    if (status === 429) yield* Effect.sleep(Duration.seconds(retryAfter(headers["retry-after"])))
    return yield* unreachable(
      status >= 300 && status < 400
        ? `it answered ${status}, which leads elsewhere and is not followed`
        : `it answered ${status}`,
      isPassing(status),
    )
  })
  return once.pipe(
    Effect.scoped,
    Effect.timeoutFail({ duration: patience.timeout, onTimeout: () => slow(patience.timeout) }),
    Effect.retry({ schedule: backOff(patience.retries), while: (error) => error.passing }),
    Effect.timeoutFail({ duration: patience.whole, onTimeout: () => slow(patience.whole) }),
    // The client would write the whole address into a span.
    Effect.withTracerEnabled(false),
    Effect.provideService(FetchHttpClient.RequestInit, { redirect: "manual" }),
  )
}
