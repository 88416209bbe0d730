import { connect as connectTcp } from "node:net"
import type { Socket } from "node:net"
import { buildConnector } from "undici"

const interim = /^HTTP\/1\.[01] 100[ \r]/
const headEnd = "\r\n\r\n"
/** Bytes that an interim answer has at most. */
const longestInterim = 4096

/** Whether a text is, or may become, the head of an interim answer. */
const mayBeInterim = (text: string): boolean =>
  text.length < longestInterim
  && (interim.test(text) || "HTTP/1.1 100 ".startsWith(text) || "HTTP/1.0 100 ".startsWith(text))

/**
 * Makes connections for undici's pool that differ from its own in two things. An error resets them: a closed socket's kernel would go on sending what
 * it still holds, perhaps minutes later. And `100 Continue`, which servers and proxies may send unasked, is not an error.
 *
 * @param timeout milliseconds for connecting
 */
export const connector = (timeout: number): buildConnector.connector => {
  const build = buildConnector({ timeout })
  return (options, callback) => {
    const isTls = options.protocol === "https:"
    // Only a TCP socket can be reset, so TLS gets one of ours.
    const tcp = isTls
      ? connectTcp({ host: options.hostname, port: Number(options.port) || 443, noDelay: true })
      : undefined
    build(tcp === undefined ? options : { ...options, httpSocket: tcp }, (...[error, socket]) => {
      if (error !== null) return callback(error, null)
      resetOnError(socket, tcp ?? socket)
      skipContinue(socket)
      callback(null, socket)
    })
  }
}

const resetOnError = (socket: Socket, tcp: Socket): void => {
  let cause: Error | undefined
  socket.destroy = new Proxy(socket.destroy, {
    apply: (destroy, self: Socket, [error]: [Error?]): Socket => {
      if (error !== undefined && cause === undefined && !socket.destroyed && !tcp.destroyed) {
        cause = error
        // Calls `destroy` itself, without the error.
        tcp.resetAndDestroy()
        if (tcp === socket) return self
      }
      return Reflect.apply(destroy, self, [error ?? cause]) as Socket
    },
  })
}

const skipContinue = (socket: Socket): void => {
  // Whether the next byte begins an answer, and what was read of it.
  let isStart = false
  let start: Buffer = Buffer.alloc(0)
  socket.write = new Proxy(socket.write, {
    apply: (write, self, args) => {
      isStart = true
      return Reflect.apply(write, self, args) as boolean
    },
  })
  const read = socket.read.bind(socket)
  socket.read = (size?: number): Buffer | null => {
    for (;;) {
      const chunk = read(size) as Buffer | null
      if (!isStart || chunk === null) return chunk
      start = start.length === 0 ? chunk : Buffer.concat([start, chunk])
      let text = start.toString("latin1", 0, longestInterim)
      for (let end = text.indexOf(headEnd); interim.test(text) && end >= 0; end = text.indexOf(headEnd)) {
        start = start.subarray(end + headEnd.length)
        text = start.toString("latin1", 0, longestInterim)
      }
      if (mayBeInterim(text)) continue
      const answer = start
      start = Buffer.alloc(0)
      isStart = false
      return answer
    }
  }
}
