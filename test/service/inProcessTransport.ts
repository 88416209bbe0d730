import { Duration, Effect, Redacted } from "effect"
import type { ServedRequest } from "../../src/practice/rules.ts"
import {
  defaultMaxAnswer,
  MaybeSent,
  NeverSent,
  type OpenTransport,
  type TransportResponse,
} from "../../src/service/transport.ts"

/** A failed connection: `connect` before the request was written, or `answer` afterwards. */
export interface ConnectionFailed {
  readonly reason: string
}

/** A server without a network. It receives a request, and returns an answer or fails like a connection. */
export interface InProcessServer {
  /** Runs before anything is sent. A failure proves that nothing was sent. */
  readonly connect?: Effect.Effect<void, ConnectionFailed>
  readonly answer: (request: ServedRequest) => Effect.Effect<TransportResponse, ConnectionFailed>
}

/**
 * Sends requests to a server in this process, on Effect's clock, for the simulation. It keeps the same promises as
 * `overHttp`.
 */
export const inProcessTransport = (server: InProcessServer): OpenTransport => (target) =>
  Effect.sync(() => {
    const prefix = new URL(target.baseUrl).pathname.replace(/\/+$/, "")
    const authorization = `Bearer ${Redacted.value(target.apiKey)}`
    const maxAnswer = target.maxAnswer ?? defaultMaxAnswer
    const seconds = Duration.toSeconds(target.timeout)
    return {
      send: (request) =>
        Effect.suspend(() => {
          let begun = false
          const failed = ({ reason }: ConnectionFailed): NeverSent | MaybeSent =>
            begun ? new MaybeSent({ reason }) : new NeverSent({ reason })
          return Effect.interruptible(server.connect ?? Effect.void).pipe(
            Effect.mapError(failed),
            Effect.andThen(Effect.suspend(() => {
              if (request.guard !== undefined && !request.guard()) {
                return Effect.fail(new NeverSent({ reason: "it was held back", heldBack: true }))
              }
              begun = true
              // The caller is often uninterruptible, but must stop waiting for an answer after the timeout.
              return Effect.mapError(
                Effect.interruptible(server.answer({
                  method: request.method,
                  path: prefix + request.path,
                  headers: {
                    authorization,
                    accept: "application/json",
                    "content-type": request.body === undefined ? undefined : "application/json",
                  },
                  body: request.body ?? new Uint8Array(0),
                })),
                failed,
              )
            })),
            Effect.flatMap((response) =>
              response.body.length > maxAnswer
                ? Effect.fail(
                  new MaybeSent({ reason: `the answer is longer than ${maxAnswer} bytes`, status: response.status }),
                )
                : Effect.succeed(response)
            ),
            // `Effect.timeoutFail` is not used: if one of several fibers fails, it ends only after its full time.
            Effect.raceFirst(
              Effect.andThen(Effect.interruptible(Effect.sleep(target.timeout)), () =>
                Effect.fail(failed({
                  reason: `no answer within ${seconds} s, while ${begun ? "waiting for the answer" : "connecting"}`,
                }))),
            ),
          )
        }),
    }
  })
