import { Cause, Effect, Exit } from "effect"
import type { Clock } from "effect"
import type { Admission, Priority } from "./Admission.ts"
import type { FormService } from "./FormService.ts"
import { momentOf } from "./moment.ts"
import type { Pace } from "./pace.ts"
import { notWanted } from "./sendOne.ts"
import { asRequest } from "./telemetry.ts"
import { Timeline } from "./Timeline.ts"
import type {
  MaybeSent,
  NeverSent,
  Transport,
  TransportExit,
  TransportRequest,
  TransportResponse,
} from "./transport.ts"
import type { Unwanted } from "./Unwanted.ts"

/** A segment of a path: nothing in an id may change where the request goes, dots included. */
export const segment = (id: string): string => {
  const encoded = encodeURIComponent(id)
  return encoded === "." || encoded === ".." ? encoded.replaceAll(".", "%2E") : encoded
}

export const isSuccess = ({ status }: TransportResponse): boolean => status >= 200 && status < 300

/** What all that use a service send their requests through. */
export interface Door {
  readonly clock: Clock.Clock
  readonly pace: Pace
  readonly transport: Transport
  readonly dispatch: NonNullable<Transport["dispatch"]>
  readonly admission: Admission
}

/** The requests of one of those that use a service: in their turn, counted by themselves. */
export interface Requests extends Pick<FormService, "requests" | "pace"> {
  readonly queue: Admission["queue"]
  readonly count: (what: "metadata" | "create" | "read" | "retried" | "throttled") => void
  /** What a request that was let in at `startedAt` came to. What its answer says about the pace is kept by all. */
  readonly judged: <A, E>(
    outcome: TransportExit,
    startedAt: number,
    judge: {
      /** @param wait milliseconds that the answer asks to wait */
      readonly answered: (response: TransportResponse, wait: number | undefined) => Exit.Exit<A, E>
      readonly failed: (failure: NeverSent | MaybeSent) => Exit.Exit<A, E>
    },
  ) => Exit.Exit<A, E>
  /** One request in its turn, with a span where requests have one. */
  readonly send: (
    priority: Priority,
    operation: "metadata" | "create" | "read",
    request: TransportRequest,
    unwanted?: Unwanted,
  ) => Effect.Effect<readonly [TransportResponse, wait: number | undefined], NeverSent | MaybeSent>
  /** The transport's own, counted. */
  readonly counted: (operation: "create" | "read") => NonNullable<Transport["dispatch"]>
}

export const makeRequests = ({ admission, clock, dispatch, pace, transport }: Door): Requests => {
  const counts = { metadata: 0, create: 0, read: 0, retried: 0, throttled: 0 }
  const timeline = new Timeline()
  const count = (what: keyof typeof counts) => {
    counts[what] += 1
    timeline.count(what, clock.unsafeCurrentTimeMillis())
  }

  /** Gives the milliseconds that an answer asks to wait. */
  const observe = (response: TransportResponse, startedAt: number): number | undefined => {
    if (response.status === 429) count("throttled")
    return pace.observe(response.status, response.headers, startedAt, momentOf(clock))
  }

  /** One request in its turn; what its answer says about the pace is kept by all. */
  const send = (
    priority: Priority,
    operation: "metadata" | "create" | "read",
    request: TransportRequest,
    unwanted?: Unwanted,
  ): Effect.Effect<readonly [TransportResponse, wait: number | undefined], NeverSent | MaybeSent> => {
    const work = (startedAt: number) => {
      count(operation)
      return Effect.map(
        asRequest(operation, request.method, transport.send(request)),
        (response) => [response, observe(response, startedAt)] as const,
      )
    }
    return unwanted === undefined
      ? admission.admit(priority, work)
      : Effect.flatMap(
        admission.admitUnless(priority, unwanted, work),
        (sent) => (sent === "unwanted" ? Effect.fail(notWanted) : Effect.succeed(sent)),
      )
  }

  const judged: Requests["judged"] = (outcome, startedAt, { answered, failed }) =>
    Exit.isSuccess(outcome)
      ? answered(outcome.value, observe(outcome.value, startedAt))
      : Cause.isFailType(outcome.cause)
      ? failed(outcome.cause.error)
      // A defect, or an interruption.
      : Exit.failCause(outcome.cause as Cause.Cause<never>)

  const counted: Requests["counted"] = (operation) => (request, settled) => {
    count(operation)
    return dispatch(request, settled)
  }

  return {
    queue: admission.queue,
    count,
    judged,
    send,
    counted,
    requests: Effect.sync(() => ({ ...counts })),
    pace: Effect.sync(() => timeline.pace),
  }
}
