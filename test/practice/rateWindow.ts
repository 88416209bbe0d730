import type { PracticeSettings } from "../../src/practice/rules.ts"

/** Limits the requests in each fixed window, and states the limit in the headers that services send. */
export const rateWindow = (requests: number, windowSeconds: number): NonNullable<PracticeSettings["rate"]> => {
  let opened = -Infinity
  let used = 0
  return (now) => {
    if (now - opened >= windowSeconds * 1000) {
      opened = now
      used = 0
    }
    const allowed = used < requests
    if (allowed) used += 1
    const reset = String(Math.max(1, Math.ceil((opened + windowSeconds * 1000 - now) / 1000)))
    return {
      allowed,
      headers: {
        "ratelimit-limit": String(requests),
        "ratelimit-policy": `${requests};w=${windowSeconds}`,
        "ratelimit-remaining": String(requests - used),
        "ratelimit-reset": reset,
        ...(allowed ? {} : { "retry-after": reset }),
      },
    }
  }
}
