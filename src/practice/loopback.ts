import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { createServer, type Server } from "node:http"

/** Whether a Host header contains the address of a server on loopback. Refuses web pages whose host name was redirected to this address (DNS rebinding). */
export const isOwnHost = (host: string | undefined, port: number): host is string =>
  ["127.0.0.1", "localhost"].some((name) => host === `${name}:${port}` || (port === 80 && host === name))

/**
 * Makes a server listen on loopback.
 *
 * @param refused returns the error, from the system's code
 */
export const listenAt = <E>(server: Server, port: number, refused: (code: string) => E): Effect.Effect<Server, E> =>
  Effect.async((resume) => {
    const failed = (error: NodeJS.ErrnoException) => resume(Effect.fail(refused(error.code ?? error.name)))
    server.once("error", failed)
    server.listen(port, "127.0.0.1", () => {
      server.off("error", failed)
      resume(Effect.succeed(server))
    })
  })

/** Opens a server on loopback until the scope closes. Port 0 chooses any free port. */
export const listen = <E>(port: number, refused: (code: string) => E): Effect.Effect<Server, E, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.suspend(() => listenAt(createServer(), port, refused)),
    (server) =>
      Effect.async<void>((resume) => {
        server.close(() => resume(Effect.void))
        server.closeAllConnections()
      }),
  )
