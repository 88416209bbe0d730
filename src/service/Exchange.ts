import { Exit } from "effect"
import { errors } from "undici"
import type { Dispatcher } from "undici"
import { describeFault } from "./faultText.ts"
import { MaybeSent, NeverSent } from "./transport.ts"
import type { ResponseHeaders, TransportResponse } from "./transport.ts"

type Outcome = Exit.Exit<TransportResponse, NeverSent | MaybeSent>

/**
 * One request over undici, and what is known of it. undici calls `onRequestStart` synchronously right before it writes the first byte, and writes
 * nothing when the request is aborted there: whether that happened while the exchange was still wanted is the whole question "was it sent?".
 */
export class Exchange implements Dispatcher.DispatchHandler {
  /** Milliseconds of the transport's clock. */
  readonly deadline: number
  readonly #maxAnswer: number
  readonly #guard: (() => boolean) | undefined
  readonly #settle: (outcome: Outcome) => void
  #settled = false
  #controller: Dispatcher.DispatchController | undefined
  #status = 0
  #headers: ResponseHeaders = {}
  #chunks: Array<Buffer> = []
  #bytes = 0

  constructor(
    deadline: number,
    maxAnswer: number,
    guard: (() => boolean) | undefined,
    settle: (outcome: Outcome) => void,
  ) {
    this.deadline = deadline
    this.#maxAnswer = maxAnswer
    this.#guard = guard
    this.#settle = settle
  }

  /** Ends it from outside, at once. */
  giveUp(reason: string, error: Error): void {
    if (this.#settled) return
    this.#fail(reason, undefined)
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
    if (this.#settled) {
      controller.abort(new errors.RequestAbortedError())
      return
    }
    // undici writes a request again when it thinks that the first writing had no effect. It may have had.
    if (this.#controller !== undefined) {
      this.#fail("the connection was lost while the request was being written", undefined)
      controller.abort(new errors.RequestAbortedError())
      return
    }
    if (this.#guard !== undefined && !this.#guard()) {
      this.#end(Exit.fail(new NeverSent({ reason: "it was held back", heldBack: true })))
      controller.abort(new errors.RequestAbortedError())
      return
    }
    this.#controller = controller
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
      this.giveUp(`the answer is longer than ${this.#maxAnswer} bytes`, new errors.ResponseExceededMaxSizeError())
      return
    }
    this.#chunks.push(chunk)
  }

  onResponseEnd(): void {
    const [only] = this.#chunks
    const body = this.#chunks.length === 1 && only !== undefined ? only : Buffer.concat(this.#chunks)
    this.#end(Exit.succeed({ status: this.#status, headers: this.#headers, body }))
  }

  onResponseError(_: Dispatcher.DispatchController, error: Error): void {
    if (this.#settled) return
    const { reason, code } = describeFault(error)
    this.#fail(reason, code)
  }

  #fail(reason: string, code: string | undefined): void {
    this.#end(
      Exit.fail(
        this.#controller === undefined
          ? new NeverSent({ reason, code })
          : new MaybeSent({ reason, code, status: this.#status === 0 ? undefined : this.#status }),
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
