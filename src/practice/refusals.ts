import * as ParseResult from "effect/ParseResult"
import { maxItems } from "../domain/item.ts"

/** A response of the practice service. */
export interface PracticeAnswer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

export const json = (status: number, body: string): PracticeAnswer => ({
  status,
  headers: { "content-type": "application/json; charset=utf-8" },
  body,
})

const names: Readonly<Record<number, string>> = {
  400: "Bad Request",
  403: "Forbidden",
  404: "Not Found",
  413: "Payload Too Large",
  415: "Unsupported Media Type",
  429: "Too Many Requests",
}

/** Returns a response with the service's error envelope. */
export const refusal = (status: number, message: string): PracticeAnswer =>
  json(status, JSON.stringify({ statusCode: status, error: names[status] ?? "Error", message }))

export const notFound = refusal(404, "Not Found")

export const tooManyRequests = refusal(429, "Too many requests. Try again soon.")

/** A mistake in a create request, as services report it. */
export interface Issue {
  readonly code: string
  readonly path: ReadonlyArray<string | number>
  readonly expected?: string
  readonly received?: string
  readonly message: string
}

const typeName = (value: unknown): string =>
  value === undefined ? "undefined" : value === null ? "null" : Array.isArray(value) ? "array" : typeof value

const at = (body: unknown, path: ReadonlyArray<PropertyKey>): unknown =>
  path.reduce<unknown>(
    (value, member) =>
      typeof value === "object" && value !== null
        ? (value as Readonly<Record<PropertyKey, unknown>>)[member]
        : undefined,
    body,
  )

const expectation = (message: string): string => {
  const said = /^Expected (.*?)(, actual|$)/s.exec(message)?.[1] ?? "a value"
  return said.startsWith("ReadonlyArray") || said.startsWith("an array")
    ? "array"
    : said.startsWith("{")
    ? "object"
    : said
}

/** Returns the issues of a malformed body. They contain the types of values, but never the values. */
export const issuesOf = (body: unknown, error: ParseResult.ParseError): ReadonlyArray<Issue> =>
  ParseResult.ArrayFormatter.formatErrorSync(error).map((issue): Issue => {
    const path = issue.path.filter((member): member is string | number => typeof member !== "symbol")
    const received = typeName(at(body, path))
    if (issue._tag === "Missing") {
      return { code: "invalid_type", path, expected: "present", received: "undefined", message: "Required" }
    }
    if (issue.message.startsWith("Invalid ")) return { code: "invalid_string", path, message: issue.message }
    if (issue.message.includes("at most")) {
      return { code: "too_big", path, message: `Array must contain at most ${maxItems} element(s)` }
    }
    const expected = expectation(issue.message)
    return { code: "invalid_type", path, expected, received, message: `Expected ${expected}, received ${received}` }
  })

/** Refuses a create request because of its content, with a 400 whose message is a JSON array of issues, as text. */
export const invalid = (issues: ReadonlyArray<Issue>): PracticeAnswer => refusal(400, JSON.stringify(issues))
