import { hash, randomBytes } from "node:crypto"
import type { IncomingMessage, ServerResponse } from "node:http"
import { pageTo } from "../jobs/report.ts"
import { isOwnHost, pagePolicy } from "../practice/loopback.ts"

/** A reply without a page. */
export interface Reply {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | Uint8Array
}

/** Headers of every reply. The page may use only its own scripts, styles and requests. */
export const guarding = {
  "content-security-policy": pagePolicy(...["script", "style", "connect", "img"].map((one) => `${one}-src 'self'`)),
  "x-content-type-options": "nosniff",
  "referrer-policy": "no-referrer",
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
  "cache-control": "no-store",
}

export const plain = (status: number, body: string): Reply => ({
  status,
  headers: { "content-type": "text/plain; charset=utf-8" },
  body: `${body}\n`,
})

export const send = (
  outgoing: ServerResponse,
  { body, headers, status }: Reply,
  more: Readonly<Record<string, string>> = {},
) => {
  outgoing.writeHead(status, { ...guarding, ...headers, ...more })
  outgoing.end(body)
}

const foreign = plain(403, "The studio accepts requests only from its own page.")

const secret = () => randomBytes(24).toString("base64url")

const digest = (text: string): string => hash("sha256", text)

/**
 * Decides who may use the studio. Other users and programs of the machine can reach its port, and a browser sends requests for any web page. So a
 * request needs the studio's own address, its own origin, and a session. A link with a single-use token starts a session.
 *
 * @param anotherLink says how to get another link
 */
export const makeGate = (port: number, anotherLink: string) => {
  /** Digests of the sessions. Looking up a digest takes no time from which a session could be guessed. */
  const sessions = new Set<string>()
  let newest: string | undefined
  // Browsers send a cookie to every port of a host, so its name contains the port.
  const cookie = `formferry-studio-${port}`

  const start = (token: string): Reply => {
    if (newest === undefined || digest(token) !== digest(newest)) {
      const ended =
        "If someone else has used it, end the studio, which ends their session, and start it with --no-open."
      return plain(403, `This link was used, or is not the newest one. ${anotherLink} ${ended}`)
    }
    newest = undefined
    const session = secret()
    sessions.add(digest(session))
    return {
      status: 200,
      headers: {
        "content-type": "text/html; charset=utf-8",
        "set-cookie": `${cookie}=${session}; Path=/; HttpOnly; SameSite=Strict`,
      },
      // A redirect would not carry a strict cookie if a page of a different site contained the link.
      body: pageTo("/"),
    }
  }

  const hasSession = (cookies = ""): boolean =>
    cookies.split(";").some((one) => {
      const [name = "", value = ""] = one.trim().split("=", 2)
      return name === cookie && sessions.has(digest(value))
    })

  return {
    /** Returns a link that starts a session once. Earlier unused links no longer work. */
    newLink: (): string => {
      newest = secret()
      return `http://127.0.0.1:${port}/open?token=${newest}`
    },
    /** Returns the reply to a request that may not pass, or that starts a session. Undefined if the request may pass. */
    check: ({ headers, method, url = "/" }: Pick<IncomingMessage, "headers" | "method" | "url">): Reply | undefined => {
      const { host, origin } = headers
      if (!URL.canParse(url, "http://127.0.0.1")) return plain(400, "This is not an address.")
      if (!isOwnHost(host, port)) return plain(421, "This address is not the studio's.")
      if (origin !== undefined ? origin !== `http://${host}` : method !== "GET" && method !== "HEAD") return foreign
      const { pathname, searchParams } = new URL(url, "http://127.0.0.1")
      if (pathname === "/open" && method === "GET") return start(searchParams.get("token") ?? "")
      const site = headers["sec-fetch-site"]
      if (site !== undefined && site !== "same-origin" && site !== "none") return foreign
      return hasSession(headers.cookie)
        ? undefined
        : plain(
          403,
          `This page has no session. Open the link that the studio printed, which works once. ${anotherLink}`,
        )
    },
  }
}
