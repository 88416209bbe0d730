import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { Form } from "../domain/form.ts"
import type { Item } from "../domain/item.ts"
import type { PaceOverTime, RequestCounts } from "../domain/report.ts"
import type { Submission } from "../domain/submission.ts"

/**
 * The service can't be used: the key is wrong, the form is unknown, a quota is used up, the service redirects, or it
 * was unreachable for too long (exit code 5). The cause is not a row.
 */
export class ServiceUnusable extends Schema.TaggedError<ServiceUnusable>()("ServiceUnusable", {
  reason: Schema.Literal("credentials", "form-not-found", "quota", "redirect", "unreachable", "unexpected"),
  /** What happened and what to do next, as sentences. Never contains the key. */
  message: Schema.String,
  status: Schema.optional(Schema.Number),
  /** Words of the command that helps. */
  next: Schema.optional(Schema.Array(Schema.String)),
}) {}

/** The submissions in the response to a create request. */
export interface CreatedSubmissions {
  /** Each is decoded separately. It is `undefined` if it is malformed or its id occurs more than once. */
  readonly submissions: ReadonlyArray<Submission | undefined>
  /** Every submission id in the response, in order, including those of malformed submissions. */
  readonly ids: ReadonlyArray<string>
}

/** The outcome of a create request. */
export type CreateOutcome =
  /** The response is 2xx with the specified body. */
  | ({ readonly _tag: "Created" } & CreatedSubmissions)
  /** Certainly not created, so it may be retried later. `wait` is how many milliseconds the service asks to wait. */
  | {
    readonly _tag: "NotCreated"
    readonly reason: string
    readonly throttled: boolean
    readonly wait: number | undefined
  }
  /** Refused because of its content. Assumes that nothing was created. `index` is that of the refused item, if the error names it. */
  | { readonly _tag: "Refused"; readonly status: number; readonly message: string; readonly index: number | undefined }
  /** The request may have arrived, so it is never resent automatically. `error` is set if nothing more should be sent. */
  | { readonly _tag: "InDoubt"; readonly reason: string; readonly error?: ServiceUnusable | undefined }
  /** Nothing was created, and nothing more should be sent. */
  | { readonly _tag: "Unusable"; readonly error: ServiceUnusable }

/** A form service that several runs share. All of them use one pace, one queue and one pool. */
export interface SharedService extends FormService {
  /** Whether it can still send requests. False once the rate that it shares with other hosts can't be leased any more. */
  readonly isUsable: () => boolean
  /** Returns the same service with separate counts of `requests` and `pace`, which start at zero. */
  readonly apart: Effect.Effect<FormService>
}

/** A page of a form's submissions. */
export interface ListedPage {
  /** The submissions of the page that are well-formed. */
  readonly submissions: ReadonlyArray<Submission>
  /** The number of submissions of the page that are malformed or have no id. */
  readonly malformed: number
  /** The number of submissions of the form, as the service counted them for this page. */
  readonly total: number
}

/** The largest number of submissions that the service lists in one request. */
export const pageRows = 150

/** The form service for a client: the three basic operations, and those that the project says the service has. All share one pace. No method ever repeats a create. */
export interface FormService {
  /** Base URL without a trailing slash. */
  readonly baseUrl: string
  /** Implements "Get form metadata" of the service interface. Retries, because that is safe. */
  readonly form: (formId: string) => Effect.Effect<Form, ServiceUnusable>
  /**
   * Implements "Create submissions" of the service interface with one request, which is sent at most once. Calls `guard` right before the first byte.
   * If `guard` returns false, the outcome is NotCreated. The request waits for its turn, including any pause that the service requested. If `signal`
   * is aborted before the turn, the outcome is also NotCreated.
   */
  readonly create: (
    formId: string,
    items: ReadonlyArray<Item>,
    guard: () => boolean,
    signal?: AbortSignal,
  ) => Effect.Effect<CreateOutcome>
  /**
   * Implements "Get submission by identifier" of the service interface. Retries, because that is safe. Returns undefined if the service does not know
   * the submission (404 or 410).
   */
  readonly read: (
    formId: string,
    submissionId: string,
    options?: { readonly editLink?: boolean },
  ) => Effect.Effect<Submission | undefined, ServiceUnusable>
  /**
   * Lists at most `pageRows` submissions of a form by submission time, starting with the one at `offset`. Retries, because that is safe. Undefined if
   * the project does not say that the service can list.
   */
  readonly list:
    | ((
      formId: string,
      page: { readonly offset: number; readonly sort: "asc" | "desc" },
    ) => Effect.Effect<ListedPage, ServiceUnusable>)
    | undefined
  /**
   * Deletes a submission. Retries, because deleting again changes nothing. Calls `guard` right before the first byte of each request. Returns
   * `deleted`; `absent` if the service has no such submission, for example because an earlier attempt deleted it but its answer was lost; or `heldBack`
   * if `guard` returned false. Undefined if the project does not say that the service can delete.
   */
  readonly remove:
    | ((
      formId: string,
      submissionId: string,
      guard: () => boolean,
    ) => Effect.Effect<"deleted" | "absent" | "heldBack", ServiceUnusable>)
    | undefined
  /** Lists the account's forms. Retries, because that is safe. Fails if the service can't list them. */
  readonly forms: Effect.Effect<ReadonlyArray<Pick<Form, "id" | "name">>, ServiceUnusable>
  /** Counts of requests since the service was opened. A request that lists or deletes counts as a read. */
  readonly requests: Effect.Effect<RequestCounts>
  /** The number of requests whose answer is awaited. */
  readonly inFlight: Effect.Effect<number>
  /** Counts of requests over time. Undefined before the first request. */
  readonly pace: Effect.Effect<PaceOverTime | undefined>
}

/** The service that a run sends to. */
export const FormService = Context.GenericTag<FormService>("formferry/FormService")
