import type * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type { PaceOverTime, RequestCounts } from "../domain/report.ts"
import { isoOf } from "../domain/times.ts"
import { type Admission, momentOf, type Pacing } from "./Admission.ts"
import type { FormService } from "./FormService.ts"
import { asRequest, type Operation } from "./telemetry.ts"
import type { MaybeSent, NeverSent, Transport, TransportRequest, TransportResponse } from "./transport.ts"

/** Encodes a segment of a path, including dots, so that no id can change the destination of a request. */
export const segment = (id: string): string => {
  const encoded = encodeURIComponent(id)
  return encoded === "." || encoded === ".." ? encoded.replaceAll(".", "%2E") : encoded
}

/** What all clients of a service share. */
export interface SharedParts {
  readonly clock: Clock.Clock
  readonly pace: Pacing
  readonly transport: Transport
  readonly admission: Admission
  /** Reports a long pause only once. */
  readonly logPause: PauseLog
}

/** The reason for a pause is logged if the pause lasts at least this many milliseconds. */
const longWait = 10_000

/**
 * Returns an effect that logs a pause, or undefined. `status` is the status of the response that may have caused the
 * pause. `now` is in milliseconds.
 */
type PauseLog = (status: number, now: number) => Effect.Effect<void> | undefined

const reasons: Readonly<Record<number, string>> = {
  429: "its request limit is used up (status 429)",
  503: "it is not available (status 503)",
}

/** Makes a function that logs why nothing is sent for a while, once for each pause. */
export const makePauseLog = (baseUrl: string, pace: Pacing): PauseLog => {
  let loggedUntil = -Infinity
  return (status, now) => {
    const wait = pace.pausedUntil - now
    if (wait < longWait || pace.pausedUntil - loggedUntil < longWait) return undefined
    loggedUntil = pace.pausedUntil
    const why = reasons[status] ?? "its request limit is used up, by this run or by others with the same account"
    return Effect.logWarning(
      `Waiting ${
        Math.ceil(wait / 1000)
      } seconds for ${baseUrl}: ${why}. Nothing is sent until then, and the run continues on its own.`,
    )
  }
}

/** A response, and how many milliseconds it asks the client to wait. */
export interface PacedResponse {
  readonly response: TransportResponse
  readonly wait: number | undefined
}

/** Returns the name under which a report counts an operation. A deletion counts as a read: neither creates anything. */
const counted: Readonly<Record<Operation, "metadata" | "create" | "read">> = {
  metadata: "metadata",
  create: "create",
  read: "read",
  list: "read",
  delete: "read",
}

/** The requests of one client of a service, with their own counts. */
export interface Requests extends Pick<FormService, "inFlight" | "requests" | "pace"> {
  /**
   * Sends one request in its turn, at most once. All requests to a service go through this function. The turn ends
   * after the pace was adjusted to the response. Fails with `NeverSent` if `signal` is aborted before the turn.
   */
  readonly send: (
    operation: Operation,
    request: TransportRequest,
    signal?: AbortSignal,
  ) => Effect.Effect<PacedResponse, NeverSent | MaybeSent>
  readonly count: (what: Kind) => void
}

type Kind = keyof RequestCounts

const none = (): Record<Kind, number> => ({ metadata: 0, create: 0, read: 0, retried: 0, throttled: 0 })

export const makeRequests = ({ admission, logPause, clock, pace, transport }: SharedParts): Requests => {
  const counts = none()
  const timeline = new Timeline()
  let inFlight = 0
  const count: Requests["count"] = (what) => {
    counts[what] += 1
    timeline.count(what, clock.unsafeCurrentTimeMillis())
  }
  return {
    count,
    send: (operation, request, signal) =>
      admission.admit(operation === "create" ? "create" : "read", signal, (startedAt) => {
        count(counted[operation])
        inFlight += 1
        const sending = Effect.ensuring(transport.send(request), Effect.sync(() => inFlight -= 1))
        return Effect.flatMap(asRequest(operation, request.method, sending, pace.used), (response) => {
          if (response.status === 429) count("throttled")
          const wait = pace.observe(response.status, response.headers, startedAt, momentOf(clock))
          const answered = { response, wait }
          const log = logPause(response.status, momentOf(clock))
          return log === undefined ? Effect.succeed(answered) : Effect.as(log, answered)
        })
      }),
    inFlight: Effect.sync(() => inFlight),
    requests: Effect.sync(() => ({ ...counts })),
    pace: Effect.sync(() => timeline.pace),
  }
}

/** The maximum number of spans that are kept. If there are more, adjacent spans are merged in pairs. */
const most = 240

const firstSpan = 1_000

/**
 * Counts requests over time, in a limited number of spans. Each span is one second at first, and doubles in length whenever there would be too many
 * spans. So hours need no more space than minutes. The methods are synchronous. Times are in milliseconds, and the caller provides them.
 */
export class Timeline {
  #from: number | undefined
  #every = firstSpan
  #spans: Array<Record<Kind, number>> = []

  count(what: Kind, now: number): void {
    this.#from ??= now
    let index = this.#indexOf(now, this.#from)
    while (index >= most) {
      this.#halve()
      index = this.#indexOf(now, this.#from)
    }
    while (this.#spans.length <= index) this.#spans.push(none())
    const span = this.#spans[index]
    if (span !== undefined) span[what]++
  }

  /** The spans so far, or undefined before the first request. */
  get pace(): PaceOverTime | undefined {
    if (this.#from === undefined) return undefined
    return {
      from: isoOf(this.#from),
      every: this.#every,
      buckets: this.#spans.map((span) => ({ ...span })),
    }
  }

  // If the clock was set back, requests count in the first span.
  #indexOf(now: number, from: number): number {
    return Math.max(0, Math.floor((now - from) / this.#every))
  }

  #halve(): void {
    this.#every *= 2
    const spans: Array<Record<Kind, number>> = []
    this.#spans.forEach((span, index) => {
      const before = spans[index >> 1]
      if (before === undefined) spans.push(span)
      else for (const kind of Object.keys(span) as Array<Kind>) before[kind] += span[kind]
    })
    this.#spans = spans
  }
}
