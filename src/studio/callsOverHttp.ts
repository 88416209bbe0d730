import * as Effect from "effect/Effect"
import { randomUUID } from "node:crypto"
import type { IncomingMessage, ServerResponse } from "node:http"
import { Readable } from "node:stream"
import { pipeline } from "node:stream/promises"
import type { ReadableStream } from "node:stream/web"
import { guarding, plain, send } from "./Gate.ts"

/** The maximum size of a call's JSON in bytes. Uploads have a limit of their own. */
const maxCall = 16 * 1024 * 1024

/** The calls whose body is a file, which has a limit of its own. */
const withFile: ReadonlySet<string> = new Set(["/api/project/upload", "/api/results/settle"])

/** How long a call may stay open, in milliseconds. A browser opens only six connections to the studio, which all of its pages share. */
const openFor = 500

/** How long a longer call waits for its page, in milliseconds. Browsers let hidden pages ask only once a minute. */
const waitsFor = 150_000

/** Where pages ask for the answers to longer calls. */
const longer = "/api/longer/"

/** A call that is being done. `leave` ends its work. */
interface CallInProgress {
  readonly response: Promise<Response>
  readonly leave: () => void
  /** Ends the work if no page asks for the answer. Undefined while the call's own connection is open. */
  timer?: NodeJS.Timeout
}

/** @effect/platform's own server for Node would add packages for web sockets. */
const requestOf = (incoming: IncomingMessage, url: URL, signal: AbortSignal): Request => {
  const { headers, method = "GET" } = incoming
  return new Request(url, {
    method,
    headers: Object.entries(headers).flatMap(([name, value]) => typeof value === "string" ? [[name, value]] : []),
    signal,
    ...method === "GET" ? {} : { body: Readable.toWeb(incoming) as globalThis.ReadableStream, duplex: "half" },
  })
}

/** Makes a function that does calls. A call that takes longer is answered with 202 and the place of its answer. Work ends if its page no longer waits. */
export const callsOverHttp = (call: (request: Request) => Promise<Response>) =>
  Effect.gen(function*() {
    const long = new Map<string, CallInProgress>()
    const end = ({ leave, response }: CallInProgress) => {
      leave()
      return response
    }
    // Work that is interrupted may have to remove what it wrote.
    yield* Effect.addFinalizer(() => Effect.promise(() => Promise.allSettled([...long.values()].map(end))))

    /** Sends a call's answer, or its place if it does not arrive in time. */
    const answer = async (place: string, inProgress: CallInProgress, time: Promise<void>, outgoing: ServerResponse) => {
      const response = await Promise.race([inProgress.response, time])
      if (outgoing.destroyed) return
      if (response === undefined) {
        inProgress.timer ??= setTimeout(inProgress.leave, waitsFor).unref()
        inProgress.timer.refresh()
        long.set(place, inProgress)
        return send(outgoing, plain(202, ""), { location: place })
      }
      clearTimeout(inProgress.timer)
      long.delete(place)
      outgoing.writeHead(response.status, { ...guarding, ...Object.fromEntries(response.headers) })
      if (response.body === null) outgoing.end()
      // If the page closes the connection, the pipeline ends with an error, and cancels the answer's stream.
      else await pipeline(Readable.fromWeb(response.body as ReadableStream), outgoing).catch(() => undefined)
    }

    return async (incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> => {
      const url = new URL(incoming.url ?? "/", "http://127.0.0.1")
      const known = long.get(url.pathname)
      if (url.pathname.startsWith(longer) && incoming.method === "DELETE") {
        known?.leave()
        return send(outgoing, plain(200, ""))
      }
      if (known !== undefined) return answer(url.pathname, known, Promise.resolve(), outgoing)
      const isGet = incoming.method === "GET"
      if (!isGet && incoming.method !== "POST") return send(outgoing, plain(405, "The studio has no such call."))
      const { "content-length": size = isGet ? 0 : NaN } = incoming.headers
      if (!withFile.has(url.pathname) && !(Number(size) <= maxCall)) {
        return send(outgoing, plain(413, "This call is too large."), { connection: "close" })
      }
      const gone = new AbortController()
      // A page that leaves before it knows the place can choose it.
      const { "call-id": id } = incoming.headers
      const place = longer + (typeof id === "string" && /^[\w-]{36}$/.test(id) ? id : randomUUID())
      const leave = () => {
        gone.abort()
        long.delete(place)
      }
      outgoing.on("close", () => long.has(place) || gone.abort())
      // The time starts when the body has arrived.
      const time = new Promise<void>((resolve) => incoming.on("end", () => setTimeout(resolve, openFor).unref()))
      return answer(place, { response: call(requestOf(incoming, url, gone.signal)), leave }, time, outgoing)
    }
  })
