import { Cause, Context, Effect, Exit, FiberRef, FiberSet, Redacted } from "effect"
import type { Clock, Duration, Scope } from "effect"
import type { Item } from "../domain/item.ts"
import type { Submission } from "../domain/submission.ts"
import { makeAdmission } from "./Admission.ts"
import type { Admission, Priority } from "./Admission.ts"
import { makeCodec } from "./codec.ts"
import type { Codec } from "./codec.ts"
import { ServiceUnusable } from "./FormService.ts"
import type { CreateOutcome, FormService, SharedService } from "./FormService.ts"
import { outcomeOfFailure, outcomeOfResponse, quota, unusable } from "./outcome.ts"
import { overHttp } from "./overHttp.ts"
import { longestPause, Pace } from "./pace.ts"
import { readAll } from "./readAll.ts"
import { backOff, defaultReadRetries } from "./schedules.ts"
import type { RetryPolicy } from "./schedules.ts"
import { notWanted, sendOne } from "./sendOne.ts"
import { asRequest, telemetryOn } from "./telemetry.ts"
import { Timeline } from "./Timeline.ts"
import type { MaybeSent, NeverSent, OpenTransport, Transport, TransportRequest } from "./transport.ts"
import type { TransportResponse } from "./transport.ts"
import { unlessUnwanted, type Unwanted } from "./Unwanted.ts"

/** How to reach a form service, and how to treat it. */
export interface FormServiceOptions {
  /** Includes the version segment; without a trailing slash. */
  readonly baseUrl: string
  readonly apiKey: Redacted.Redacted
  /** Infinity: as fast as it goes. */
  readonly requestsPerSecond: number
  readonly concurrency: number
  readonly timeout: Duration.Duration
  readonly editLinkParameter: string
  /** The payment processor's name in the wire's field names. */
  readonly gateway: string
  /** For reads and metadata; creates are never repeated here. */
  readonly readRetries?: RetryPolicy
  /** Whether a 503 with `Retry-After` counts as not created; default false: in doubt. */
  readonly unavailableIsNotCreated?: boolean
}

/** How often a read goes back to the queue for a 429 before it is given up. */
const throttledTries = 20

/** A read that may be tried again, and why. */
interface TryAgain {
  readonly _tag: "TryAgain"
  readonly reason: string
  readonly kind: "throttled" | "unreachable" | "unexpected"
  readonly status: number | undefined
}

/** A segment of a path: nothing in an id may change where the request goes, dots included. */
const segment = (id: string): string => {
  const encoded = encodeURIComponent(id)
  return encoded === "." || encoded === ".." ? encoded.replaceAll(".", "%2E") : encoded
}

/** How services are reached, where nobody says otherwise: over HTTP. Whoever runs formferry and a service in one process gives another. */
export class Transports extends Context.Reference<Transports>()("formferry/Transports", {
  defaultValue: (): OpenTransport => overHttp,
}) {}

/**
 * Opens a form service: one pace, one queue and one pool for all its requests, until the scope closes. Open it once per service and process.
 * Fails when the key can't be a header's value; nothing is sent before it is used.
 */
export const make = (
  options: FormServiceOptions,
  open?: OpenTransport,
): Effect.Effect<SharedService, ServiceUnusable, Scope.Scope> =>
  Effect.gen(function*() {
    const { baseUrl } = options
    if (!/^[\x21-\x7e]+$/.test(Redacted.value(options.apiKey))) {
      return yield* new ServiceUnusable({
        reason: "credentials",
        message:
          `The API key for ${baseUrl} is empty or holds characters that no key has, such as a space or a line break. `
          + "Check where the service's apiKey setting reads it from.",
      })
    }
    const codec = makeCodec(options.gateway)
    const clock = yield* Effect.clock
    const pace = new Pace(options.requestsPerSecond)
    const transport = yield* (open ?? (yield* Transports))(options)
    const admission = yield* makeAdmission(pace, options.concurrency)
    const retries = backOff(options.readRetries ?? defaultReadRetries)
    const fork = yield* FiberSet.makeRuntime<never, TransportResponse, NeverSent | MaybeSent>()
    const dispatch = transport.dispatch ?? ((request, settled) => {
      const fiber = fork(transport.send(request))
      fiber.addObserver(settled)
      return () => fiber.unsafeInterruptAsFork(fiber.id())
    })
    const parts: Parts = { options, codec, clock, pace, transport, dispatch, admission, retries }
    return { ...makeView(parts), apart: Effect.sync(() => makeView(parts)) }
  })

/** What all that use a service share. */
interface Parts {
  readonly options: FormServiceOptions
  readonly codec: Codec
  readonly clock: Clock.Clock
  readonly pace: Pace
  readonly transport: Transport
  readonly dispatch: NonNullable<Transport["dispatch"]>
  readonly admission: Admission
  readonly retries: ReturnType<typeof backOff>
}

/** The service as one of those that share it sees it: its requests are counted by itself. */
const makeView = ({ admission, clock, codec, dispatch, options, pace, retries, transport }: Parts): FormService => {
  const { baseUrl } = options
  const outcomeSettings = { codec, baseUrl, unavailableIsNotCreated: options.unavailableIsNotCreated ?? false }
  const counts = { metadata: 0, create: 0, read: 0, retried: 0, throttled: 0 }
  const timeline = new Timeline()
  const count = (what: keyof typeof counts) => {
    counts[what] += 1
    timeline.count(what, clock.unsafeCurrentTimeMillis())
  }

  const observe = (response: TransportResponse, startedAt: number): number | undefined => {
    if (response.status === 429) count("throttled")
    return pace.observe(response.status, response.headers, startedAt, clock.unsafeCurrentTimeMillis())
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

  const unreachable = ({ reason, kind, status }: TryAgain) =>
    new ServiceUnusable({
      reason: kind === "throttled" ? "quota" : kind,
      status,
      message: kind === "throttled"
        ? `${baseUrl} refuses one request ${
          throttledTries + 1
        } times for its pace (429): others use the account up. Run again later.`
        : kind === "unreachable"
        ? `${baseUrl} can't be reached: ${reason}, again and again. Check the address and the network, then run again.`
        : `${baseUrl} does not answer as specified: ${reason}. Check baseUrl with its version segment.`,
    })

  /** What an answer to a request that is safe to repeat says. */
  const judge = <A>(
    operation: "metadata" | "read",
    response: TransportResponse,
    wait: number | undefined,
    decode: (response: TransportResponse) => A | undefined,
  ): Exit.Exit<A, TryAgain | ServiceUnusable> => {
    const { status, body } = response
    const error = operation === "read" && status === 404
      ? undefined
      : unusable(status, body, baseUrl, operation === "read" ? "read" : "form")
    if (error !== undefined) return Exit.fail(error)
    if (status === 429 && wait !== undefined && wait > longestPause) return Exit.fail(quota(baseUrl, wait))
    const fail = (kind: TryAgain["kind"], reason: string) =>
      Exit.fail<TryAgain>({ _tag: "TryAgain", kind, reason, status })
    if (status === 429) return fail("throttled", "it answered 429")
    if (status === 408 || status >= 500) return fail("unreachable", `it answered ${status}`)
    const decoded = decode(response)
    const what = operation === "read" ? "submission" : "form"
    return decoded === undefined
      ? fail("unexpected", `status ${status} came with a body that is not a ${what}`)
      : Exit.succeed(decoded)
  }

  const unanswered = (failure: NeverSent | MaybeSent) =>
    Exit.fail<TryAgain>({ _tag: "TryAgain", reason: failure.reason, kind: "unreachable", status: undefined })

  const once = <A>(
    operation: "metadata" | "read",
    path: string,
    decode: (response: TransportResponse) => A | undefined,
  ): Effect.Effect<A, TryAgain | ServiceUnusable> =>
    Effect.matchEffect(send("read", operation, { method: "GET", path }), {
      onFailure: unanswered,
      onSuccess: ([response, wait]) => judge(operation, response, wait, decode),
    })

  /** A request that is safe to repeat, decoded. */
  const get = <A>(
    operation: "metadata" | "read",
    path: string,
    decode: (response: TransportResponse) => A | undefined,
  ): Effect.Effect<A, ServiceUnusable> => {
    const one = once(operation, path, decode)
    return Effect.catchAll(one, (first) => (first._tag === "TryAgain" ? repeat(one, first) : Effect.fail(first)))
  }

  /** What is tried again after its first failure: kept apart, so that the many that succeed at once don't pay for it. */
  const repeat = <A>(
    once: Effect.Effect<A, TryAgain | ServiceUnusable>,
    first: TryAgain,
  ): Effect.Effect<A, ServiceUnusable> => {
    let failed: TryAgain | undefined = first
    return Effect.suspend(() => {
      if (failed !== undefined) {
        const failure = failed
        failed = undefined
        return Effect.fail(failure)
      }
      count("retried")
      return once
    }).pipe(
      // The pace already makes it wait; a 429 is no fault of the connection's.
      Effect.retry({
        times: throttledTries,
        while: (error) => error._tag === "TryAgain" && error.kind === "throttled",
      }),
      Effect.retry({ schedule: retries, while: (error) => error._tag === "TryAgain" && error.kind !== "throttled" }),
      Effect.mapError((error) => (error._tag === "TryAgain" ? unreachable(error) : error)),
    )
  }

  const pathOf = (formId: string, submissionId: string) =>
    `/forms/${segment(formId)}/submissions/${segment(submissionId)}`

  const found = (response: TransportResponse): { readonly submission: Submission | undefined } | undefined => {
    if (response.status === 404) return { submission: undefined }
    const submission = isSuccess(response) ? codec.read(response.body) : undefined
    return submission === undefined ? undefined : { submission }
  }

  const isSuccess = ({ status }: TransportResponse) => status >= 200 && status < 300

  const counted = (operation: "create" | "read"): Parts["dispatch"] => (request, settled) => {
    count(operation)
    return dispatch(request, settled)
  }

  // Items whose request is known to have created nothing: sending one of them once more is a retry.
  const again = new WeakSet<Item>()

  const service: FormService = {
    baseUrl,
    form: (formId) =>
      Effect.map(
        get("metadata", `/forms/${segment(formId)}`, (response) =>
          isSuccess(response) ? codec.form(response.body) : undefined),
        // The id by which it is asked for is the one that everything stands under, whatever the answer calls it.
        (form) => ({ ...form, id: formId }),
      ),
    read: (formId, submissionId, { editLink = false } = {}) =>
      Effect.map(
        get(
          "read",
          pathOf(formId, submissionId) + (editLink ? `?${encodeURIComponent(options.editLinkParameter)}=true` : ""),
          found,
        ),
        ({ submission }) => submission,
      ),
    readMany: (formId, submissionIds, each, unwanted) =>
      Effect.flatMap(FiberRef.get(telemetryOn), (on) => {
        const again = (id: string, index: number, first?: TryAgain) => {
          const path = pathOf(formId, id)
          const read = first === undefined ? get("read", path, found) : repeat(once("read", path, found), first)
          return Effect.map(read, ({ submission }) => each(index, submission))
        }
        const all = (reads: ReadonlyArray<Effect.Effect<void, ServiceUnusable>>) => {
          const every = Effect.all(reads, { concurrency: "unbounded", discard: true })
          return unwanted === undefined ? every : unlessUnwanted(every, unwanted)
        }
        // Each request has a span then.
        if (on) return all(submissionIds.map((id, index) => again(id, index)))
        return Effect.flatMap(
          readAll<{ readonly submission: Submission | undefined }, TryAgain, ServiceUnusable>({
            paths: submissionIds.map((id) => pathOf(formId, id)),
            queue: admission.queue,
            dispatch: counted("read"),
            judge: (outcome, startedAt) =>
              Exit.isSuccess(outcome)
                ? judge("read", outcome.value, observe(outcome.value, startedAt), found)
                : Cause.isFailType(outcome.cause)
                ? unanswered(outcome.cause.error)
                : Exit.failCause(outcome.cause as Cause.Cause<never>),
            each: (index, { submission }) => each(index, submission),
            unwanted,
            isLater: (failure) => failure._tag === "TryAgain" ? failure : undefined,
          }),
          (later) =>
            later.length === 0
              ? Effect.void
              : all(later.map(([index, first]) => again(submissionIds[index] ?? "", index, first))),
        )
      }),
    create: (formId, items, guard, unwanted) =>
      Effect.flatMap(FiberRef.get(telemetryOn), (on) => {
        if (items.some((item) => again.has(item))) count("retried")
        const path = `/forms/${segment(formId)}/submissions`
        const request: TransportRequest = { method: "POST", path, body: codec.createRequest(items), guard }
        const noted = (outcome: CreateOutcome) => {
          if (outcome._tag === "NotCreated") { for (const item of items) again.add(item) }
          return outcome
        }
        const answered = (response: TransportResponse, wait: number | undefined) =>
          noted(outcomeOfResponse(response, items.length, wait, outcomeSettings))
        const failed = (failure: NeverSent | MaybeSent) => noted(outcomeOfFailure(failure))
        // Each request has a span then.
        if (on) {
          return Effect.match(send("create", "create", request, unwanted), {
            onSuccess: ([response, wait]) => answered(response, wait),
            onFailure: failed,
          })
        }
        return sendOne({
          request,
          priority: "create",
          queue: admission.queue,
          dispatch: counted("create"),
          judge: (outcome, startedAt) =>
            Exit.isSuccess(outcome)
              ? Effect.succeed(answered(outcome.value, observe(outcome.value, startedAt)))
              : Cause.isFailType(outcome.cause)
              ? Effect.succeed(failed(outcome.cause.error))
              : Effect.failCause(outcome.cause as Cause.Cause<never>),
          unwanted,
          notSent: () => failed(notWanted),
        })
      }),
    requests: Effect.sync(() => ({ ...counts })),
    pace: Effect.sync(() => timeline.pace),
  }
  return service
}
