import { Schema } from "effect"
import type { Duration, Effect, Redacted, Scope } from "effect"

/** Proven never to have been sent: the first byte of the request was never handed to the connection. */
export class NeverSent extends Schema.TaggedError<NeverSent>()("NeverSent", {
  /** What happened, in a few words: "connection refused". */
  reason: Schema.String,
  /** The system's or library's code, as `ECONNREFUSED`. */
  code: Schema.optional(Schema.String),
  /** Whether the guard or a cancellation stopped it. */
  heldBack: Schema.optional(Schema.Boolean),
}) {
  override get message() {
    return `The request was not sent: ${this.reason}.`
  }
}

/** Sending had started, so it may have arrived. There is no whole answer. */
export class MaybeSent extends Schema.TaggedError<MaybeSent>()("MaybeSent", {
  reason: Schema.String,
  code: Schema.optional(Schema.String),
  /** The answer's status, if that much arrived. */
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
  /** Called once, right before the first byte. If it returns false, nothing is sent. */
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

/** The service that a transport reaches, and its limits. */
export interface TransportTarget {
  /** Without a trailing slash. */
  readonly baseUrl: string
  /** Sent as a bearer key, to this service only. */
  readonly apiKey: Redacted.Redacted
  /** From the start of a request, including connecting, to the last byte of its answer. */
  readonly timeout: Duration.Duration
  /** The maximum number of requests in flight. The pool is at least as wide, so that nothing queues in it. */
  readonly concurrency: number
  /** The maximum bytes of an answer. Default: 32 MiB. A longer answer fails as MaybeSent. */
  readonly maxAnswer?: number
}

/** Opens a transport; the scope closes its connections. */
export type OpenTransport = (target: TransportTarget) => Effect.Effect<Transport, never, Scope.Scope>

export const defaultMaxAnswer = 32 * 1024 * 1024

/** Returns a header's value, or the first one of a repeated header. */
export const header = (headers: ResponseHeaders, name: string): string | undefined => {
  const value = headers[name]
  return typeof value === "string" ? value : value?.[0]
}
