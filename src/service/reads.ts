import { Effect, Exit } from "effect"
import type { Submission } from "../domain/submission.ts"
import type { Codec } from "./codec.ts"
import { ServiceUnusable } from "./FormService.ts"
import type { FormService } from "./FormService.ts"
import { quota, type Telling, unusable } from "./outcome.ts"
import { longestPause } from "./pace.ts"
import { isSuccess, segment } from "./requests.ts"
import type { Requests } from "./requests.ts"
import type { backOff } from "./schedules.ts"
import type { MaybeSent, NeverSent, TransportResponse } from "./transport.ts"
import { unlessUnwanted } from "./Unwanted.ts"

/** How often a read goes back to the queue for a 429 before it is given up. */
const throttledTries = 20

/** A read that may be tried again, and why. */
interface TryAgain {
  readonly _tag: "TryAgain"
  readonly reason: string
  readonly kind: "throttled" | "unreachable" | "unexpected"
  readonly status: number | undefined
}

const isAgain = (error: TryAgain | ServiceUnusable): error is TryAgain => error._tag === "TryAgain"

/** What reads work with. */
interface Reading extends Telling {
  readonly requests: Requests
  readonly codec: Codec
  readonly editLinkParameter: string
  readonly retries: ReturnType<typeof backOff>
}

/** Requests that are safe to repeat: forms and submissions. What fails for a while is tried again, in its turn. */
export const makeReads = (
  { baseUrl, codec, editLinkParameter, masked, requests, retries }: Reading,
): Pick<FormService, "form" | "read" | "readMany"> => {
  const { count, send } = requests

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
      : unusable(status, body, { baseUrl, masked }, operation === "read" ? "read" : "form")
    if (error !== undefined) return Exit.fail(error)
    if (status === 429 && wait !== undefined && wait > longestPause) return Exit.fail(quota(baseUrl, wait))
    const fail = (kind: TryAgain["kind"], reason: string) =>
      Exit.fail<TryAgain>({ _tag: "TryAgain", kind, reason, status })
    if (status === 429) return fail("throttled", "it answered 429")
    if (status === 408 || status >= 500) return fail("unreachable", `it answered ${status}`)
    const decoded = decode(response)
    const what = operation === "read" ? "the submission that was asked for" : "a form"
    return decoded === undefined
      ? fail("unexpected", `status ${status} came with a body that is not ${what}`)
      : Exit.succeed(decoded)
  }

  const unanswered = (failure: NeverSent | MaybeSent) =>
    Exit.fail<TryAgain>({ _tag: "TryAgain", reason: failure.reason, kind: "unreachable", status: undefined })

  /** Sends a request that is safe to repeat, until it has an answer that can be decoded. */
  const get = <A>(
    operation: "metadata" | "read",
    path: string,
    decode: (response: TransportResponse) => A | undefined,
  ): Effect.Effect<A, ServiceUnusable> =>
    Effect.suspend(() => {
      let tries = 0
      const once = Effect.suspend(() => {
        if (tries++ > 0) count("retried")
        return Effect.matchEffect(send(operation, { method: "GET", path }), {
          onFailure: unanswered,
          onSuccess: ({ response, wait }) => judge(operation, response, wait, decode),
        })
      })
      return once.pipe(
        // The pace already makes it wait, and a 429 does not count as a failed connection.
        Effect.retry({ times: throttledTries, while: (error) => isAgain(error) && error.kind === "throttled" }),
        Effect.retry({ schedule: retries, while: (error) => isAgain(error) && error.kind !== "throttled" }),
        Effect.mapError((error) => (isAgain(error) ? unreachable(error) : error)),
      )
    })

  const pathOf = (formId: string, submissionId: string) =>
    `/forms/${segment(formId)}/submissions/${segment(submissionId)}`

  /** What the service holds under an id. A submission under another one proves nothing about this one, however alike their answers are. */
  const found =
    (submissionId: string) =>
    (response: TransportResponse): { readonly submission: Submission | undefined } | undefined => {
      if (response.status === 404) return { submission: undefined }
      const submission = isSuccess(response) ? codec.read(response.body) : undefined
      return submission?.submissionId === submissionId ? { submission } : undefined
    }

  return {
    form: (formId) =>
      Effect.map(
        get("metadata", `/forms/${segment(formId)}`, (response) =>
          isSuccess(response) ? codec.form(response.body) : undefined),
        // A service may know a form by several spellings; its metadata give the one that identifies it.
        (form) => (form.id === "" ? { ...form, id: formId } : form),
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
    readMany: (formId, submissionIds, each, unwanted) => {
      const all = Effect.forEach(
        submissionIds,
        (id, index) =>
          Effect.map(get("read", pathOf(formId, id), found(id)), ({ submission }) => each(index, submission)),
        { concurrency: "unbounded", discard: true },
      )
      return unwanted === undefined ? all : unlessUnwanted(all, unwanted)
    },
  }
}
