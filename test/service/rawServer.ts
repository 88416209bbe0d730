import { Effect } from "effect"
import { createServer, type Socket } from "node:net"
import { listen } from "../localServer.ts"

/** A TCP server on loopback that does exactly what a test says, and records every byte received. */
export interface RawServer {
  readonly port: number
  /** The bytes that each connection received, in the order in which connections were accepted. */
  readonly received: ReadonlyArray<string>
  /** The request lines of all connections. */
  readonly requests: () => ReadonlyArray<string>
}

/** `onData` is called each time more arrives, with everything that its connection received so far. */
export const rawServer = (
  onData: (socket: Socket, soFar: string, connection: number) => void,
  onConnect: (socket: Socket) => void = () => {},
) =>
  Effect.acquireRelease(
    Effect.promise(async (): Promise<RawServer & { readonly close: () => void }> => {
      const received: Array<string> = []
      const sockets = new Set<Socket>()
      const server = createServer((socket) => {
        const connection = received.push("") - 1
        sockets.add(socket)
        socket.on("error", () => {})
        socket.on("close", () => sockets.delete(socket))
        socket.on("data", (chunk) => {
          received[connection] += chunk.toString("latin1")
          onData(socket, received[connection] ?? "", connection)
        })
        onConnect(socket)
      })
      return {
        port: await listen(server),
        received,
        requests: () => received.flatMap((text) => text.match(/(GET|POST|DELETE) \S+ HTTP/g) ?? []),
        close: () => {
          for (const socket of sockets) socket.destroy()
          server.close()
        },
      }
    }),
    ({ close }) => Effect.sync(close),
  )

/** Returns a whole answer as text on the wire. */
export const answerText = (status: number, body: string, headers: ReadonlyArray<string> = []): string =>
  [
    `HTTP/1.1 ${status} Whatever`,
    "content-type: application/json",
    ...headers,
    `content-length: ${Buffer.byteLength(body)}`,
    "",
    body,
  ].join("\r\n")
