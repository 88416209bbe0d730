import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { cut } from "../domain/problem.ts"
import { oneLine } from "../domain/words.ts"
import { type Codec, parseJson } from "./codec.ts"
import { type CreateOutcome, ServiceUnusable } from "./FormService.ts"
import { longestPause } from "./pace.ts"
import type { Operation } from "./telemetry.ts"
import { header, isSuccess, type MaybeSent, type NeverSent, type TransportResponse } from "./transport.ts"
import { ErrorBody } from "./wire.ts"

/** What is needed to write messages about a service. */
export interface MessageContext {
  readonly baseUrl: string
  /** Masks the API key in the service's messages, which are written to logs, reports, the ledger and webhooks. */
  readonly masked: (words: string) => string
}

/** The settings for classifying a response. */
export interface OutcomeSettings extends MessageContext {
  readonly codec: Codec
  /** Whether a 503 with `Retry-After` counts as not created. */
  readonly unavailableIsNotCreated: boolean
}

const decodeError = Schema.decodeUnknownOption(ErrorBody)

const decodeIssues = Schema.decodeUnknownOption(
  Schema.parseJson(
    Schema.Array(
      Schema.Struct({
        path: Schema.optional(Schema.Array(Schema.Union(Schema.String, Schema.Number))),
        message: Schema.optional(Schema.String),
        expected: Schema.optional(Schema.Unknown),
      }),
    ),
  ),
)

/** Words in a 400 response that show a problem with the key. A deployment may use different words. */
const credentialWords =
  /api[\s_-]*key|authori[sz]ation header|bearer (token|key)|\bcredentials?\b|\bunauthori[sz]ed\b|\bunauthenticated\b/i

/** Returns the service's own message, or an empty string if there is none. HTML doesn't count as a message. */
const wordsOf = (body: Uint8Array): string => {
  const json = parseJson(body)
  // The message is usually a string that contains a list of issues. A plain list has the same meaning.
  if (typeof json === "object" && json !== null && "message" in json && Array.isArray(json.message)) {
    return JSON.stringify(json.message)
  }
  const error = Option.getOrUndefined(decodeError(json))
  return error?.message ?? error?.error ?? ""
}

/** The maximum number of characters of the service's message that are shown. */
const longestMessage = 500

const quoted = (words: string): string => {
  const line = oneLine(words)
  return line === "" ? "" : ` ("${cut(line, longestMessage)}")`
}

/** Statuses with which a service refuses the content of a create request. They count only if the response says what is wrong. */
const contentStatuses = new Set([400, 413, 422])

/** Returns why a refused request means that the service can't be used. Undefined if the content was refused. */
export const unusable = (
  status: number,
  body: Uint8Array,
  { baseUrl, masked }: MessageContext,
  operation: Operation,
): ServiceUnusable | undefined => {
  if (status < 300 || status >= 500) return undefined
  const words = wordsOf(body)
  const said = quoted(masked(words))
  const error = (reason: ServiceUnusable["reason"], message: string) =>
    new ServiceUnusable({ reason, status, message: `${baseUrl} ${message}` })
  if (status < 400) {
    return error(
      "redirect",
      `answers with a redirect (${status}), which is not followed: the key must not reach a different address. `
        + "Set baseUrl to the address to which it redirects.",
    )
  }
  const isIssues = Option.isSome(decodeIssues(words))
  if (status === 401 || status === 403 || (status === 400 && !isIssues && credentialWords.test(words))) {
    return error(
      "credentials",
      `does not accept the API key: status ${status}${said}. `
        + "Correct the key in the place that the service's `apiKey` in config/formferry.yaml names, such as .env. It must belong to this account.",
    )
  }
  if (operation === "list" && (status === 404 || status === 405)) {
    return error(
      "unexpected",
      `did not return the list: status ${status}${said}. `
        + "Check baseUrl, including its version segment. "
        + "If the service can't list forms and submissions, its `capabilities` in config/formferry.yaml must not contain `list`.",
    )
  }
  if (operation === "delete" && status === 405) {
    return error(
      "unexpected",
      `can't delete submissions: status ${status}${said}. `
        + "Remove `delete` from its `capabilities` in config/formferry.yaml.",
    )
  }
  if (status === 404) {
    return error(
      "form-not-found",
      `does not know this form: status 404${said}. `
        + "Check the form's id and baseUrl, including its version segment. The key's account must be allowed to see the form.",
    )
  }
  if (status === 402) {
    return error("quota", `asks for payment: status 402${said}. Check the account's plan and its limits.`)
  }
  // Without the service's own message (for example, with a proxy's page), nothing shows that the content was refused before any item was created.
  const aboutContent = operation === "create" && contentStatuses.has(status) && words !== ""
  if (status !== 408 && status !== 429 && !aboutContent) {
    if (operation === "delete") {
      return error("unexpected", `refused a deletion with status ${status}${said}. Nothing was deleted by it.`)
    }
    const next = status === 413
      ? "If a proxy limits the size of requests, set sink.batchSize lower."
      : "Ask the service's operator what it means."
    return error("unexpected", `refused the request with status ${status}${said}. Nothing more was sent. ${next}`)
  }
  return undefined
}

/** Returns the error for a wait that is too long. Such a wait means that a quota is used up. */
export const quota = (baseUrl: string, wait: number): ServiceUnusable =>
  new ServiceUnusable({
    reason: "quota",
    status: 429,
    message: `${baseUrl} asks to wait ${
      Math.ceil(wait / 60_000)
    } minutes: a quota is used up. Run again after that time.`,
  })

const refusal = (status: number, body: Uint8Array, sent: number, { masked }: MessageContext): CreateOutcome => {
  const words = wordsOf(body)
  const issues = Option.getOrElse(decodeIssues(words), () => [])
  const indexOf = (path: ReadonlyArray<string | number> | undefined): number | undefined => {
    if (path?.[0] !== "submissions") return undefined
    const index = Number(path[1])
    return Number.isInteger(index) && index >= 0 && index < sent ? index : undefined
  }
  const named = issues.map((issue) => ({ ...issue, index: indexOf(issue.path) }))
  const index = named.find((issue) => issue.index !== undefined)?.index
  const shown = named
    .filter((issue) => issue.index === index)
    .map(({ path, message, expected }) => {
      const where = (path ?? []).slice(index === undefined ? 0 : 2).join(".")
      const what = message ?? (expected === undefined ? "not accepted" : `expected ${JSON.stringify(expected)}`)
      return where === "" ? what : `${where}: ${what}`
    })
  const said = shown.length > 0 ? shown.join("; ") : words
  // Mask the key before cutting the message, because a part of the key is just as secret.
  const message = cut(masked(said), longestMessage)
  return { _tag: "Refused", status, message, index }
}

const inDoubt = (reason: string, error?: ServiceUnusable): CreateOutcome => ({ _tag: "InDoubt", reason, error })

/** Reasons that prove that the request was refused before any item was created. */
const refusedAsAWhole = new Set<ServiceUnusable["reason"]>(["credentials", "form-not-found"])

/**
 * Classifies the outcome of a create request that has a response.
 *
 * @param sent number of items in the request
 * @param wait how many milliseconds the service asked to wait
 */
export const outcomeOfResponse = (
  response: TransportResponse,
  sent: number,
  wait: number | undefined,
  settings: OutcomeSettings,
): CreateOutcome => {
  const { body, headers, status } = response
  if (isSuccess(response)) {
    const created = settings.codec.created(body)
    return created === undefined
      ? inDoubt(`the service answered ${status}, but not with the submissions it created`)
      : { _tag: "Created", ...created }
  }
  if (status === 429) {
    return wait !== undefined && wait > longestPause
      ? { _tag: "Unusable", error: quota(settings.baseUrl, wait) }
      : { _tag: "NotCreated", reason: "the service asked to slow down (429)", throttled: true, wait }
  }
  const error = unusable(status, body, settings, "create")
  if (error !== undefined) {
    return refusedAsAWhole.has(error.reason)
      ? { _tag: "Unusable", error }
      : inDoubt(`the service answered ${status}, and may have created some of the items first`, error)
  }
  if (contentStatuses.has(status)) return refusal(status, body, sent, settings)
  if (status === 503 && settings.unavailableIsNotCreated && header(headers, "retry-after") !== undefined) {
    return { _tag: "NotCreated", reason: "the service is not available (503)", throttled: false, wait }
  }
  return inDoubt(`the service answered ${status}, which does not say whether it created anything`)
}

/** Returns the outcome of a create request without a complete response. */
export const outcomeOfFailure = (failure: NeverSent | MaybeSent): CreateOutcome =>
  failure._tag === "NeverSent"
    ? { _tag: "NotCreated", reason: failure.reason, throttled: false, wait: undefined }
    : inDoubt(
      failure.status === undefined
        ? `${failure.reason} after sending had started`
        : `${failure.reason} after an answer with status ${failure.status} had started`,
    )

/** The text that replaces the API key in a service's message. */
const mask = "<the API key>"

const named: Readonly<Record<string, string>> = { "&": "amp", "<": "lt", ">": "gt", '"': "quot", "'": "apos" }

const literal = (text: string): string => text.replaceAll(/[^\w]/g, String.raw`\$&`)

/**
 * Returns a pattern for a character that may be unchanged, percent-encoded (once or several times), escaped in JSON (at any depth), or an HTML
 * entity.
 */
const encoded = (character: string): string => {
  const code = character.charCodeAt(0)
  const hex = code.toString(16).padStart(2, "0")
  const entity = named[character]
  const forms = [
    literal(character),
    `%(?:25)*${hex}`,
    `u00${hex}`,
    `&#0*${code};`,
    `&#x0*${hex};`,
    ...(entity === undefined ? [] : [`&${entity};`]),
  ]
  return String.raw`\\*(?:${forms.join("|")})`
}

/**
 * Returns how Base64 encodes these bytes inside a longer string, with 0, 1 and 2 bytes before them. Omits characters
 * that also encode neighbouring bytes.
 */
const inBase64 = (bytes: Buffer): ReadonlyArray<string> =>
  [0, 1, 2].map((before) => {
    const text = Buffer.concat([Buffer.alloc(before), bytes]).toString("base64")
    return text.slice(Math.ceil((before * 4) / 3), Math.floor(((before + bytes.length) * 4) / 3))
  })

/**
 * Makes a function that masks a key in a service's message. The key may be unchanged, escaped, percent-encoded, in
 * hexadecimal digits, or in Base64, where it may be part of a longer string (`Bearer KEY`).
 *
 * @param key a string of printable ASCII characters
 */
export const maskKey = (key: string): (text: string) => string => {
  const bytes = Buffer.from(key)
  const coded = inBase64(bytes).flatMap((text) => [text, text.replaceAll("+", "-").replaceAll("/", "_")])
  const pattern = [
    Array.from(key, encoded).join(""),
    bytes.toString("hex"),
    // A short encoded key could be part of an ordinary word.
    ...[...new Set(coded)].filter((text) => text.length >= 8).map(literal),
  ].join("|")
  const found = new RegExp(pattern, "gi")
  return (text) => text.replaceAll(found, mask)
}
