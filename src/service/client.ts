import { Context, Effect, Redacted } from "effect"
import type { Duration, Scope } from "effect"
import type { Item } from "../domain/item.ts"
import { makeAdmission } from "./Admission.ts"
import { makeCodec } from "./codec.ts"
import { ServiceUnusable } from "./FormService.ts"
import type { CreateOutcome, FormService, SharedService } from "./FormService.ts"
import { maskKey } from "./maskKey.ts"
import { outcomeOfFailure, outcomeOfResponse } from "./outcome.ts"
import type { OutcomeSettings } from "./outcome.ts"
import { overHttp } from "./overHttp.ts"
import { Pace } from "./pace.ts"
import { makeReads } from "./reads.ts"
import { makeAnnounce, makeRequests, segment } from "./requests.ts"
import type { Requests } from "./requests.ts"
import { backOff, defaultReadRetries } from "./schedules.ts"
import type { RetryPolicy } from "./schedules.ts"
import type { OpenTransport } from "./transport.ts"

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

/** How services are reached, where nobody says otherwise: over HTTP. Whoever runs formferry and a service in one process gives another. */
export class Transports extends Context.Reference<Transports>()("formferry/Transports", {
  defaultValue: (): OpenTransport => overHttp,
}) {}

/** Sends each create once, never again, and classifies its outcome. */
const makeCreate = ({ count, send }: Requests, settings: OutcomeSettings): FormService["create"] => {
  // Items whose request is known to have created nothing: sending one of them again is a retry.
  const notCreated = new WeakSet<Item>()
  return (formId, items, guard, unwanted) =>
    Effect.suspend(() => {
      if (items.some((item) => notCreated.has(item))) count("retried")
      const path = `/forms/${segment(formId)}/submissions`
      const body = settings.codec.createRequest(items)
      return Effect.match(send("create", { method: "POST", path, body, guard }, unwanted), {
        onSuccess: ({ response, wait }) => outcomeOfResponse(response, items.length, wait, settings),
        onFailure: outcomeOfFailure,
      })
    }).pipe(Effect.tap((outcome: CreateOutcome) => {
      if (outcome._tag === "NotCreated") { for (const item of items) notCreated.add(item) }
    }))
}

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
    const door = { clock, pace, transport, admission, announce: makeAnnounce(baseUrl, pace) }
    const masked = maskKey(Redacted.value(options.apiKey))
    const outcomes = { codec, baseUrl, masked, unavailableIsNotCreated: options.unavailableIsNotCreated ?? false }
    /** The service as one of those that share it sees it: its requests are counted by itself. */
    const view = (): FormService => {
      const requests = makeRequests(door)
      return {
        baseUrl,
        ...makeReads({ requests, codec, baseUrl, masked, editLinkParameter: options.editLinkParameter, retries }),
        create: makeCreate(requests, outcomes),
        requests: requests.requests,
        pace: requests.pace,
      }
    }
    return { ...view(), apart: Effect.sync(view) }
  })
