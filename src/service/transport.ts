import { Schema } from "effect"
import type { Duration, Effect, Redacted, Scope } from "effect"

/** Proven never to have been sent: the first byte of the request was never handed to the connection. */
export class NeverSent extends Schema.TaggedError<NeverSent>()("NeverSent", {
  /** What happened, in a few words: "connection refused". */
  reason: Schema.String,
  /** The system's or library's code, as `ECONNREFUSED`. */
  code: Schema.optional(Schema.String),
  /** The guard said no: nobody is to blame. */
  heldBack: Schema.optional(Schema.Boolean),
}) {
  override get message() {
    return `The request was not sent: ${this.reason}.`
  }
}

/** Sending had begun, so it may have arrived; there is no (whole) answer. */
export class MaybeSent extends Schema.TaggedError<MaybeSent>()("MaybeSent", {
  reason: Schema.String,
  code: Schema.optional(Schema.String),
  /** The answer's status, where that much arrived. */
  status: Schema.optional(Schema.Number),
}) {
  override get message() {
    return `The request may have arrived, but there is no whole answer: ${this.reason}.`
  }
}

export interface TransportRequest {
  readonly method: "GET" | "POST"
  /** Relative to the base URL, beginning with a slash, encoded. */
  readonly path: string
  /** JSON. */
  readonly body?: Buffer | undefined
  /** Asked once, right before the first byte; false: it is not sent. */
  readonly guard?: (() => boolean) | undefined
}

/** Names in lower case. */
export type ResponseHeaders = Readonly<Record<string, string | ReadonlyArray<string> | undefined>>

export interface TransportResponse {
  readonly status: number
  readonly headers: ResponseHeaders
  readonly body: Uint8Array
}

/** One request, at most once, to one service. It follows no redirect and repeats nothing. */
export interface Transport {
  readonly send: (request: TransportRequest) => Effect.Effect<TransportResponse, NeverSent | MaybeSent>
}

/** Where a transport leads, and its bounds. */
export interface TransportTarget {
  /** Without a trailing slash. */
  readonly baseUrl: string
  /** Sent as a bearer key, to this service only. */
  readonly apiKey: Redacted.Redacted
  /** From the start of a request, connecting included, to the last byte of its answer. */
  readonly timeout: Duration.Duration
  /** Requests in flight at most: the pool is no narrower, so that nothing queues below. */
  readonly concurrency: number
  /** Bytes of an answer at most; default 32 MiB. A longer answer is given up: MaybeSent. */
  readonly maxAnswer?: number
}

/** Opens a transport; the scope closes its connections. */
export type OpenTransport = (target: TransportTarget) => Effect.Effect<Transport, never, Scope.Scope>

export const defaultMaxAnswer = 32 * 1024 * 1024

/** A header's value; of a repeated one the first. */
export const header = (headers: ResponseHeaders, name: string): string | undefined => {
  const value = headers[name]
  return typeof value === "string" ? value : value?.[0]
}
