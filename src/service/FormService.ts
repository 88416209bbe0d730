import { Context, Schema } from "effect"
import type { Effect } from "effect"
import type { Form } from "../domain/form.ts"
import type { Item } from "../domain/item.ts"
import type { Pace, RequestCounts } from "../domain/report.ts"
import type { Submission } from "../domain/submission.ts"

/** The service can't be used: wrong key, unknown form, quota, redirect, unreachable for too long (exit 5). The cause is not a row. */
export class ServiceUnusable extends Schema.TaggedError<ServiceUnusable>()("ServiceUnusable", {
  reason: Schema.Literal("credentials", "form-not-found", "quota", "redirect", "unreachable", "unexpected"),
  /** What happened, and what to do next, as sentences; never the key. */
  message: Schema.String,
  status: Schema.optional(Schema.Number),
}) {}

/** The outcome of a create request. */
export type CreateOutcome =
  /** 2xx with the specified body: every submission is decoded separately, `undefined` for one that is malformed or whose id occurs more than once. */
  | {
    readonly _tag: "Created"
    readonly submissions: ReadonlyArray<Submission | undefined>
    readonly ids: ReadonlyArray<string>
  }
  /** Proven not created: it may be retried later. `wait`: milliseconds that the service asks to wait. */
  | {
    readonly _tag: "NotCreated"
    readonly reason: string
    readonly throttled: boolean
    readonly wait: number | undefined
  }
  /** Refused for its content, assumed all-or-nothing. `index`: the refused item, if the error names it. */
  | { readonly _tag: "Refused"; readonly status: number; readonly message: string; readonly index: number | undefined }
  /** It may have arrived, so it is never resent automatically. `error`: why nothing more should be sent either. */
  | { readonly _tag: "InDoubt"; readonly reason: string; readonly error?: ServiceUnusable | undefined }
  /** Nothing was created and nothing more should be sent. */
  | { readonly _tag: "Unusable"; readonly error: ServiceUnusable }

/** A form service that several runs share: one pace, one queue and one pool for all of them. */
export interface SharedService extends FormService {
  /** The same service, with its own counts of `requests` and `pace` from now on. */
  readonly apart: Effect.Effect<FormService>
}

/** The form service as a client sees it: the three operations, paced together. No method ever repeats a create. */
export interface FormService {
  /** Base URL without a trailing slash. */
  readonly baseUrl: string
  /** Section "Get form metadata". Retried: it is safe. */
  readonly form: (formId: string) => Effect.Effect<Form, ServiceUnusable>
  /**
   * Section "Create submissions": one request, sent at most once. `guard` is called right before the first byte. If it returns false, the outcome is NotCreated. The request
   * waits for its turn, including a pause that the service asked for. If `signal` is aborted before its turn, the outcome is also NotCreated.
   */
  readonly create: (
    formId: string,
    items: ReadonlyArray<Item>,
    guard: () => boolean,
    signal?: AbortSignal,
  ) => Effect.Effect<CreateOutcome>
  /** Section "Get submission by identifier". Retried: it is safe. Returns undefined if the service does not know it (404). */
  readonly read: (
    formId: string,
    submissionId: string,
    options?: { readonly editLink?: boolean },
  ) => Effect.Effect<Submission | undefined, ServiceUnusable>
  /**
   * Many such reads at the same time, each with its own turn, retries and timeout. Calls `each` with what was found, by the index of its id. Fails with the first read that
   * can't succeed. An aborted `signal` ends the reads without a failure. After a failure or an abort `each` is not called again.
   */
  readonly readMany: (
    formId: string,
    submissionIds: ReadonlyArray<string>,
    each: (index: number, submission: Submission | undefined) => void,
    signal?: AbortSignal,
  ) => Effect.Effect<void, ServiceUnusable>
  /** Requests since the service was opened. */
  readonly requests: Effect.Effect<RequestCounts>
  /** The same over time. Undefined before the first request. */
  readonly pace: Effect.Effect<Pace | undefined>
}

/** The service that a run sends to. */
export const FormService = Context.GenericTag<FormService>("formferry/FormService")
