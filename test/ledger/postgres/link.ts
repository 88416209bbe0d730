import { Effect, type Scope } from "effect"
import { connect, createServer, type Socket } from "node:net"
import { listen } from "../../localServer.ts"

/**
 * A network between a ledger and its server: a proxy. It can stop forwarding, in both directions, and continue later. As with a frozen network, neither
 * end receives data, FIN or RST meanwhile. Unlike with a frozen network, the proxy accepts and acknowledges what is sent, so no end sends packets
 * again, and a new connection is accepted but gets no answer. `namespaced` in test/faults/networks.ts loses packets.
 */
export interface Link {
  readonly port: number
  /** Forwards this many more messages, and then holds all others back. */
  readonly allow: (messages: number) => void
}

/** The last message that a client sends before it waits, or that a server sends as an answer: Query, Sync, Terminate; ReadyForQuery. */
const last = { client: "QSX", server: "Z" } as const

/** Divides a stream of PostgreSQL's messages after those that expect or end an answer. Forwards the start of a connection as it is. */
const divider = (of: keyof typeof last, forward: (part: Buffer) => void) => {
  let isStarted = false
  let rest = Buffer.alloc(0)
  return {
    start: () => {
      isStarted = true
    },
    take: (data: Buffer) => {
      if (!isStarted) return forward(data)
      rest = Buffer.concat([rest, data])
      for (let at = 0; at + 5 <= rest.length;) {
        const end = at + 1 + rest.readInt32BE(at + 1)
        if (end > rest.length) break
        const isLast = last[of].includes(String.fromCharCode(rest[at] ?? 0))
        at = end
        if (!isLast) continue
        forward(rest.subarray(0, end))
        rest = rest.subarray(end)
        at = 0
      }
    },
  }
}

const impatience = [Buffer.from("('idle_in_transaction_session_timeout', '3s'"), Buffer.from("'99'")] as const

/**
 * Opens a link for the scope.
 *
 * @param portNow the server's port, for each new connection
 * @param isImpatient whether the server ends a session that is idle inside a transaction after 99 ms instead of 3 s. Then the link counts whole
 *   messages
 */
export const openLink = (portNow: () => number, isImpatient: boolean): Effect.Effect<Link, never, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      let left = Infinity
      let held: Array<() => void> = []
      const sockets = new Set<Socket>()
      const pass = (forward: () => void) => {
        if (left > 0 && held.length === 0) {
          left--
          return forward()
        }
        held.push(forward)
      }
      const server = createServer({ noDelay: true }, (client) => {
        const database = connect({ port: portNow(), host: "127.0.0.1", noDelay: true })
        const asked = divider("client", (part) => pass(() => database.write(part)))
        const answered = divider("server", (part) => pass(() => client.write(part)))
        client.on("data", (data: Buffer) => {
          const at = data.indexOf(impatience[0])
          if (isImpatient && at >= 0) {
            impatience[1].copy(data, at + impatience[0].length - impatience[1].length)
            asked.start()
            answered.start()
          }
          asked.take(data)
        })
        database.on("data", (data: Buffer) => answered.take(data))
        sockets.add(client).add(database)
        endTogether(client, database, pass)
      })
      return {
        port: await listen(server),
        allow: (messages: number) => {
          for (left = messages; held.length > 0 && left > 0; left--) held.shift()?.()
        },
        close: () => {
          held = []
          for (const one of sockets) one.destroy()
          server.close()
        },
      }
    }),
    ({ close }) => Effect.sync(close),
  )

/** Passes the end of one connection on to the other. */
const endTogether = (client: Socket, database: Socket, pass = (end: () => void) => end()): void => {
  for (const [one, other] of [[client, database], [database, client]] as const) {
    one.on("error", () => undefined).on("close", () => pass(() => other.destroy()))
  }
}

/** Opens a network that delays what is sent to a server of this machine. */
export const openDelay = async (
  port: number,
  millis: number,
): Promise<{ readonly port: number; readonly close: () => void }> => {
  const server = createServer({ noDelay: true }, (client) => {
    const database = connect({ port, host: "127.0.0.1", noDelay: true })
    client.on("data", (data) => setTimeout(() => database.write(data), millis))
    database.on("data", (data) => client.write(data))
    endTogether(client, database)
  })
  return { port: await listen(server), close: () => server.close() }
}
