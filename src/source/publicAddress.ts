import { lookup } from "node:dns"
import { BlockList, isIP } from "node:net"
import type { LookupFunction } from "node:net"

/** Addresses of this machine, of private networks, of links (a cloud's metadata among them), and of no single host (IANA's special-purpose registries, RFC 6890). */
const special: ReadonlyArray<readonly [network: string, prefix: number, family: "ipv4" | "ipv6"]> = [
  ["0.0.0.0", 8, "ipv4"],
  ["10.0.0.0", 8, "ipv4"],
  ["100.64.0.0", 10, "ipv4"],
  ["127.0.0.0", 8, "ipv4"],
  ["169.254.0.0", 16, "ipv4"],
  ["172.16.0.0", 12, "ipv4"],
  ["192.0.0.0", 24, "ipv4"],
  ["192.168.0.0", 16, "ipv4"],
  ["198.18.0.0", 15, "ipv4"],
  ["224.0.0.0", 3, "ipv4"],
  ["::", 96, "ipv6"],
  // Ways to write an IPv4 address: translated, tunnelled.
  ["64:ff9b::", 96, "ipv6"],
  ["64:ff9b:1::", 48, "ipv6"],
  ["2001::", 32, "ipv6"],
  ["2002::", 16, "ipv6"],
  ["fc00::", 7, "ipv6"],
  ["fe80::", 10, "ipv6"],
  ["fec0::", 10, "ipv6"],
  ["ff00::", 8, "ipv6"],
]

const blocked = new BlockList()
for (const [network, prefix, family] of special) blocked.addSubnet(network, prefix, family)

/** The code of the error with which a name is refused that stands for an address that is not public. */
export const notPublic = "ERR_NOT_PUBLIC"

/** Whether an IP address is one of the public internet. An IPv4 address written as IPv6 (`::ffff:127.0.0.1`) counts as what it is. */
export const isPublicIp = (ip: string): boolean => {
  const bare = ip.replace(/%.*$/, "")
  const family = isIP(bare)
  return family !== 0 && !blocked.check(bare, family === 4 ? "ipv4" : "ipv6")
}

/** Whether the host of a URL may be asked: a name is resolved when it is connected to (`publicLookup`). */
export const mayBePublic = (hostname: string): boolean => {
  const ip = hostname.replace(/^\[|\]$/g, "")
  return isIP(ip) === 0 || isPublicIp(ip)
}

/** Resolves a name for the connection that is made with the result; fails with `notPublic` if any of its addresses is not public. */
export const publicLookup: LookupFunction = (hostname, options, done) => {
  lookup(hostname, { ...options, all: true }, (error, addresses) => {
    if (error !== null) return done(error, "", 0)
    const [first] = addresses
    if (first === undefined || addresses.some(({ address }) => !isPublicIp(address))) {
      return done(Object.assign(new Error("not a public address"), { code: notPublic }), "", 0)
    }
    if (options.all === true) done(null, addresses)
    else done(null, first.address, first.family)
  })
}
