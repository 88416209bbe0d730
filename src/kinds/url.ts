import * as Schema from "effect/Schema"
import isURL from "validator/lib/isURL.js"
import { hasInvisible, oneText } from "./cells.ts"
import { compareTextBy } from "./compared.ts"
import { Fault, type Kind, option } from "./Kind.ts"

const Scheme = Schema.String.pipe(Schema.pattern(/^[a-z][a-z0-9+.-]*$/)).annotations({
  description: "a scheme such as https",
})

const options = {
  schemes: option(
    Schema.NonEmptyArray(Scheme),
    "The schemes that an address may have (default: http and https)",
    ["https"],
    ["http", "https", "mailto"],
  ),
}

type Options = Schema.Struct.Type<typeof options>

const withHost = new Set(["http", "https", "ftp", "sftp"])

/** Returns the check for addresses with these schemes. Checks web addresses with validator, and others (`mailto:`, `tel:`) by the URL standard. */
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
    return withHost.has(scheme) ? isURL.default(text, settings) : !/\s/.test(text) && URL.canParse(text)
  }
}

/**
 * Compares addresses in the normal form of the URL standard. Ignores the host's case, a missing slash after the host, and whether characters are
 * percent-encoded because they are not ASCII.
 */
export const compareUrls = compareTextBy(
  (text) => URL.canParse(text) ? new URL(text).href : undefined,
  "way of writing",
)

/** A web address, sent as written. */
export const url: Kind<Options> = {
  name: "url",
  description: "A web address. Sent as a string, as written",
  options,
  sends: "string",
  types: ["URLInput"],
  compile: ({ schemes = ["http", "https"] }) => {
    const check = urlCheck(schemes)
    const notAUrl = new Fault("not-a-url", `an address that begins with ${schemes.join(": or ")}:`)
    const invisible = new Fault("not-a-url", "an address without invisible characters (such as a zero-width space)")
    return oneText((text) => hasInvisible(text) ? invisible : check(text) ? text : notAUrl)
  },
  compare: compareUrls,
}
