import { header, type ResponseHeaders } from "./transport.ts"

/** The rate headers of a service. Times are in milliseconds. */
export interface RateHeaders {
  /** Requests per window, and the window's length if the policy states it. */
  readonly limit: number | undefined
  readonly window: number | undefined
  readonly remaining: number | undefined
  /** The time until the next window starts. */
  readonly reset: number | undefined
  readonly retryAfter: number | undefined
}

const count = (text: string | undefined): number | undefined => {
  const digits = text === undefined ? null : /^\s*(\d+(?:\.\d+)?)/.exec(text)
  return digits === null ? undefined : Number(digits[1])
}

/** Returns how many milliseconds a `Retry-After` asks to wait. It contains seconds or an HTTP date. Undefined for anything else. */
export const retryAfter = (text: string | undefined, now: number): number | undefined => {
  if (text === undefined) return undefined
  if (/^\s*\d+(\.\d+)?\s*$/.test(text)) return Math.ceil(Number(text) * 1000)
  const date = Date.parse(text)
  return Number.isNaN(date) ? undefined : Math.max(0, date - now)
}

/** Numbers of at least this size are points in time, in seconds or milliseconds since 1970. No wait is that long. */
const epochSeconds = 1e9
const epochMillis = 1e12

/** Returns the milliseconds until a window is over. The header contains seconds, or a point in time by the service's clock. */
const resetIn = (given: number | undefined, servicesNow: () => number): number | undefined => {
  if (given === undefined) return undefined
  if (given < epochSeconds) return given * 1000
  return Math.max(0, (given < epochMillis ? given * 1000 : given) - servicesNow())
}

/** Returns the time by the clock of a server, to which its dates refer. `date` is its header `Date`. */
export const serversTime = (date: string | null | undefined, now: number): number => {
  const given = Date.parse(date ?? "")
  return Number.isNaN(given) ? now : given
}

/**
 * Returns the rate headers of a response, or undefined if there are none. Their names are the ones in the IETF draft,
 * with or without the older prefix `x-`.
 */
export const rateHeaders = (headers: ResponseHeaders, now: number): RateHeaders | undefined => {
  const of = (name: string) => header(headers, `ratelimit-${name}`) ?? header(headers, `x-ratelimit-${name}`)
  const limit = count(of("limit"))
  const asked = header(headers, "retry-after")
  const servicesNow = () => serversTime(header(headers, "date"), now)
  // Few responses ask to wait, and parsing a date takes longer than everything else here.
  const after = asked === undefined ? undefined : retryAfter(asked, servicesNow())
  const remaining = count(of("remaining"))
  if (limit === undefined && after === undefined && remaining === undefined) return undefined
  const policy = /(?:^|;)\s*w\s*=\s*(\d+)/.exec(of("policy") ?? "")
  return {
    limit,
    window: policy === null ? undefined : Number(policy[1]) * 1000,
    remaining,
    reset: resetIn(count(of("reset")), servicesNow),
    retryAfter: after,
  }
}
