import { Effect, type Scope } from "effect"
import { answering } from "../localServer.ts"

/** A request that the server received. */
export interface Heard {
  readonly method: string
  readonly path: string
  readonly headers: Readonly<Record<string, string | ReadonlyArray<string> | undefined>>
  readonly body: string
}

/**
 * Starts a server on loopback that records requests. It answers with the given statuses in turn, and repeats the last
 * one.
 */
export const hearing = (
  statuses: ReadonlyArray<number> = [200],
  headers: Readonly<Record<string, string>> = {},
): Effect.Effect<{ readonly port: number; readonly heard: ReadonlyArray<Heard> }, never, Scope.Scope> =>
  Effect.gen(function*() {
    const heard: Array<Heard> = []
    const port = yield* answering((incoming, outgoing) => {
      const parts: Array<Buffer> = []
      incoming.on("data", (part: Buffer) => parts.push(part))
      incoming.on("end", () => {
        const status = statuses[Math.min(heard.length, statuses.length - 1)] ?? 200
        const { headers: sent, method = "", url = "" } = incoming
        heard.push({ method, path: url, headers: sent, body: Buffer.concat(parts).toString("utf8") })
        outgoing.writeHead(status, headers).end("ok")
      })
    })
    return { port, heard }
  })
