import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import type { Json } from "../../domain/json.ts"
import { count } from "../../domain/words.ts"
import { isSecure } from "../../project/address.ts"
import { isCutJson, parseJson } from "../json/records.ts"
import { RepeatedMember } from "../json/walk.ts"
import { limits } from "../limits.ts"
import { refusing, type SourceError } from "../Source.ts"
import { Again, type Answer } from "./exchange.ts"

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
 * Returns an address that an answer contains, or why it can't be requested, as the end of a sentence. Undefined if the text is not an address.
 *
 * @param from the address of the request
 * @param what the purpose of the address, for messages
 */
export const linkIn = (link: string, from: URL, what: string): URL | string | undefined => {
  if (!URL.canParse(link, from.href)) return undefined
  const url = new URL(link, from)
  if (url.username !== "" || url.password !== "") {
    return `sent an address with a user name or a password for ${what}. Only the connection's own secrets are sent, so that address was not requested. Correct \`source.page\`, or ask the tool's administrator to correct the server's own address.`
  }
  if (url.origin === from.origin) return url
  // Only a secure address can be a connection's base.
  return `sent an address on ${url.origin} for ${what}. The connection's secrets are sent only to ${from.origin}, so that address was not requested. ${
    isSecure(url)
      ? "Correct `base` of the connection."
      : "Ask the tool's administrator to correct the server's own address, or don't use the address in `source`."
  }`
}

/** The name of an answer in messages, and what to do if it is too large or is not JSON. */
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
      const wrong = refusing(file)
      const parts: Array<Uint8Array> = []
      let bytes = 0
      yield* Stream.runForEach(body, (part) => {
        parts.push(part)
        bytes += part.length
        return bytes <= limits.page
          ? Effect.void
          : wrong(`sent ${called} of more than ${count(limits.page)} bytes, which is the limit. ${tooLarge}`)
      })
      const whole = Buffer.concat(parts)
      return yield* Effect.try({
        try: () => parseJson(new TextDecoder("utf-8", { fatal: true }).decode(whole)),
        catch: (error) =>
          isCut(whole)
            ? new Again({ message: `sent ${called} whose JSON ends early` })
            : error instanceof RepeatedMember
            ? wrong(
              `sent ${called} with an object that has two members of the same name, so one of them would be lost. Nothing was imported. Correct this in the tool.`,
            )
            : wrong(`sent ${called} that is not JSON in UTF-8. ${notJson}`),
      })
    })

/** The number of bytes at the beginning of an answer that are searched for an error. */
export const lookedError = 4096

/**
 * Whether a tool probably answered with an error instead of a file, although the status means success.
 *
 * @param head the beginning of the answer
 * @param isWhole whether it is the whole answer
 */
export const isErrorText = (head: Uint8Array, isWhole: boolean): boolean => {
  const text = new TextDecoder("utf-8").decode(head).trim()
  if (/^(?:"?errors?"?\s*(?:[:!]|-\s)|\{\s*"errors?"\s*:\s*(?:"[^"]|\{|\[\s*[^\]\s]))/i.test(text)) return true
  // A header alone has a delimiter, unless it has only one column. Binary formats have control characters.
  return isWhole && text !== "" && !/^[[{<]|[\n\r,;|\t]|\p{Cc}/u.test(text)
}
