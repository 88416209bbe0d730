import { Duration } from "effect"
import type { Fault, FaultOf } from "./faultKinds.ts"
import { invalid, json, refusal } from "./refusals.ts"
import type { PracticeAnswer } from "./refusals.ts"

/** A fault that answers in the service's stead. */
export type ForgedFault = FaultOf<"throttled" | "credentials" | "invalid" | "status" | "html" | "wrong-shape">

export const isForged = (fault: Fault): fault is ForgedFault =>
  fault.fault === "throttled" || fault.fault === "credentials" || fault.fault === "invalid"
  || fault.fault === "status" || fault.fault === "html" || fault.fault === "wrong-shape"

/** How credential failures were worded where they were measured (service-observations.md, "Errors"). */
const wordings = {
  missing: "API authorization header missing",
  underscore: "API key missing underscore",
  format: "Incorrectly formatted API key was passed",
  invalid: "API Key invalid",
} as const

const page = (title: string): PracticeAnswer["body"] =>
  `<!DOCTYPE html><html><head><title>${title}</title></head><body><h1>${title}</h1></body></html>`

const asHtml = (status: number, title: string): PracticeAnswer => ({
  status,
  headers: { "content-type": "text/html; charset=utf-8" },
  body: page(title),
})

/**
 * The answer that a fault gives in the service's stead.
 *
 * @param request.items how many items a create sent; 0 for other requests
 * @param request.guilty index of the item that holds the text that the fault looks for
 * @param now milliseconds
 */
export const forge = (
  fault: ForgedFault,
  request: { readonly items: number; readonly guilty: number | undefined },
  now: number,
  pick: (below: number) => number,
): PracticeAnswer => {
  switch (fault.fault) {
    case "throttled": {
      const answer = refusal(429, "Too many requests. Try again soon.")
      const wait = fault.wait === undefined ? 1_000 : Duration.toMillis(fault.wait)
      // A date has no milliseconds: rounded up, so that who waits for it is not early.
      const told = fault.retryAfter === "seconds"
        ? { "retry-after": String(Math.ceil(wait / 1000)) }
        : fault.retryAfter === "date"
        ? { "retry-after": new Date(Math.ceil((now + wait) / 1000) * 1000).toUTCString() }
        : {}
      return { ...answer, headers: { ...answer.headers, ...told } }
    }
    case "credentials":
      return refusal(fault.status, wordings[fault.wording])
    case "invalid": {
      const item = request.guilty ?? fault.item ?? pick(Math.max(1, request.items))
      return fault.named
        ? invalid([{
          code: "invalid_type",
          path: ["submissions", item, "questions", 0, "value"],
          expected: "string",
          message: "Not accepted",
        }])
        : refusal(400, "One of the submissions is not accepted")
    }
    case "status": {
      const title = fault.message ?? `Status ${fault.status}`
      const answer = fault.body === "json"
        ? refusal(fault.status, title)
        : fault.body === "html"
        ? asHtml(fault.status, title)
        : { status: fault.status, headers: {}, body: "" }
      return {
        ...answer,
        headers: {
          ...answer.headers,
          ...(fault.location === undefined ? {} : { location: fault.location }),
          ...(fault.retryAfter === undefined
            ? {}
            : { "retry-after": String(Math.ceil(Duration.toSeconds(fault.retryAfter))) }),
        },
      }
    }
    case "html":
      return asHtml(200, "Please wait")
    case "wrong-shape":
      return json(200, JSON.stringify({ ok: true, submissions: "accepted" }))
  }
}
