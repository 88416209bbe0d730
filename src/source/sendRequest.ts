import { pipeline, type Readable } from "node:stream"
import type { Dispatcher } from "undici"
import { codingsIn, decoders } from "../service/contentCoding.ts"
import { throughProxy } from "../service/proxy.ts"

/** A server compressed its answer in a way that was not requested. Its message is the end of a sentence about the source. */
export class UnknownCoding extends Error {
  constructor(coding: string) {
    super(`sent an answer compressed as ${JSON.stringify(coding)}, which can't be read. Ask its operator for gzip.`)
  }
}

let agent: Dispatcher | undefined

/**
 * Sends a request with undici, through a proxy if the environment names one. Follows no redirect, and decodes the answer. Unlike `fetch`, it fails if a
 * compressed answer is cut, even where the connection ends as if the answer was whole.
 */
export const sendRequest: typeof fetch = async (input, { body, headers, signal, ...init } = {}) => {
  const { default: undici } = await import("undici")
  agent ??= new undici.Agent({ connect: throughProxy(undici.buildConnector({}), 10_000) })
  const given = Object.fromEntries(new Headers(headers).entries())
  const answer = await undici.request(String(input), {
    dispatcher: "dispatcher" in init ? init.dispatcher as unknown as Dispatcher : agent,
    method: (init.method ?? "GET") as "GET" | "POST",
    headers: { "accept-encoding": "gzip, br", ...given },
    body: body as string | undefined ?? null,
    signal: signal ?? null,
    // The caller's limit covers the whole request. undici's own limits of 5 minutes may be shorter.
    headersTimeout: 0,
    bodyTimeout: 0,
  })
  const answered = new Headers(
    Object.entries(answer.headers).flatMap(([name, value]) =>
      [value ?? []].flat().map((one): [string, string] => [name, one])
    ),
  )
  const decoded = codingsIn(answered.get("content-encoding")).reduce((stream: Readable, coding) => {
    const decoder = decoders.get(coding)
    if (decoder === undefined) throw new UnknownCoding(coding)
    return pipeline(stream, decoder.stream(), () => {})
  }, answer.body)
  const isEmpty = [204, 205, 304].includes(answer.statusCode)
  if (isEmpty) await answer.body.dump()
  return new Response(isEmpty ? null : toWeb(decoded), { status: answer.statusCode, headers: answered })
}

/** Converts a stream. Unlike `Readable.toWeb`, it may be cancelled at any time. */
const toWeb = (stream: Readable): ReadableStream<Uint8Array> => {
  const parts = stream.iterator() as AsyncIterator<Uint8Array>
  return new ReadableStream({
    pull: async (controller) => {
      const { done, value } = await parts.next()
      if (done === true) controller.close()
      else controller.enqueue(value)
    },
    cancel: () => void stream.on("error", () => {}).destroy(),
  })
}

/** Whether an answer ends where its connection ends, so that a lost connection looks like the end. `get` returns a header. */
export const endsAnywhere = (get: (name: string) => string | null | undefined): boolean =>
  (get("content-length") ?? null) === null && !/\bchunked\s*$/i.test(get("transfer-encoding") ?? "")

/** Why an answer that `endsAnywhere` is not used, as the end of a sentence. */
export const unproven =
  "sent a file without its length, so a lost connection would look like the file's end. Nothing of it was used."
