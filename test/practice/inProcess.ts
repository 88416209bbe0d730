import { Effect, Runtime } from "effect"
import type { Reply } from "../../src/practice/faults.ts"
import { brokenDown, type Practice, type PracticeOptions, prefix, start } from "../../src/practice/PracticeService.ts"
import type { OpenTransport, TransportResponse } from "../../src/service/transport.ts"
import { type ConnectionFailed, inProcessTransport } from "../service/inProcessTransport.ts"

/** A practice service without a network. */
export interface InProcessPractice extends Practice {
  readonly baseUrl: string
  readonly open: OpenTransport
}

/**
 * Opens the practice service without a network, as a transport for the simulation. Like a server, it finishes a request
 * that its client has abandoned.
 */
export const inProcess = (
  options: PracticeOptions,
): Effect.Effect<InProcessPractice> =>
  Effect.gen(function*() {
    const { practice, faults, clock } = yield* start(options, "http://127.0.0.1")
    const run = Runtime.runCallback(yield* Effect.runtime<never>())
    const open: OpenTransport = (target) => {
      const connection = {}
      return inProcessTransport({
        connect: Effect.suspend(() =>
          clock.unsafeCurrentTimeMillis() < faults.refusedUntil()
            ? Effect.fail({ reason: "the connection was refused" })
            : Effect.void
        ),
        answer: (request) =>
          Effect.async((resume) => {
            const drawn = faults.draw(request, connection)
            if (drawn.fault?.resetsUnread === true) return resume(asSeen({ _tag: "Reset" }))
            run(faults.reply(request, drawn), {
              onExit: (exit) => resume(asSeen(exit._tag === "Success" ? exit.value : brokenDown)),
            })
          }),
      })(target)
    }
    return { ...practice, baseUrl: `http://127.0.0.1${prefix}`, open }
  })

/** Returns what a client sees of a reply. */
const asSeen = (reply: Reply): Effect.Effect<TransportResponse, ConnectionFailed> => {
  switch (reply._tag) {
    case "Answer": {
      const { body, headers, status } = reply.answer
      return Effect.succeed({ status, headers, body: Buffer.from(body) })
    }
    case "Cut":
      return Effect.fail({ reason: "the answer was cut short" })
    case "Reset":
      return Effect.fail({ reason: "the connection was reset" })
    case "Silence":
      return Effect.never
  }
}
