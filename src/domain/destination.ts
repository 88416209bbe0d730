/** The service's address and the form. They identify a row in the ledger, together with the pipeline's name and the row key. */
export interface Destination {
  /** The service's canonical address. For the embedded practice service, `practice:` and its name. */
  readonly service: string
  /** The form's id in its metadata. */
  readonly form: string
}

const practice = "practice:"

/** Returns the address that identifies the embedded practice service with this name. Its real address changes with every start. */
export const practiceAddress = (name: string): string => `${practice}${name}`

/** Whether an address belongs to an embedded practice service. Such a service never shares its forms with another one. */
export const isPractice = (address: string): boolean => address.startsWith(practice)

/** Matches an IPv4 address within an IPv6 address, as `URL` writes it. */
const mapped = /^\[::ffff:([0-9a-f]{1,4}):([0-9a-f]{1,4})\]$/

const plainHost = (host: string): string => {
  const [, high, low] = mapped.exec(host) ?? []
  if (high === undefined || low === undefined) return host.replace(/\.$/, "")
  const bits = [high, low].map((half) => Number.parseInt(half, 16))
  return bits.flatMap((half) => [half >> 8, half & 0xff]).join(".")
}

/**
 * Returns the canonical form of a service's address, so that the same service is always the same destination. `URL` normalises scheme, case, default
 * port, dot segments, IPv4 notations and the form of IPv6 and of names that are not ASCII. In addition, this function normalises a trailing dot of
 * the host, IPv4 within IPv6, percent-encoding (RFC 3986, 6.2.2), and repeated and trailing slashes. Keeps the case of the path.
 *
 * @param text an http or https address, valid as a URL
 */
export const canonicalAddress = (text: string): string => {
  const { hostname, pathname, port, protocol } = new URL(text)
  const path = pathname
    .replaceAll(/%[0-9a-f]{2}/gi, (code) => {
      const character = String.fromCharCode(Number.parseInt(code.slice(1), 16))
      return /[\w.~-]/.test(character) ? character : code.toUpperCase()
    })
    .replaceAll(/\/+/g, "/")
    .replace(/\/$/, "")
  return `${protocol}//${plainHost(hostname)}${port === "" ? "" : `:${port}`}${path}`
}

/** Decodes a percent-encoded text, such as a segment of an address's path. Returns a text unchanged if it is not encoded. */
export const percentDecoded = (text: string): string => {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
