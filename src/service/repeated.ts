import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import { ServiceUnusable } from "./FormService.ts"
import { type MessageContext, quota, unusable } from "./outcome.ts"
import { longestPause } from "./pace.ts"
import type { Requests } from "./requests.ts"
import type { backOff } from "./schedules.ts"
import type { Operation } from "./telemetry.ts"
import { header, type MaybeSent, type NeverSent, type TransportRequest, type TransportResponse } from "./transport.ts"

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
export const isAbsent = (status: number): boolean => status === 404 || status === 410

const isWebPage = (body: Uint8Array): boolean => /^\s*</.test(new TextDecoder().decode(body.subarray(0, 64)))

const isRetryable = (error: Retryable | ServiceUnusable): error is Retryable => error._tag === "Retryable"

/** What an operation returns, for messages. */
const returned: Readonly<Record<Exclude<Operation, "create">, string>> = {
  metadata: "the requested form",
  read: "the requested submission",
  list: "a list",
  delete: "an answer to a deletion",
}

/** Makes the function that sends a request that is safe to repeat. Each retry waits for a new turn. */
export const makeRepeated = (
  { baseUrl, masked, requests, retries }: MessageContext & {
    readonly requests: Requests
    readonly retries: ReturnType<typeof backOff>
  },
) => {
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
    const what = isWebPage(body)
      ? "a web page instead of"
      : header(response.headers, "content-encoding") === undefined
      ? "a body that is not"
      : "a compressed body that can't be read instead of"
    const unexpected = retryable("unexpected", `status ${status} came with ${what} ${returned[operation]}`)
    // A sign-in page, or the page at a wrong address, would most likely be the answer to each retry, too. Nothing was sent yet.
    return Exit.fail(operation === "metadata" && isWebPage(body) ? unreachable(unexpected) : unexpected)
  }

  const unanswered = (failure: NeverSent | MaybeSent): Exit.Exit<never, Retryable | ServiceUnusable> =>
    failure._tag === "NeverSent" && failure.final === true
      ? Exit.fail(
        new ServiceUnusable({ reason: "unreachable", message: `${baseUrl} is not used any more: ${failure.reason}` }),
      )
      : Exit.fail<Retryable>({ _tag: "Retryable", reason: failure.reason, kind: "unreachable", status: undefined })

  /** Sends a request until its response can be decoded. */
  return <A>(
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
}
