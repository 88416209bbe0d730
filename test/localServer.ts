import { Effect, type Scope } from "effect"
import {
  createServer,
  type IncomingMessage,
  request,
  type RequestListener,
  Server as HttpServer,
  type ServerResponse,
} from "node:http"
import { type AddressInfo, connect, type Server } from "node:net"
import { networkInterfaces } from "node:os"

/** Lets a server listen on loopback. Returns its port. */
export const listen = (server: Server): Promise<number> =>
  new Promise((done) => server.listen(0, "127.0.0.1", () => done((server.address() as AddressInfo).port)))

/** Lets a server listen on loopback until the scope closes. Returns its port. */
export const listening = (server: Server): Effect.Effect<number, never, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.promise(() => listen(server)),
    () =>
      Effect.sync(() => {
        if (server instanceof HttpServer) server.closeAllConnections()
        server.close()
      }),
  )

/** Whether a TCP connection to this address of this machine is accepted. */
export const accepts = (address: string, port: number): Effect.Effect<boolean> =>
  Effect.async((resume) => {
    const socket = connect({ host: address, port })
    socket.on("connect", () => resume(Effect.succeed(true)))
    socket.on("error", () => resume(Effect.succeed(false)))
    return Effect.sync(() => socket.destroy())
  })

/** The addresses of this machine, apart from 127.0.0.1. Linux answers at every address in 127.0.0.0/8. */
export const otherAddresses: ReadonlyArray<string> = [
  ...(process.platform === "linux" ? ["127.0.0.2"] : []),
  ...Object.values(networkInterfaces()).flatMap((all = []) => all.map(({ address }) => address)),
].filter((address) => address !== "127.0.0.1")

/** Starts an HTTP server on loopback, until the scope closes. Returns its port. */
export const answering = (listener: RequestListener) => Effect.suspend(() => listening(createServer(listener)))

/**
 * Sends a request on to a service. If the service closes the connection, so does this.
 *
 * @param answered gets the service's answer. By default, the answer is passed on
 */
export const sendOn = (
  { host, hostname, port }: URL,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  answered: (answer: IncomingMessage) => void = (answer) => passOn(answer, outgoing),
): void => {
  const { headers, method, url } = incoming
  const sent = request({ host: hostname, port, path: url, method, headers: { ...headers, host } }, answered)
  sent.on("error", () => outgoing.destroy())
  incoming.pipe(sent)
}

const passOn = (answer: IncomingMessage, outgoing: ServerResponse): void => {
  outgoing.writeHead(answer.statusCode ?? 500, answer.headers)
  answer.pipe(outgoing)
}

/** Loses a service's answer: the client sees that the connection breaks. */
export const lose = (outgoing: ServerResponse) => (answer: IncomingMessage): void => {
  answer.resume()
  outgoing.destroy()
}
