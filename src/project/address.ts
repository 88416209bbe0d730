import * as Schema from "effect/Schema"
import { expecting } from "./section.ts"

/** A pattern of the scheme of an address, such as `https://`. */
export const scheme = "[A-Za-z][A-Za-z0-9+.-]+://"

/** Whether a file that a pipeline names is an address. */
export const isAtAddress = (file: string): boolean => new RegExp(`^${scheme}`).test(file)

/** A pattern of the host names of this machine. */
export const loopbackHosts = String.raw`(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])`

/** Matches the host names of this machine. */
export const loopback = new RegExp(`^${loopbackHosts}$`)

/** Whether only the server can read what is sent to an address: it uses https, or http to this machine. */
export const isSecure = ({ hostname, protocol }: URL): boolean =>
  protocol === "https:" || (protocol === "http:" && loopback.test(hostname))

/** Returns why a string can't be the base address of a service or connection, or undefined if it can. */
export const addressFault = (text: string): string | undefined => {
  if (!URL.canParse(text)) return "The base address is a URL such as https://forms.example.com/v1/api."
  const url = new URL(text)
  const { hash, password, protocol, search, username } = url
  if (username !== "" || password !== "") {
    return "The base address contains a user name or password. Put the secret in `apiKey` of a service, or `auth` of a connection."
  }
  if (search !== "" || hash !== "") return "The base address must end with its path, without `?` and `#`."
  if (isSecure(url)) return undefined
  return protocol === "http:"
    ? "Plain http is allowed only to this machine (localhost), because it would send the key unencrypted. Write https://."
    : "The base address must begin with https://."
}

/**
 * Checks an address in editors, because they can't parse a URL. Allows https, or http to loopback, without user, query
 * and fragment.
 */
const addressPattern = `^(https://[^?#@/]+(/[^?#]*)?|http://${loopbackHosts}(:\\d+)?(/[^?#]*)?)$`

/** An address to which secrets may be sent. */
export const BaseUrl = Schema.String.pipe(Schema.filter(addressFault, { jsonSchema: { pattern: addressPattern } }))
  .annotations(expecting("an address such as https://forms.example.com/v1/api"))

/** Returns an address without slashes at its end. */
export const withoutSlash = (address: string): string => address.replace(/\/+$/, "")
