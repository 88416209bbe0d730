import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Redacted from "effect/Redacted"
import type * as Scope from "effect/Scope"
import type { Capability } from "../domain/capability.ts"
import type { Item } from "../domain/item.ts"
import { headerSecret } from "../domain/secret.ts"
import type { SharedRate } from "../domain/sharedRate.ts"
import type { Submission } from "../domain/submission.ts"
import { makeAdmission, momentOf, type Pacing } from "./Admission.ts"
import { type Codec, makeCodec } from "./codec.ts"
import { type CreateOutcome, type FormService, pageRows, ServiceUnusable, type SharedService } from "./FormService.ts"
import {
  maskKey,
  type MessageContext,
  outcomeOfFailure,
  outcomeOfResponse,
  type OutcomeSettings,
  quota,
  unusable,
} from "./outcome.ts"
import { overHttp } from "./overHttp.ts"
import { longestPause, Pace } from "./pace.ts"
import { isSuccess, makePauseLog, makeRequests, type Requests, segment } from "./requests.ts"
import { backOff, defaultReadRetries, type RetryPolicy } from "./schedules.ts"
import { SharedPace } from "./SharedPace.ts"
import type { Operation } from "./telemetry.ts"
import {
  header,
  type MaybeSent,
  type NeverSent,
  type OpenTransport,
  type TransportRequest,
  type TransportResponse,
  type TransportTarget,
} from "./transport.ts"

/** The address of a form service, and the limits for using it. */
export interface FormServiceOptions extends Omit<TransportTarget, "maxAnswer"> {
  /** Infinity for no limit. */
  readonly requestsPerSecond: number
  /** The account's rate, if hosts share it. Undefined: each process counts its own requests. */
  readonly sharedRate?: SharedRate | undefined
  readonly editLinkParameter: string
  /** The payment processor's name, which is part of field names in the interface. */
  readonly gateway: string
  /** What the service can do in addition to creating and reading. Default: nothing. */
  readonly capabilities?: ReadonlyArray<Capability>
  /** The retries of reads and metadata requests. Creates are never repeated here. */
  readonly readRetries?: RetryPolicy
  /** Whether a 503 with `Retry-After` counts as not created. Default: false, so that it puts rows in doubt. */
  readonly unavailableIsNotCreated?: boolean
}

/** How services are reached. Default: over HTTP. Some tests run formferry and a service in one process, and provide a different transport. */
export class Transports extends Context.Reference<Transports>()("formferry/Transports", {
  defaultValue: (): OpenTransport => overHttp,
}) {}

/** Makes the function that sends a create once, without any retry, and classifies its outcome. */
const makeCreate = ({ count, send }: Requests, settings: OutcomeSettings): FormService["create"] => {
  // Items whose requests certainly created nothing. Sending one of them again counts as a retry.
  const notCreated = new WeakSet<Item>()
  return (formId, items, guard, signal) =>
    Effect.suspend(() => {
      if (items.some((item) => notCreated.has(item))) count("retried")
      const path = `/forms/${segment(formId)}/submissions`
      const body = settings.codec.createRequest(items)
      return Effect.match(send("create", { method: "POST", path, body, guard }, signal), {
        onSuccess: ({ response, wait }) => outcomeOfResponse(response, items.length, wait, settings),
        onFailure: outcomeOfFailure,
      })
    }).pipe(Effect.tap((outcome: CreateOutcome) => {
      if (outcome._tag === "NotCreated") { for (const item of items) notCreated.add(item) }
    }))
}

/** How many times a read returns to the queue after a 429 before it fails. */
const throttledTries = 20

/** A read that may be retried, and the reason. */
interface Retryable {
  readonly _tag: "Retryable"
  readonly reason: string
  readonly kind: "throttled" | "unreachable" | "unexpected"
  readonly status: number | undefined
}

/** Whether a status says that the service has no such submission. */
const isAbsent = (status: number): boolean => status === 404 || status === 410

const isPage = (body: Uint8Array): boolean => /^\s*</.test(new TextDecoder().decode(body.subarray(0, 64)))

const isRetryable = (error: Retryable | ServiceUnusable): error is Retryable => error._tag === "Retryable"

/** The dependencies of the operations that are safe to repeat. */
interface RepeatableContext extends MessageContext {
  readonly capabilities: ReadonlyArray<Capability>
  readonly requests: Requests
  readonly codec: Codec
  readonly editLinkParameter: string
  readonly retries: ReturnType<typeof backOff>
}

/** What an operation returns, for messages. */
const returned: Readonly<Record<Exclude<Operation, "create">, string>> = {
  metadata: "the requested form",
  read: "the requested submission",
  list: "a list",
  delete: "an answer to a deletion",
}

/** Makes the operations that are safe to repeat: reading forms and submissions, listing and deleting. Each retry waits for a new turn. */
const makeRepeatable = (
  { baseUrl, capabilities, codec, editLinkParameter, masked, requests, retries }: RepeatableContext,
): Pick<FormService, "form" | "forms" | "list" | "read" | "remove"> => {
  const { count, send } = requests

  const unreachable = ({ reason, kind, status }: Retryable) =>
    new ServiceUnusable({
      reason: kind === "throttled" ? "quota" : kind,
      status,
      message: kind === "throttled"
        ? `${baseUrl} refused a request ${
          throttledTries + 1
        } times because requests came too fast (429): other clients are using up the account's limit. Run again later.`
        : kind === "unreachable"
        ? `${baseUrl} can't be reached after several attempts: ${reason}. Check the address and the network, then run again.`
        : `${baseUrl} does not answer as specified: ${reason}. Check baseUrl, including its version segment. If the service is being maintained, run again later.`,
    })

  /** Classifies a response to a request that is safe to repeat. */
  const classify = <A>(
    operation: Exclude<Operation, "create">,
    response: TransportResponse,
    wait: number | undefined,
    decode: (response: TransportResponse) => A | undefined,
  ): Exit.Exit<A, Retryable | ServiceUnusable> => {
    const { status, body } = response
    const isAnswer = isAbsent(status) && (operation === "read" || operation === "delete")
    const error = isAnswer ? undefined : unusable(status, body, { baseUrl, masked }, operation)
    if (error !== undefined) return Exit.fail(error)
    if (status === 429 && wait !== undefined && wait > longestPause) return Exit.fail(quota(baseUrl, wait))
    const retryable = (kind: Retryable["kind"], reason: string): Retryable => ({
      _tag: "Retryable",
      kind,
      reason,
      status,
    })
    if (status === 429) return Exit.fail(retryable("throttled", "it answered 429"))
    if (status === 408 || status >= 500) return Exit.fail(retryable("unreachable", `it answered ${status}`))
    const decoded = decode(response)
    if (decoded !== undefined) return Exit.succeed(decoded)
    const what = isPage(body)
      ? "a web page instead of"
      : header(response.headers, "content-encoding") === undefined
      ? "a body that is not"
      : "a compressed body that can't be read instead of"
    const unexpected = retryable("unexpected", `status ${status} came with ${what} ${returned[operation]}`)
    // A sign-in page, or the page at a wrong address, would most likely be the answer to each retry, too. Nothing was sent yet.
    return Exit.fail(operation === "metadata" && isPage(body) ? unreachable(unexpected) : unexpected)
  }

  const unanswered = (failure: NeverSent | MaybeSent): Exit.Exit<never, Retryable | ServiceUnusable> =>
    failure._tag === "NeverSent" && failure.final === true
      ? Exit.fail(
        new ServiceUnusable({ reason: "unreachable", message: `${baseUrl} is not used any more: ${failure.reason}` }),
      )
      : Exit.fail<Retryable>({ _tag: "Retryable", reason: failure.reason, kind: "unreachable", status: undefined })

  /** Sends a request that is safe to repeat, until its response can be decoded. */
  const repeated = <A>(
    operation: Exclude<Operation, "create">,
    request: TransportRequest,
    decode: (response: TransportResponse) => A | undefined,
    heldBack?: A,
  ): Effect.Effect<A, ServiceUnusable> =>
    Effect.suspend(() => {
      let tries = 0
      const once = Effect.suspend(() => {
        if (tries++ > 0) count("retried")
        return Effect.matchEffect(send(operation, request), {
          onFailure: (failure) =>
            heldBack !== undefined && failure._tag === "NeverSent" && failure.heldBack === true
              ? Exit.succeed(heldBack)
              : unanswered(failure),
          onSuccess: ({ response, wait }) => classify(operation, response, wait, decode),
        })
      })
      // Schedules are used only after a request has failed. If each request used them, they would take a tenth of an import's processor time.
      return Effect.catchAll(once, (failure) => {
        // Every command starts with a form, and would be silent until the last retry.
        const log = operation === "metadata" && isRetryable(failure) && failure.kind !== "throttled"
          ? Effect.logWarning(`Waiting for ${baseUrl}: ${failure.reason}. The request is repeated for a while.`)
          : Effect.void
        let isFirst = true
        const next = Effect.suspend(() => {
          if (!isFirst) return once
          isFirst = false
          return Effect.zipRight(log, Effect.fail(failure))
        })
        return next.pipe(
          // The pace delays this retry. A 429 does not count as a failed connection.
          Effect.retry({ times: throttledTries, while: (error) => isRetryable(error) && error.kind === "throttled" }),
          Effect.retry({ schedule: retries, while: (error) => isRetryable(error) && error.kind !== "throttled" }),
          Effect.mapError((error) => (isRetryable(error) ? unreachable(error) : error)),
        )
      })
    })

  const get = <A>(
    operation: "metadata" | "read" | "list",
    path: string,
    decode: (response: TransportResponse) => A | undefined,
  ) => repeated(operation, { method: "GET", path }, decode)

  const pathOf = (formId: string, submissionId: string) =>
    `/forms/${segment(formId)}/submissions/${segment(submissionId)}`

  /** Decodes the submission with this id. A submission with a different id proves nothing about this one, even if their answers are similar. */
  const found =
    (submissionId: string) =>
    (response: TransportResponse): { readonly submission: Submission | undefined } | undefined => {
      if (isAbsent(response.status)) return { submission: undefined }
      const submission = isSuccess(response) ? codec.read(response.body) : undefined
      return submission?.submissionId === submissionId ? { submission } : undefined
    }

  return {
    form: (formId) =>
      get(
        "metadata",
        `/forms/${segment(formId)}`,
        (response) => isSuccess(response) ? codec.form(response.body) : undefined,
      ).pipe(
        // A service may accept several spellings of a form's id. The metadata contains the spelling that identifies the form.
        Effect.map((form) => (form.id === "" ? { ...form, id: formId } : form)),
        Effect.mapError((error) =>
          error.reason === "form-not-found"
            ? new ServiceUnusable({ ...error, message: `Form ${formId}: ${error.message}` })
            : error
        ),
      ),
    read: (formId, submissionId, { editLink = false } = {}) =>
      Effect.map(
        get(
          "read",
          pathOf(formId, submissionId) + (editLink ? `?${encodeURIComponent(editLinkParameter)}=true` : ""),
          found(submissionId),
        ),
        ({ submission }) => submission,
      ),
    list: capabilities.includes("list")
      ? (formId, { offset, sort }) =>
        get(
          "list",
          `/forms/${segment(formId)}/submissions?limit=${pageRows}&offset=${offset}&sort=${sort}`,
          (response) => isSuccess(response) ? codec.list(response.body) : undefined,
        )
      : undefined,
    remove: capabilities.includes("delete")
      ? (formId, submissionId, guard) =>
        repeated<"deleted" | "absent" | "heldBack">(
          "delete",
          { method: "DELETE", path: pathOf(formId, submissionId), guard },
          (response) => isAbsent(response.status) ? "absent" : isSuccess(response) ? "deleted" : undefined,
          "heldBack",
        )
      : undefined,
    forms: get("list", "/forms", (response) => isSuccess(response) ? codec.forms(response.body) : undefined),
  }
}

/**
 * Opens a form service. All its requests use one pace, one queue and one pool, until the scope closes. Open it once for each service and process.
 * Fails if the key can't be the value of a header. Sends nothing before the first request.
 */
export const make = (
  options: FormServiceOptions,
  open?: OpenTransport,
): Effect.Effect<SharedService, ServiceUnusable, Scope.Scope> =>
  Effect.gen(function*() {
    const { baseUrl } = options
    if (!headerSecret.test(Redacted.value(options.apiKey))) {
      return yield* new ServiceUnusable({
        reason: "credentials",
        message:
          `The API key for ${baseUrl} is empty or contains characters that can't be part of a key, such as a space or a line break. `
          + "Check where the service's apiKey setting reads it from.",
      })
    }
    const codec = makeCodec(options.gateway)
    const clock = yield* Effect.clock
    const { requestsPerSecond, sharedRate } = options
    const pace: Pacing = sharedRate === undefined
      ? new Pace(requestsPerSecond)
      : new SharedPace(requestsPerSecond, sharedRate, () => momentOf(clock))
    const transport = yield* (open ?? (yield* Transports))(options)
    const admission = yield* makeAdmission(pace, options.concurrency)
    const retries = backOff(options.readRetries ?? defaultReadRetries)
    const shared = { clock, pace, transport, admission, logPause: makePauseLog(baseUrl, pace) }
    const masked = maskKey(Redacted.value(options.apiKey))
    const outcomes = { codec, baseUrl, masked, unavailableIsNotCreated: options.unavailableIsNotCreated ?? false }
    /** Returns a view of the service for one of its users, with separate counts of requests. */
    const view = (): FormService => {
      const requests = makeRequests(shared)
      return {
        baseUrl,
        ...makeRepeatable({
          requests,
          codec,
          baseUrl,
          masked,
          editLinkParameter: options.editLinkParameter,
          retries,
          capabilities: options.capabilities ?? [],
        }),
        create: makeCreate(requests, outcomes),
        inFlight: requests.inFlight,
        requests: requests.requests,
        pace: requests.pace,
      }
    }
    return {
      ...view(),
      isUsable: () => pace.failure === undefined,
      apart: Effect.sync(view),
    }
  })
