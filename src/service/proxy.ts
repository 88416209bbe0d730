import { request } from "node:http"
import { connect as connectTcp, type Socket } from "node:net"
import { getProxyForUrl } from "proxy-from-env"
import { type buildConnector, errors } from "./undici.ts"

/** Why a proxy did not connect to the service, as the end of a sentence without the proxy's user name and password. `cause`: the error of the connection to the proxy. */
export class ProxyFault extends Error {}

/** Gets a TCP connection, or the reason why there is none. */
type Callback = (...[error, socket]: [Error, null] | [null, Socket]) => void

/**
 * Returns a connector that makes TLS connections with another one, over a TCP connection that is opened here. If the environment names a proxy for the host
 * (HTTPS_PROXY or ALL_PROXY, unless NO_PROXY contains the host), it leads through that proxy, which can't read what is sent.
 *
 * @param timeout the maximum number of milliseconds for connecting to the proxy
 */
export const throughProxy =
  (connect: buildConnector.connector, timeout: number): buildConnector.connector => (options, callback) => {
    if (options.protocol !== "https:") return connect(options, callback)
    openTcp(
      options,
      timeout,
      (...[error, httpSocket]) =>
        error === null ? connect({ ...options, httpSocket }, callback) : callback(error, null),
    )
  }

/** Returns the address of a proxy, and the header with its user name and password. Undefined if the text is not the address of an HTTP proxy. */
const proxyAt = (address: string) => {
  try {
    const { host, hostname, password, port, protocol, username } = new URL(address)
    if (protocol !== "http:") return undefined
    const secret = Buffer.from(`${decodeURIComponent(username)}:${decodeURIComponent(password)}`).toString("base64")
    const headers = username === "" ? {} : { "proxy-authorization": `Basic ${secret}` }
    return { host, hostname: hostname.replaceAll(/[[\]]/g, ""), port: port || 80, headers }
  } catch {
    return undefined
  }
}

/** Opens a TCP connection to a host, through its proxy if it has one (CONNECT, RFC 9110, section 9.3.6). */
const openTcp = (to: buildConnector.Options, timeout: number, callback: Callback): void => {
  const [host, port] = [to.hostname, Number(to.port) || 443]
  const target = `${host.includes(":") ? `[${host}]` : host}:${port}`
  const address = getProxyForUrl(`https://${target}`)
  if (address === "") return callback(null, connectTcp({ host, port, noDelay: true }))
  const failed = (why: string, cause?: Error) => callback(new ProxyFault(why, { cause }), null)
  const proxy = proxyAt(address)
  if (proxy === undefined) {
    return failed("the environment's HTTPS_PROXY or ALL_PROXY is not an address such as http://proxy.example.com:3128")
  }
  const tunnel = request({
    method: "CONNECT",
    host: proxy.hostname,
    port: proxy.port,
    path: target,
    headers: { host: target, ...proxy.headers },
    agent: false,
  })
  const timer = setTimeout(() => tunnel.destroy(new errors.ConnectTimeoutError()), timeout)
  const named = `the proxy ${proxy.host}`
  tunnel.once("connect", ({ statusCode = 0 }, socket: Socket) => {
    clearTimeout(timer)
    if (statusCode >= 200 && statusCode < 300) return callback(null, socket)
    socket.destroy()
    failed(
      statusCode === 407
        ? `${named} requires a user name and a password, as in HTTPS_PROXY=http://NAME:PASSWORD@HOST:PORT`
        : `${named} answered ${statusCode} instead of connecting to the service`,
    )
  })
  tunnel.once("error", (error) => {
    clearTimeout(timer)
    failed(`${named} did not connect to the service`, error)
  })
  tunnel.end()
}
