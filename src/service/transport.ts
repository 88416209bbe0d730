import type * as Duration from "effect/Duration"
import type * as Effect from "effect/Effect"
import type * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"

/** A request that was certainly never sent: its first byte was never passed to the connection. */
export class NeverSent extends Schema.TaggedError<NeverSent>()("NeverSent", {
  /** What happened, in a few words, such as "connection refused". */
  reason: Schema.String,
  /** Whether the guard or a cancellation prevented the request. */
  heldBack: Schema.optional(Schema.Boolean),
  /** Whether no later request can be sent either. */
  final: Schema.optional(Schema.Boolean),
}) {
  override get message() {
    return `The request was not sent: ${this.reason}.`
  }
}

/** A request that may have arrived, because sending had started. There is no complete response. */
export class MaybeSent extends Schema.TaggedError<MaybeSent>()("MaybeSent", {
  reason: Schema.String,
  /** The response's status, if it arrived. */
  status: Schema.optional(Schema.Number),
}) {
  override get message() {
    return `The request may have arrived, but no complete answer came back: ${this.reason}.`
  }
}

export interface TransportRequest {
  readonly method: "GET" | "POST" | "DELETE"
  /** The encoded path, relative to the base URL, beginning with a slash. */
  readonly path: string
  /** JSON. */
  readonly body?: Buffer | undefined
  /** Called once, right before the first byte. If this returns false, nothing is sent. */
  readonly guard?: (() => boolean) | undefined
}

/** The names are in lower case. */
export type ResponseHeaders = Readonly<Record<string, string | ReadonlyArray<string> | undefined>>

export interface TransportResponse {
  readonly status: number
  readonly headers: ResponseHeaders
  readonly body: Uint8Array
}

export const isSuccess = ({ status }: TransportResponse): boolean => status >= 200 && status < 300

/** Sends one request to one service, at most once. Follows no redirect and repeats nothing. */
export interface Transport {
  readonly send: (request: TransportRequest) => Effect.Effect<TransportResponse, NeverSent | MaybeSent>
}

/** The service that a transport reaches, and the limits for its requests. */
export interface TransportTarget {
  /** Includes the version segment, but no trailing slash. */
  readonly baseUrl: string
  /** Sent as a bearer token, to this service only. */
  readonly apiKey: Redacted.Redacted
  /** The time from the start of a request, including connecting, to the last byte of its response. */
  readonly timeout: Duration.Duration
  /** The maximum number of requests in flight. The pool has at least as many connections, so that nothing queues there. */
  readonly concurrency: number
  /** The maximum number of bytes in a response. Default: 32 MiB. A longer response fails as MaybeSent. */
  readonly maxAnswer?: number
}

/** Opens a transport, and closes its connections when the scope closes. */
export type OpenTransport = (target: TransportTarget) => Effect.Effect<Transport, never, Scope.Scope>

export const defaultMaxAnswer = 32 * 1024 * 1024

/** Returns a header's value. If the header is repeated, returns its first value. */
export const header = (headers: ResponseHeaders, name: string): string | undefined => {
  const value = headers[name]
  return typeof value === "string" ? value : value?.[0]
}
