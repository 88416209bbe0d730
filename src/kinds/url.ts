import { Schema } from "effect"
import validator from "validator"
import type { Json } from "../domain/json.ts"
import { oneText } from "./cells.ts"
import { different, equivalent, same } from "./compared.ts"
import type { Compared, Kind } from "./Kind.ts"
import { Fault } from "./Kind.ts"

const options = {
  schemes: Schema.optional(
    Schema.NonEmptyArray(Schema.String.pipe(Schema.pattern(/^[a-z][a-z0-9+.-]*$/))).annotations({
      description: "What an address may begin with; when left out: http and https",
      examples: [["https"], ["http", "https", "mailto"]],
    }),
  ),
}

type Options = Schema.Struct.Type<typeof options>

const withHost = new Set(["http", "https", "ftp", "sftp"])

/** Tells web addresses by validator, others (`mailto:`, `tel:`) by the URL standard; blanks are always wrong. */
export const urlCheck = (schemes: ReadonlyArray<string>): (text: string) => boolean => {
  const settings = {
    protocols: schemes.filter((scheme) => withHost.has(scheme)),
    require_protocol: true,
    require_tld: false,
    allow_underscores: true,
    max_allowed_length: 8192,
  }
  return (text) => {
    const scheme = text.slice(0, Math.max(0, text.indexOf(":"))).toLowerCase()
    if (!schemes.includes(scheme)) return false
    return withHost.has(scheme) ? validator.isURL(text, settings) : !/\s/.test(text) && URL.canParse(text)
  }
}

const href = (text: string): string | undefined => URL.canParse(text) ? new URL(text).href : undefined

/** Addresses: equivalent when the URL standard writes them alike (case of the host, the slash of an empty path, percent signs). */
export const compareUrls = (sent: Json, returned: Json): Compared => {
  if (sent === returned) return same
  if (typeof sent !== "string" || typeof returned !== "string") return different
  const address = href(sent)
  return address !== undefined && address === href(returned) ? equivalent("way of writing") : different
}

/** A web address, sent as written. */
export const url: Kind<Options> = {
  name: "url",
  description: "A web address. Sent as a string, as written",
  options,
  sends: "string",
  parts: [],
  partKinds: {},
  many: false,
  types: ["URLInput"],
  compile: (options) => {
    const schemes = options.schemes ?? ["http", "https"]
    const check = urlCheck(schemes)
    const notAUrl = new Fault("not-a-url", `an address that begins with ${schemes.join(": or ")}:`)
    return oneText((text) => check(text) ? text : notAUrl)
  },
  compare: compareUrls,
}
