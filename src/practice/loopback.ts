import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"
import { createServer, type Server } from "node:http"

/** Whether a Host header contains the address of a server on loopback. Refuses web pages whose host name was redirected to this address (DNS rebinding). */
export const isOwnHost = (host: string | undefined, port: number): host is string =>
  ["127.0.0.1", "localhost"].some((name) => host === `${name}:${port}` || (port === 80 && host === name))

/** Returns a content security policy that allows a page only these sources. */
export const pagePolicy = (...allowed: ReadonlyArray<string>): string =>
  ["default-src 'none'", ...allowed, "base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'"].join("; ")

/** The practice service or the studio can't listen on the given port (exit code 2). */
export class PortUnusable extends Schema.TaggedError<PortUnusable>()("PortUnusable", {
  /** What should listen, as the beginning of a sentence. */
  what: Schema.String,
  port: Schema.Number,
  code: Schema.String,
}) {
  override get message() {
    return `${this.what} can't listen on port ${this.port} (${this.code}). Choose a different port with --port.`
  }
}

/** Makes a server listen on loopback. */
export const listenAt = (server: Server, port: number, what: string): Effect.Effect<Server, PortUnusable> =>
  Effect.async((resume) => {
    const failed = ({ code, name }: NodeJS.ErrnoException) =>
      resume(new PortUnusable({ what, port, code: code ?? name }))
    server.once("error", failed)
    server.listen(port, "127.0.0.1", () => {
      server.off("error", failed)
      resume(Effect.succeed(server))
    })
  })

/** Opens a server on loopback until the scope closes. Port 0 chooses any free port. */
export const listen = (port: number, what: string): Effect.Effect<Server, PortUnusable, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.suspend(() => listenAt(createServer(), port, what)),
    (server) =>
      Effect.async<void>((resume) => {
        server.close(() => resume(Effect.void))
        server.closeAllConnections()
      }),
  )
