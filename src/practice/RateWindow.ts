/** So many requests per window. */
export interface RateLimit {
  readonly requests: number
  readonly windowSeconds: number
}

/** A fixed window, with the headers that have been seen (service-observations.md, "Pace"). */
export class RateWindow {
  readonly #limit: RateLimit
  #opened = -Infinity
  #used = 0

  constructor(limit: RateLimit) {
    this.#limit = limit
  }

  /** Counts a request at `now` (milliseconds): whether it is allowed, and the headers of its answer. */
  count(now: number): { readonly allowed: boolean; readonly headers: Readonly<Record<string, string>> } {
    const { requests, windowSeconds } = this.#limit
    if (now - this.#opened >= windowSeconds * 1000) {
      this.#opened = now
      this.#used = 0
    }
    const allowed = this.#used < requests
    if (allowed) this.#used += 1
    const reset = String(Math.max(1, Math.ceil((this.#opened + windowSeconds * 1000 - now) / 1000)))
    return {
      allowed,
      headers: {
        "ratelimit-limit": String(requests),
        "ratelimit-policy": `${requests};w=${windowSeconds}`,
        "ratelimit-remaining": String(requests - this.#used),
        "ratelimit-reset": reset,
        ...(allowed ? {} : { "retry-after": reset }),
      },
    }
  }
}
