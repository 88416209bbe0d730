import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
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
import { maskKey, outcomeOfFailure, outcomeOfResponse, type OutcomeSettings } from "./outcome.ts"
import { overHttp } from "./overHttp.ts"
import { Pace } from "./pace.ts"
import { isAbsent, makeRepeated } from "./repeated.ts"
import { makePauseLog, makeRequests, type Requests, segment } from "./requests.ts"
import { backOff, defaultReadRetries, type RetryPolicy } from "./schedules.ts"
import { SharedPace } from "./SharedPace.ts"
import { isSuccess, type OpenTransport, type TransportResponse, type TransportTarget } from "./transport.ts"

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

/** The dependencies of the operations that are safe to repeat. */
interface RepeatableContext {
  readonly capabilities: ReadonlyArray<Capability>
  readonly repeated: ReturnType<typeof makeRepeated>
  readonly codec: Codec
  readonly editLinkParameter: string
}

/** Makes the operations that are safe to repeat: reading forms and submissions, listing and deleting. */
const makeRepeatable = (
  { capabilities, codec, editLinkParameter, repeated }: RepeatableContext,
): Pick<FormService, "form" | "forms" | "list" | "read" | "remove"> => {
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
          repeated: makeRepeated({ baseUrl, masked, requests, retries }),
          codec,
          editLinkParameter: options.editLinkParameter,
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
