// Form tools' APIs over HTTP, written from the vendors' documentation and not from the client: parameters, largest pages, order and end of the pages.
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import { listen } from "../../localServer.ts"

export const token = "tok_9f31c2e07a"

export interface FakeRecord {
  readonly id: number
  readonly name: string
  /** Whether the record was edited, which changes its name and its time of modification. */
  readonly isEdited?: boolean
  /** When the record was made or edited, if it matters, in milliseconds since 1970. */
  readonly at?: number
}

export const records = (from: number, to: number): ReadonlyArray<FakeRecord> =>
  Array.from({ length: to - from + 1 }, (_, at) => ({ id: from + at, name: `Person ${from + at}` }))

/** A request as a tool receives it. */
export interface Received {
  readonly method: string
  readonly url: URL
  readonly headers: IncomingMessage["headers"]
  readonly body: string
}

export interface Sent {
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
  /** JSON, or text and bytes as they are. */
  readonly body?: unknown
}

/** Answers a request from the records in their order of creation. */
export type Tool = (request: Received, store: ReadonlyArray<FakeRecord>) => Sent

export const refused: Sent = { status: 401, body: { message: `the token ${token} is not valid` } }

export const number = (url: URL, name: string, standard: number) => Number(url.searchParams.get(name) ?? standard)

/** KoboToolbox: `start`, `limit`, a `next` link, ordered by `_id`. */
const kobo: Tool = ({ headers, url }, store) => {
  if (headers.authorization !== `Token ${token}`) return refused
  const [start, limit] = [number(url, "start", 0), Math.min(1000, number(url, "limit", 100))]
  const next = new URL(url)
  next.searchParams.set("start", String(start + limit))
  return {
    body: {
      count: store.length,
      next: start + limit < store.length ? next.href : null,
      results: store.slice(start, start + limit).map(({ id, name }) => ({ _id: id, name })),
    },
  }
}

/** Jotform: `offset`, `limit`, a key in the query, and failures with status 200. */
const jotform: Tool = ({ url }, store) => {
  if (url.searchParams.get("apiKey") !== token) return { body: { responseCode: 401, message: "You're not authorized" } }
  const [offset, limit] = [number(url, "offset", 0), Math.min(1000, number(url, "limit", 20))]
  return { body: { responseCode: 200, content: store.slice(offset, offset + limit), "limit-left": 99 } }
}

/** Airtable's listRecords: a cursor in the body of a POST, absent from the last page. */
const airtable: Tool = ({ body, headers }, store) => {
  if (headers.authorization !== `Bearer ${token}`) return refused
  const given = JSON.parse(body) as { readonly pageSize: number; readonly offset?: string }
  const start = given.offset === undefined ? 0 : Number(given.offset.replace("itr/", ""))
  const end = start + Math.min(100, given.pageSize)
  return {
    body: { records: store.slice(start, end), ...(end < store.length ? { offset: `itr/${end}` } : {}) },
  }
}

/** Zoho Creator: a cursor in headers. */
const zoho: Tool = ({ headers, url }, store) => {
  if (headers.authorization !== `Zoho-oauthtoken ${token}`) return refused
  const start = Number(headers["record_cursor"] ?? 0)
  const end = start + number(url, "max_records", 200)
  return { body: { data: store.slice(start, end) }, headers: end < store.length ? { record_cursor: String(end) } : {} }
}

/** Tally: page numbers and `hasMore`. */
const tally: Tool = ({ headers, url }, store) => {
  if (headers.authorization !== `Bearer ${token}`) return refused
  const [page, limit] = [number(url, "page", 1), number(url, "limit", 50)]
  return {
    body: { page, hasMore: page * limit < store.length, submissions: store.slice((page - 1) * limit, page * limit) },
  }
}

/** A tool that continues after the id of the last record. Signs in with a user name and a password. */
const after: Tool = ({ headers, url }, store) => {
  if (headers.authorization !== `Basic ${Buffer.from(`import:${token}`).toString("base64")}`) return refused
  const last = number(url, "after", 0)
  return { body: store.filter(({ id }) => id > last).slice(0, 400) }
}

/** REDCap: one answer to a form with the token among its fields, as JSON or CSV. */
const redcap: Tool = ({ body, headers }, store) => {
  const form = new URLSearchParams(body)
  if (!String(headers["content-type"]).includes("x-www-form-urlencoded") || form.get("token") !== token) {
    return { status: 403, body: `{"error":"You do not have permissions to use the API"}` }
  }
  return form.get("format") === "csv"
    ? { body: ["id,name", ...store.map(({ id, name }) => `${id},${name}`), ""].join("\n") }
    : { body: store }
}

/** A tool that selects records by their time, oldest first. The end of the time is exclusive, as its beginning is not. */
const dated: Tool = ({ headers, url }, store) => {
  if (headers.authorization !== `Bearer ${token}`) return refused
  const time = (name: string, standard: number) => {
    const text = url.searchParams.get(name)
    return text === null ? standard : Date.parse(text)
  }
  const [from, to] = [time("since", Number.NEGATIVE_INFINITY), time("until", Number.POSITIVE_INFINITY)]
  const chosen = store.filter(({ at = 0 }) => at >= from && at < to).toSorted((a, b) =>
    (a.at ?? 0) - (b.at ?? 0) || a.id - b.id
  )
  const [offset, limit] = [number(url, "offset", 0), Math.min(100, number(url, "limit", 20))]
  const items = chosen.slice(offset, offset + limit).map(({ at, ...record }) => ({
    ...record,
    ...(at === undefined ? {} : { updated_at: new Date(at).toISOString() }),
  }))
  return { body: { total: chosen.length, pages: Math.ceil(chosen.length / limit), items } }
}

const tools: Readonly<Record<string, Tool>> = { kobo, jotform, airtable, zoho, tally, after, redcap, dated }

/** A server with all tools, each below its name, and their common records. */
export interface FakeTools {
  readonly base: string
  readonly received: Array<Received>
  store: ReadonlyArray<FakeRecord>
  /** Is asked before each request is answered. Returns the answer if it is not the tool's own; undefined otherwise. */
  meddle: (request: Received, count: number) => Sent | "cut" | "silent" | undefined
}

/** Starts the tools on loopback, or one tool that answers all requests. */
export const startTools = async (only?: Tool): Promise<FakeTools & { readonly stop: () => void }> => {
  const received: Array<Received> = []
  const answer = (request: Received, response: ServerResponse) => {
    received.push(request)
    const tool = only ?? tools[request.url.pathname.split("/")[1] ?? ""]
    const own = () => tool?.(request, fake.store) ?? { status: 404 }
    const meddled = fake.meddle(request, received.length)
    if (meddled === "silent") return
    const { body = "", headers = {}, status = 200 } = meddled === "cut" ? own() : meddled ?? own()
    const text = typeof body === "string" || Buffer.isBuffer(body) ? body : JSON.stringify(body)
    if (meddled === "cut") {
      response.writeHead(status, { ...headers, "content-length": String(text.length) }).write(
        text.slice(0, text.length / 2),
      )
      setTimeout(() => response.destroy(), 20)
    } else response.writeHead(status, headers).end(text)
  }
  const server = createServer((request, response) => {
    // Tests have clocks of their own.
    response.sendDate = false
    let body = ""
    request.setEncoding("utf8").on("data", (part: string) => (body += part)).on("end", () => {
      answer(
        { method: request.method ?? "", url: new URL(request.url ?? "/", fake.base), headers: request.headers, body },
        response,
      )
    })
  })
  const port = await listen(server)
  const fake: FakeTools & { readonly stop: () => void } = {
    base: `http://127.0.0.1:${port}`,
    received,
    store: [],
    meddle: () => undefined,
    stop: () => {
      server.closeAllConnections()
      server.close()
    },
  }
  return fake
}
