import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import type { Json } from "../../domain/json.ts"
import { isCutJson, parseJson, placeOf } from "../json/records.ts"
import { limits, thousands } from "../limits.ts"
import { SourceError } from "../Source.ts"
import { Again } from "./exchange.ts"
import type { Answer } from "./exchange.ts"

/** Returns the value at a JSON pointer, or undefined. */
export const valueAt = (value: Json, pointer: string): Json | undefined => {
  let found: Json | undefined = value
  for (const key of placeOf(pointer) ?? []) {
    if (typeof found !== "object" || found === null || !Object.hasOwn(found, key)) return undefined
    found = (found as Readonly<Record<string, Json>>)[key]
  }
  return found
}

/** Returns a value as messages show it. Texts are not shown, because they may be answers. */
export const shown = (value: Json | undefined): string =>
  value === undefined
    ? "missing"
    : typeof value === "number" || typeof value === "boolean" || value === null
    ? String(value)
    : typeof value === "string"
    ? "a different text"
    : Array.isArray(value)
    ? "a list"
    : "an object"

/**
 * Returns the address that an answer contains, or why it can't be requested, as the end of a sentence. Undefined if it is not an address.
 *
 * @param from the address of the request
 * @param what what the address is for
 */
export const linkIn = (link: string, from: URL, what: string): URL | string | undefined => {
  if (!URL.canParse(link, from.href)) return undefined
  const url = new URL(link, from)
  if (url.origin === from.origin) return url
  return `names ${url.origin} for ${what}. The connection's secrets are sent only to ${from.origin}, so it was not requested. Correct \`base\` of the connection.`
}

/** What an answer in JSON is called in messages, and what to do if it is too large or is not JSON. */
export interface JsonWords {
  readonly called: string
  readonly tooLarge: string
  readonly notJson: string
}

/** Whether an answer is the beginning of JSON. The last character may be cut. */
const isCut = (bytes: Uint8Array): boolean => {
  try {
    return isCutJson(new TextDecoder("utf-8", { fatal: true }).decode(bytes, { stream: true }))
  } catch {
    return false
  }
}

/** Reads an answer as JSON. Fails with `Again` if the JSON ends early, as if the connection was lost. */
export const readJson =
  (file: string, { called, notJson, tooLarge }: JsonWords) =>
  ({ body }: Answer): Effect.Effect<Json, SourceError | Again> =>
    Effect.gen(function*() {
      const wrong = (message: string) => new SourceError({ file, message: `${file} ${message}` })
      const parts: Array<Uint8Array> = []
      let bytes = 0
      yield* Stream.runForEach(body, (part) => {
        parts.push(part)
        bytes += part.length
        return bytes <= limits.page
          ? Effect.void
          : wrong(`sent ${called} of more than ${thousands(limits.page)} bytes, which is the limit. ${tooLarge}`)
      })
      const whole = Buffer.concat(parts)
      return yield* Effect.try({
        try: () => parseJson(new TextDecoder("utf-8", { fatal: true }).decode(whole)),
        catch: () =>
          isCut(whole)
            ? new Again({ message: `sent ${called} whose JSON ends early` })
            : wrong(`sent ${called} that is not JSON. ${notJson}`),
      })
    })
