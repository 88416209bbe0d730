import * as Exit from "effect/Exit"
import type { Dispatcher } from "undici"
import { codeOf } from "../domain/systemErrors.ts"
import { decoded } from "./contentCoding.ts"
import { ProxyFault } from "./proxy.ts"
import { MaybeSent, NeverSent, type ResponseHeaders, type TransportResponse } from "./transport.ts"
import { errors } from "./undici.ts"

type Outcome = Exit.Exit<TransportResponse, NeverSent | MaybeSent>

/** Descriptions of network errors, by code. */
const words: Readonly<Record<string, string>> = {
  ECONNREFUSED: "the connection was refused",
  ECONNRESET: "the connection was reset",
  EPIPE: "the connection was closed by the other side",
  ENOTFOUND: "the host name is unknown",
  EAI_AGAIN: "the host name could not be looked up",
  EHOSTUNREACH: "the host can't be reached",
  ENETUNREACH: "the network can't be reached",
  ETIMEDOUT: "the connection timed out",
  UND_ERR_CONNECT_TIMEOUT: "connecting took too long",
  UND_ERR_SOCKET: "the connection was closed by the other side",
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: "the answer was cut short",
  UND_ERR_DESTROYED: "the connection was closed on our side",
  UND_ERR_CLOSED: "the connection was closed on our side",
  EPROTO: "the other side does not speak TLS",
  ERR_SSL_WRONG_VERSION_NUMBER: "the other side does not speak TLS",
  ERR_SSL_PACKET_LENGTH_TOO_LONG: "the other side does not speak TLS",
  DEPTH_ZERO_SELF_SIGNED_CERT: "the server's certificate is self-signed",
  SELF_SIGNED_CERT_IN_CHAIN: "the server's certificate is self-signed",
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: "the server's certificate can't be verified",
  CERT_HAS_EXPIRED: "the server's certificate has expired",
  ERR_TLS_CERT_ALTNAME_INVALID: "the server's certificate is for a different host",
}

/** Describes a network error. For an unknown error, returns only the code or the name, because messages may repeat data that was sent or received. */
const describeFault = (error: unknown): string => {
  if (error instanceof ProxyFault) {
    return error.cause === undefined ? error.message : `${error.message}: ${describeFault(error.cause)}`
  }
  // If several addresses were tried, reports the error of the first.
  const first = error instanceof AggregateError ? error.errors[0] : error
  const code = codeOf(first) || codeOf(error)
  const name = error instanceof Error ? error.name : "unknown"
  if (name === "HTTPParserError") return "the answer is not HTTP"
  return words[code] ?? `the connection failed (${code || name})`
}

/**
 * Handles one request of undici, and records what is known about it. undici calls `onRequestStart` synchronously right before it writes the first
 * byte, and writes nothing if the request is aborted there. So a request was sent if and only if that call happened before a cancellation.
 */
export class Exchange implements Dispatcher.DispatchHandler {
  readonly #maxAnswer: number
  readonly #guard: (() => boolean) | undefined
  readonly #settle: (outcome: Outcome) => void
  #settled = false
  #controller: Dispatcher.DispatchController | undefined
  #status = 0
  #headers: ResponseHeaders = {}
  #chunks: Array<Buffer> = []
  #bytes = 0

  constructor(maxAnswer: number, guard: (() => boolean) | undefined, settle: (outcome: Outcome) => void) {
    this.#maxAnswer = maxAnswer
    this.#guard = guard
    this.#settle = settle
  }

  /** Ends the exchange at once. */
  giveUp(reason: string, error: Error): void {
    if (this.#settled) return
    this.#fail(reason)
    this.#controller?.abort(error)
  }

  expire(timeout: number): void {
    const during = this.#controller === undefined
      ? "connecting"
      : this.#status === 0
      ? "waiting for the answer"
      : "receiving the answer"
    this.giveUp(`no answer within ${timeout / 1000} s, while ${during}`, new errors.RequestAbortedError())
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    if (!this.#settled) {
      // undici repeats a request if it assumes that the first attempt had no effect. That assumption may be wrong.
      if (this.#controller !== undefined) this.#fail("the connection was lost while the request was being written")
      else if (this.#guard?.() === false) {
        this.#end(Exit.fail(new NeverSent({ reason: "it was held back", heldBack: true })))
      }
    }
    if (this.#settled) controller.abort(new errors.RequestAbortedError())
    else this.#controller = controller
  }

  onResponseStart(_: Dispatcher.DispatchController, status: number, headers: ResponseHeaders): void {
    if (status < 200) return
    this.#status = status
    this.#headers = headers
  }

  onResponseData(_: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.#settled) return
    this.#bytes += chunk.length
    if (this.#bytes > this.#maxAnswer) {
      this.giveUp(this.#tooLong, new errors.ResponseExceededMaxSizeError())
      return
    }
    this.#chunks.push(chunk)
  }

  onResponseEnd(): void {
    const [only] = this.#chunks
    const body = this.#chunks.length === 1 && only !== undefined ? only : Buffer.concat(this.#chunks)
    if (this.#headers["content-encoding"] === undefined || body.length === 0) {
      return this.#end(Exit.succeed({ status: this.#status, headers: this.#headers, body }))
    }
    const plain = decoded(this.#headers, body, this.#maxAnswer)
    if (plain === undefined) this.#fail(this.#tooLong)
    else this.#end(Exit.succeed({ status: this.#status, ...plain }))
  }

  onResponseError(_: Dispatcher.DispatchController, error: Error): void {
    if (!this.#settled) this.#fail(describeFault(error))
  }

  get #tooLong(): string {
    return `the answer is longer than ${this.#maxAnswer} bytes`
  }

  #fail(reason: string): void {
    this.#end(
      Exit.fail(
        this.#controller === undefined
          ? new NeverSent({ reason })
          : new MaybeSent({ reason, status: this.#status === 0 ? undefined : this.#status }),
      ),
    )
  }

  #end(outcome: Outcome): void {
    if (this.#settled) return
    this.#settled = true
    this.#chunks = []
    this.#settle(outcome)
  }
}
