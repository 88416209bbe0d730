import * as FetchHttpClient from "@effect/platform/FetchHttpClient"
import * as FileSystem from "@effect/platform/FileSystem"
import * as HttpClient from "@effect/platform/HttpClient"
import * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import type * as HttpClientResponse from "@effect/platform/HttpClientResponse"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import { lookup } from "node:dns"
import { BlockList, isIP, type LookupFunction } from "node:net"
import { tmpdir } from "node:os"
import { count } from "../domain/words.ts"
import { ownedFolder } from "../ledger/holder.ts"
import { isSecure } from "../project/address.ts"
import { limits } from "./limits.ts"
import { endsAnywhere, sendRequest, UnknownCoding, unproven } from "./sendRequest.ts"
import { refusing, type SourceError } from "./Source.ts"

/** A file that was fetched. */
export interface Fetched {
  /** Path of the copy. */
  readonly path: string
  /** The file's name in messages and reports. */
  readonly file: string
  /** When the file was last changed, in milliseconds since 1970. Undefined if its server does not report it. */
  readonly changedAt: number | undefined
}

export interface FetchLimits {
  readonly bytes: number
  readonly seconds: number
}

const usual: FetchLimits = { bytes: limits.fetched, seconds: limits.fetchSeconds }

/**
 * Returns an address without anything that may be secret. Shared links contain their key in the query or in the path, so only the host remains, and a
 * name that looks like a file's.
 */
export const shownAddress = (address: string): string => {
  const url = URL.canParse(address) ? new URL(address) : undefined
  if (url === undefined) return "the address"
  const last = url.pathname.split("/").at(-1) ?? ""
  const name = /^[\w .%-]{1,60}\.[A-Za-z]{2,5}$/.test(last) ? last : ""
  const path = url.pathname === "/"
    ? "/"
    : name === "" || url.pathname !== `/${name}`
    ? `/…${name === "" ? "" : `/${name}`}`
    : `/${name}`
  return `${url.protocol}//${url.host}${path}`
}

/** Returns why an address can't be fetched, as the end of a sentence. Undefined if it can be fetched. */
const refused = (address: string): string | undefined => {
  if (!URL.canParse(address)) return "is not an address. Correct `source.file`."
  const url = new URL(address)
  if (url.username !== "" || url.password !== "") {
    return "contains a user name or password. Remove them: sources are fetched without signing in."
  }
  if (isSecure(url)) return undefined
  return url.protocol === "http:"
    ? "would be fetched without encryption. Use its https:// address."
    : "can't be fetched: only https:// addresses can."
}

const answered = (status: number): string =>
  status === 401 || status === 403
    ? "can't be fetched without signing in. Download it yourself, and give its path in `source.file`."
    : status === 404 || status === 410
    ? "was not found on its server. Correct `source.file`."
    : `could not be fetched: the server answered ${status}. Run again later, or download it yourself and give its path.`

const redirects = 5

const inside =
  "redirects to this machine or to a private network. Such redirects are not followed. Download it yourself, and give its path."

/** Whether an error or its cause shows that a name resolves to an address that is not public. */
const isInside = (error: unknown): boolean =>
  typeof error === "object" && error !== null
  && (("code" in error && error.code === notPublic) || ("cause" in error && isInside(error.cause)))

/**
 * Fetches an address and follows redirects, each of which must lead to an address that may be fetched. A server on the internet must not redirect us
 * to this machine or to a private network. So any host other than the one that the pipeline names must be public, judged by the IP address of the
 * connection.
 *
 * @param named the address that the pipeline names
 */
const request = (
  address: string,
  left: number,
  named: string,
): Effect.Effect<HttpClientResponse.HttpClientResponse, string, HttpClient.HttpClient | Scope.Scope> =>
  Effect.gen(function*() {
    const why = refused(address)
    if (why !== undefined) return yield* Effect.fail(why)
    const { hostname } = new URL(address)
    const strict = /^https:/i.test(named) && hostname !== new URL(named).hostname
    if (strict && !mayBePublic(hostname)) return yield* Effect.fail(inside)
    // Trace headers would reveal this run to an external server.
    const client = HttpClient.withTracerPropagation(yield* HttpClient.HttpClient, false)
    const response = yield* client.execute(HttpClientRequest.get(address)).pipe(
      Effect.provideService(FetchHttpClient.RequestInit, strict ? yield* publicOnly : manual),
      Effect.mapError((error) =>
        error.cause instanceof UnknownCoding
          ? error.cause.message
          : isInside(error)
          ? inside
          : "could not be reached. Check the address and the network, then run again."
      ),
    )
    const location = response.headers["location"]
    if (response.status < 300 || response.status >= 400 || location === undefined) return response
    if (left === 0) return yield* Effect.fail("redirects too many times. Download it yourself, and give its path.")
    if (!URL.canParse(location, address)) {
      return yield* Effect.fail(
        "redirects to something that is not an address. Download it yourself, and give its path.",
      )
    }
    return yield* request(new URL(location, address).href, left - 1, named)
  })

const manual: RequestInit = { redirect: "manual" }

/** Options for requests that may only connect to public addresses. */
const publicOnly = Effect.gen(function*() {
  // Uses the default export: in the bundle, a CommonJS package that is imported dynamically has no other export.
  const { default: undici } = yield* Effect.promise(() => import("undici"))
  const agent = yield* Effect.acquireRelease(
    Effect.sync(() => new undici.Agent({ connect: { lookup: publicLookup } })),
    (agent) => Effect.promise(() => agent.destroy()),
  )
  // The dispatcher is for undici (`sendRequest`).
  return { ...manual, dispatcher: agent } as unknown as RequestInit
})

/** Makes a folder for temporary files, which is removed when the scope closes. The error is the end of a sentence about the source. */
export const temporaryFolder = (prefix: string) =>
  ownedFolder(tmpdir(), prefix).pipe(
    Effect.mapError(() => "could not be stored: there is no folder for temporary files. Correct TMPDIR."),
  )

/** The end of a sentence about the source. */
export const diskFull = "could not be stored: the disk for temporary files may be full. Make room, then run again."

/** A temporary file that only its owner can read. Errors are the end of a sentence about the source. */
export interface TemporaryFile {
  readonly path: string
  /** Empties the file, and returns how to append bytes to it until the scope closes. Appending fails if the file would exceed its limit. */
  readonly open: Effect.Effect<(part: Uint8Array) => Effect.Effect<void, string>, string, Scope.Scope>
}

/**
 * Makes a temporary file in its own folder. Both are removed when the scope closes, or by the next run if this run is killed.
 *
 * @param most the maximum size of the file in bytes
 */
export const temporaryFile = (
  most: number,
): Effect.Effect<TemporaryFile, string, FileSystem.FileSystem | Scope.Scope> =>
  Effect.gen(function*() {
    const fs = yield* FileSystem.FileSystem
    const folder = yield* temporaryFolder("formferry-fetched-")
    const path = `${folder}/fetched`
    const open = Effect.map(
      Effect.mapError(
        fs.open(path, { flag: "w", mode: 0o600 }),
        () => "could not be stored: the folder for temporary files is not writable. Correct TMPDIR.",
      ),
      (handle) => {
        let got = 0
        return (part: Uint8Array) => {
          got += part.length
          return got > most
            ? Effect.fail(tooLarge(most))
            : Effect.mapError(handle.writeAll(part), () => diskFull)
        }
      },
    )
    return { path, open }
  })

const tooLarge = (most: number) =>
  `is larger than ${count(most)} bytes, which is the limit for fetching. Download it yourself, and give its path.`

/** Writes a response's body to a temporary file. */
const keep = (response: HttpClientResponse.HttpClientResponse, { open }: TemporaryFile, most: number) =>
  Number(response.headers["content-length"] ?? 0) > most
    ? Effect.fail(tooLarge(most))
    : Effect.flatMap(open, (write) =>
      Stream.runForEach(
        Stream.mapError(
          response.stream,
          () => "was only fetched in part: the connection was lost. None of it was used. Run again.",
        ),
        write,
      ))

const lastModified = ({ headers }: HttpClientResponse.HttpClientResponse): number | undefined => {
  const at = Date.parse(headers["last-modified"] ?? "")
  return Number.isNaN(at) ? undefined : at
}

/**
 * Fetches an address into a temporary file that only its owner can read, so that both readings see the same bytes. The file is removed when the scope
 * closes, or by the next run if this run is killed. Only https is allowed, and http on this machine. Errors contain neither the query nor the path.
 *
 * @param send how requests are sent, for tests
 */
export const fetchFile = (
  address: string,
  most: FetchLimits = usual,
  send: typeof fetch = sendRequest,
): Effect.Effect<Fetched, SourceError, FileSystem.FileSystem | Scope.Scope> =>
  Effect.gen(function*() {
    const file = shownAddress(address)
    const failed = Effect.mapError(refusing(file))
    const copy = yield* failed(temporaryFile(most.bytes))
    const client = yield* Layer.build(FetchHttpClient.layer)
    const changedAt = yield* Effect.scoped(Effect.gen(function*() {
      const response = yield* request(address, redirects, address)
      if (response.status !== 200) return yield* Effect.fail(answered(response.status))
      if (endsAnywhere((name) => response.headers[name])) {
        return yield* Effect.fail(`${unproven} Download it yourself, and give its path.`)
      }
      yield* keep(response, copy, most.bytes)
      return lastModified(response)
    })).pipe(
      Effect.timeoutFail({
        duration: Duration.seconds(most.seconds),
        onTimeout: () => `was not fetched within ${most.seconds} seconds. Download it yourself, and give its path.`,
      }),
      failed,
      Effect.provide(client),
      Effect.provideService(FetchHttpClient.Fetch, send),
    )
    return { path: copy.path, file, changedAt }
  })

/**
 * Addresses of this machine and of private networks, link-local addresses (including a cloud's metadata service), and
 * addresses that belong to no single host (IANA's special-purpose registries, RFC 6890).
 */
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
  // IPv4 addresses that are written as IPv6 (translated or tunnelled).
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

/** The code of the error if a name resolves to an address that is not public. */
const notPublic = "ERR_NOT_PUBLIC"

/** Whether an IP address is public. An IPv4 address that is written as IPv6 (`::ffff:127.0.0.1`) counts as IPv4. */
export const isPublicIp = (ip: string): boolean => {
  const bare = ip.replace(/%.*$/, "")
  const family = isIP(bare)
  return family !== 0 && !blocked.check(bare, family === 4 ? "ipv4" : "ipv6")
}

/** Whether a connection to a URL's host may be attempted. A name is resolved when the connection is made (`publicLookup`). */
const mayBePublic = (hostname: string): boolean => {
  const ip = hostname.replace(/^\[|\]$/g, "")
  return isIP(ip) === 0 || isPublicIp(ip)
}

/** Resolves a name for a connection. Fails with `notPublic` if any of the name's addresses is not public. */
const publicLookup: LookupFunction = (hostname, options, done) => {
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
