import type * as FileSystem from "@effect/platform/FileSystem"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import type * as Types from "effect/Types"
import { createHash } from "node:crypto"
import { isList, valueText } from "../../domain/json.ts"
import type { Json } from "../../domain/json.ts"
import type { ConfigurationInvalid } from "../../project/errors.ts"
import { isPaged } from "../../project/pull.ts"
import type { Connection, Pull } from "../../project/pull.ts"
import type { SignIn } from "../../project/signIn.ts"
import { endsAnywhere, temporaryFile, unproven } from "../fetchFile.ts"
import type { TemporaryFile } from "../fetchFile.ts"
import { limits, thousands } from "../limits.ts"
import { ConnectionUnusable, PullProgress, SourceError } from "../Source.ts"
import { linkIn, readJson, shown, valueAt } from "./answer.ts"
import type { JsonWords } from "./answer.ts"
import { exchange, shownConnection } from "./exchange.ts"
import type { Account, Answer, PullRequest } from "./exchange.ts"
import { finishJob } from "./job.ts"
import { withBearer } from "./signIn.ts"
import { everything, type Increment, type PullFrom, readTime, sinceText, sinceVariables } from "./since.ts"

/** Records that were pulled, as a file. */
export interface Pulled {
  readonly path: string
  /** The source's name in messages and reports. */
  readonly file: string
  /** What was pulled, for reports. Undefined if the answer is stored as it is. */
  readonly said: string | undefined
  /** How formferry wrote the file. Undefined if the answer is stored as it is. */
  readonly written?: "csv" | "jsonl"
  /** The tool's definition of the form, and its SHA-256. Undefined if it was not requested. */
  readonly definition: { readonly json: Json; readonly sha256: string } | undefined
  /** The times of the records. Undefined if the pipeline has no `since`. */
  readonly increment?: Increment | undefined
}

// Requests

/** The values of a request that change from page to page. */
interface Variables {
  readonly offset?: number | undefined
  readonly number?: number | undefined
  readonly cursor?: string | number | undefined
  readonly since?: string | number | undefined
  readonly until?: string | number | undefined
}

const variable = /\{(offset|number|cursor|since|until)\}/g

/** Replaces variables in a value. Omits texts, members and items that contain a variable without a value. */
const filled = (value: Json, variables: Variables): Json | undefined => {
  if (typeof value === "string") {
    const names = Array.from(value.matchAll(variable), ([, name]) => name as keyof Variables)
    if (names.some((name) => variables[name] === undefined)) return undefined
    const [only] = names
    if (only !== undefined && value === `{${only}}`) return variables[only]
    return value.replaceAll(variable, (_, name: keyof Variables) => String(variables[name]))
  }
  if (typeof value !== "object" || value === null) return value
  if (Array.isArray(value)) return (value as ReadonlyArray<Json>).flatMap((item) => filled(item, variables) ?? [])
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, member]) => {
      const given = filled(member as Json, variables)
      return given === undefined ? [] : [[name, given]]
    }),
  )
}

/** Returns the members of a mapping as text. */
const texts = (members: Readonly<Record<string, Json>> | undefined, variables: Variables) =>
  Object.entries(filled(members ?? {}, variables) ?? {}).map(([name, value]) => [name, String(value)] as const)

/**
 * Returns the request for a page.
 *
 * @param link the address of the page. If undefined, the request's own address
 */
const requestOf = (
  { request }: Pick<Pull, "request">,
  { base }: Connection,
  signIn: SignIn,
  variables: Variables,
  link?: URL,
): PullRequest => {
  const url = link ?? new URL(base + request.path)
  if (link === undefined) {
    for (const [name, value] of texts(request.query, variables)) url.searchParams.append(name, value)
  }
  for (const [name, value] of Object.entries(signIn.query)) url.searchParams.set(name, value)
  // Some servers read `+` in a query as a plus sign, and all read %20 as a space.
  if (url.search.includes("+")) url.search = url.search.replaceAll("+", "%20")
  const headers = Object.fromEntries([
    ["user-agent", "formferry"],
    ...texts(request.headers, variables),
    ...Object.entries(signIn.headers),
  ].map(([name = "", value = ""]) => [name.toLowerCase(), value]))
  const place = "source.request"
  const hasFields = Object.keys(signIn.fields).length > 0
  if (request.json !== undefined) {
    const body = JSON.stringify({ ...filled(request.json, variables) as object, ...signIn.fields })
    return { url, method: "POST", headers: { "content-type": "application/json", ...headers }, body, place }
  }
  if (request.form === undefined && !hasFields) return { url, method: "GET", headers, place }
  const form = new URLSearchParams(
    [...texts(request.form, variables), ...Object.entries(signIn.fields)] as Array<[string, string]>,
  )
  return {
    url,
    method: "POST",
    headers: { "content-type": "application/x-www-form-urlencoded", ...headers },
    body: form.toString(),
    place,
  }
}

// Pages

/** The pages are not as the pipeline says. The message is the end of a sentence. */
class Unpaged extends Error {}

const pageWords: JsonWords = {
  called: "a page",
  tooLarge: "Ask for smaller pages in `source.request`.",
  notJson: "Correct `source.request`. If the answer is a file, remove `page` and `success`.",
}

/** Returns the failure that a page reports although its status is 200, as the end of a sentence. */
const failureIn = (json: Json, { success = {} }: Pull): string | undefined => {
  for (const [at, good] of Object.entries(success)) {
    const value = valueAt(json, at)
    if (good.some((one) => String(one) === String(value))) continue
    return `reports a failure: ${at} is ${shown(value)}, not ${
      good.join(" or ")
    }. Nothing was used. Check the secret of the connection and \`source.request\`, or run again later.`
  }
  return undefined
}

/**
 * Returns the function that makes lines of the records of a page: a JSON line of each, or a row of CSV if the records are lists of cells, of which the
 * first is the header. Shorter rows are padded. Throws `Unpaged`.
 */
const recordLines = () => {
  let width: number | undefined
  const cell = (value: Json | undefined): string => `"${valueText(value ?? "").replaceAll('"', '""')}"`
  return {
    isTable: () => width !== undefined,
    lines: (records: ReadonlyArray<Json>, isFirst: boolean): string => {
      if (isFirst && isList(records[0] ?? null)) {
        width = records.reduce<number>((most, row) => isList(row) ? Math.max(most, row.length) : most, 1)
      }
      if (width === undefined) return records.map((record) => `${JSON.stringify(record)}\n`).join("")
      const columns = width
      return records.map((row) => {
        if (!isList(row) || row.length > columns) {
          throw new Unpaged(
            "sent records that are not rows of one table. Correct `source.records`, or the range in `source.request`.",
          )
        }
        return `${Array.from({ length: columns }, (_, at) => cell(row[at])).join(",")}\n`
      }).join("")
    },
  }
}

const digest = (text: string): string => createHash("sha256").update(text).digest("base64")

/** Checks the pages of a pull in order, and finds the next one. Errors are the end of a sentence about the source. */
const pager = ({ page, records: place, since }: Pull, times: Pick<Variables, "since" | "until">) => {
  // A record that is skipped because others moved would never be pulled again.
  const mustNotFall = page?.offset !== undefined || page?.number !== undefined || since !== undefined
  const variables: Types.Mutable<Variables> = {
    ...times,
    offset: page?.offset,
    number: page?.number,
    ...(page?.last !== undefined && page.last === since?.at && { cursor: times.since }),
  }
  const seen = new Set<string>()
  /** The digests of records by id. */
  const known = new Map<string, string>()
  const counts = { records: 0, pages: 0 }
  const made = recordLines()
  let total: number | undefined

  const recordsOf = (json: Json): ReadonlyArray<Json> | string => {
    const records = valueAt(json, place)
    if (Array.isArray(records)) return records as ReadonlyArray<Json>
    const lists = typeof json === "object" && json !== null
      ? Object.entries(json).flatMap(([name, value]) => Array.isArray(value) ? [`/${name}`] : [])
      : []
    const hint = lists.length === 0 ? "" : ` It has a list at ${lists.join(", ")}.`
    return `sent a page without a list of records at ${
      place === "" ? "its top" : place
    }.${hint} Correct \`source.records\`.`
  }

  /** Returns the records that no earlier page contained. A record that has changed since is kept, so that the row key shows the difference. */
  const newIn = (records: ReadonlyArray<Json>): ReadonlyArray<Json> => {
    const place = page?.id
    if (place === undefined) return records
    return records.filter((record) => {
      const id = valueAt(record, place)
      if (id === undefined || id === null || id === "") {
        throw new Unpaged(`sent a record without ${place}. Correct \`page.id\`.`)
      }
      const [key, content] = [JSON.stringify(id), digest(JSON.stringify(record))]
      const before = known.get(key)
      if (before === undefined) known.set(key, content)
      return before !== content
    })
  }

  const totalAt = page?.total === undefined ? undefined : "at" in page.total ? page.total.at : page.total.remaining
  const isRemaining = page?.total !== undefined && "remaining" in page.total

  /** Returns why the number of all records can't be right. */
  const totalFault = (json: Json): string | undefined => {
    if (totalAt === undefined || (isRemaining && total !== undefined)) return undefined
    const stated = valueAt(json, totalAt)
    const count = typeof stated === "string" && /^\d+$/.test(stated) ? Number(stated) : stated
    if (typeof count !== "number") return `sent a page without a number at ${totalAt}. Correct \`page.total\`.`
    if (mustNotFall && count < (total ?? 0)) {
      return `lost records while it was read: ${totalAt} was ${thousands(total ?? 0)}, then ${
        thousands(count)
      }. Others may have moved to pages that were already read. Nothing was used. Run again.`
    }
    total = count
    return undefined
  }

  const repeats =
    `repeats a page, so its last page would never come. Nothing was used. Check \`source.page\` and the parameters in \`source.request\`.`

  const cursorFrom = (value: Json | undefined, where: string): string | number | undefined => {
    if (value === undefined || value === null || value === "") return undefined
    if (typeof value !== "string" && typeof value !== "number") {
      throw new Unpaged(`has ${shown(value)} at ${where}, which can't be a cursor. Correct \`source.page\`.`)
    }
    if (seen.size === seen.add(`cursor ${value}`).size) throw new Unpaged(repeats)
    return value
  }

  /** Returns whether there is another page, and its address if the page contains it. */
  const next = (json: Json, records: ReadonlyArray<Json>, headers: Headers, from: URL): URL | boolean => {
    if (page === undefined) return false
    if (page.end !== undefined) {
      const { at, is } = page.end
      const value = valueAt(json, at)
      if (value === undefined) throw new Unpaged(`sent a page without ${at}. Correct \`page.end\`.`)
      if (is.some((one) => String(one) === String(value))) return false
      if (records.length === 0) {
        throw new Unpaged(
          `sent a page without records, although ${at} says that it is not the last one. Nothing was used.`,
        )
      }
    }
    if (page.link !== undefined) {
      const link = cursorFrom(valueAt(json, page.link), page.link)
      if (link === undefined) return false
      const url = linkIn(String(link), from, "its next page")
      if (typeof url === "string") throw new Unpaged(url)
      if (url === undefined) throw new Unpaged(`has no address at ${page.link}. Correct \`page.link\`.`)
      return url
    }
    if (page.cursor !== undefined) {
      variables.cursor = "at" in page.cursor
        ? cursorFrom(valueAt(json, page.cursor.at), page.cursor.at)
        : cursorFrom(headers.get(page.cursor.header), page.cursor.header)
      return variables.cursor !== undefined
    }
    if (records.length === 0) return false
    if (page.last !== undefined) {
      variables.cursor = cursorFrom(valueAt(records.at(-1) ?? null, page.last), page.last)
      if (variables.cursor === undefined) {
        throw new Unpaged(`sent a record without ${page.last}. Correct \`page.last\`.`)
      }
    }
    if (variables.offset !== undefined) variables.offset += records.length
    if (variables.number !== undefined) variables.number++
    return true
  }

  return {
    variables,
    counts,
    /** Returns the number of all records, if the tool states it. */
    total: () => total,
    /** Returns the smallest number of pages that may still come, if there is another one. */
    left: () => {
      const missing = (total ?? 0) - counts.records
      return missing > 0 && counts.records > 0 ? Math.ceil(missing * counts.pages / counts.records) : 1
    },
    isTable: made.isTable,
    /** Takes a page. Returns its records as JSON lines, and what `next` returns. Throws `Unpaged`. */
    take: (json: Json, headers: Headers, from: URL) => {
      const records = recordsOf(json)
      if (typeof records === "string") throw new Unpaged(records)
      const fresh = newIn(records)
      const lines = made.lines(fresh, counts.pages === 0)
      const whole = fresh.length === records.length ? lines : JSON.stringify(records)
      if (records.length > 0 && seen.size === seen.add(digest(whole)).size) throw new Unpaged(repeats)
      counts.pages++
      counts.records += fresh.length
      const fault = totalFault(json)
      if (fault !== undefined) throw new Unpaged(fault)
      return { lines, records: fresh, following: next(json, records, headers, from) }
    },
    /** Returns why the records that were received can't be all, or undefined. */
    fault: (): string | undefined => {
      const received = page?.id === undefined ? counts.records : known.size
      // Records that arrive during the pull are not in the number of the first page.
      if (total === undefined || received === total || (isRemaining && received > total)) return undefined
      return `has ${thousands(total)} records according to ${totalAt}, but sent ${
        thousands(received)
      }. Nothing was used. Run again. If it happens again, check the order and the filters in \`source.request\`.`
    },
  }
}

const requests = (count: number): string => `${thousands(count)} ${count === 1 ? "request" : "requests"}`

/** Returns why the account's quota is not enough for the rest of a pull, as the end of a sentence. Undefined if it is, or if an answer doesn't say. */
const quotaFault = ({ quota }: Account, json: Json, headers: Headers, needed: number): string | undefined => {
  const given = quota === undefined ? undefined : "at" in quota ? valueAt(json, quota.at) : headers.get(quota.header)
  const left = typeof given === "string" && /^\d+$/.test(given) ? Number(given) : given
  // Some tools send -1 if there is no limit.
  if (typeof left !== "number" || left < 0 || left >= needed) return undefined
  return `has ${requests(left)} left in its quota, but the rest of the pull needs at least ${
    requests(needed)
  }. Nothing was used. Run again when the quota is renewed, or ask for larger pages in \`source.request\`.`
}

/** Stores the records of all pages, one a line. */
const storePages = (
  pull: Pull,
  connection: Account,
  signIn: SignIn,
  file: string,
  { open }: TemporaryFile,
  from: PullFrom,
) =>
  Effect.gen(function*() {
    const { since } = pull
    const startedAt = yield* Clock.currentTimeMillis
    const times: Array<number> = []
    const wrong = (message: string) => new SourceError({ file, message: `${file} ${message}` })
    const write = yield* Effect.mapError(open, wrong)
    const pages = pager(pull, since === undefined ? {} : sinceVariables(since, { ...from, startedAt }))
    const show = yield* PullProgress
    let following: URL | boolean = true
    while (following !== false) {
      if (pages.counts.pages === limits.pages) {
        return yield* wrong(
          `has more than ${thousands(limits.pages)} pages. Ask for larger pages in \`source.request\`.`,
        )
      }
      const request = requestOf(pull, connection, signIn, pages.variables, following === true ? undefined : following)
      const { headers, json } = yield* exchange(
        connection,
        request,
        (answer) => Effect.map(readJson(file, pageWords)(answer), (json) => ({ json, headers: answer.headers })),
      )
      const failure = failureIn(json, pull)
      if (failure !== undefined) return yield* new ConnectionUnusable({ file, message: `${file} ${failure}` })
      const taken = yield* Effect.try({
        try: () => pages.take(json, headers, request.url),
        catch: (error) => {
          if (error instanceof Unpaged) return wrong(error.message)
          throw error
        },
      })
      following = taken.following
      if (following !== false) {
        const fault = quotaFault(connection, json, headers, pages.left() + (pull.labels === undefined ? 0 : 1))
        if (fault !== undefined) return yield* new ConnectionUnusable({ file, message: `${file} ${fault}` })
      }
      yield* show("pull", pages.counts.records, pages.total())
      if (since !== undefined) {
        for (const record of taken.records) times.push(readTime(valueAt(record, since.at), since))
      }
      if (taken.lines !== "") yield* Effect.mapError(write(Buffer.from(taken.lines)), wrong)
    }
    const { counts, fault } = pages
    const why = fault()
    if (why !== undefined) return yield* wrong(why)
    if (counts.records === 0 && from.mark === undefined) {
      return yield* wrong("has no records yet. Run again when there are some.")
    }
    const written = pages.isTable() ? "csv" as const : "jsonl" as const
    // The first row of a table is its header.
    const records = written === "csv" ? counts.records - 1 : counts.records
    const said = `${thousands(records)} ${records === 1 ? "record" : "records"} in ${thousands(counts.pages)} ${
      counts.pages === 1 ? "page" : "pages"
    }`
    return since === undefined
      ? { said, written }
      : { written, said: said + sinceText(since, from), increment: { ...from, startedAt, times } }
  })

const definitionWords: JsonWords = {
  called: "a definition of the form",
  tooLarge: "Remove `source.labels`.",
  notJson: "Correct `source.labels`.",
}

/** Requests the tool's definition of the form. */
const readDefinition = (pull: Pull, request: PullRequest, connection: Connection, file: string) =>
  Effect.gen(function*() {
    const json = yield* exchange(connection, request, readJson(file, definitionWords))
    const failure = failureIn(json, pull)
    if (failure !== undefined) return yield* new ConnectionUnusable({ file, message: `${file} ${failure}` })
    return { json, sha256: createHash("sha256").update(JSON.stringify(json)).digest("hex") }
  }).pipe(Effect.mapError((error) => {
    const message = `${
      error.message.replaceAll("`source.request`", "`source.labels`")
    } This was the second request, for titles and labels.`
    return error._tag === "SourceError" ? new SourceError({ file, message }) : new ConnectionUnusable({ file, message })
  }))

/**
 * Pulls all records of a source into a temporary file that only its owner can read, so that both readings see the same bytes. Pages become JSON lines;
 * a single answer is stored as it is. The file is removed when the scope closes. Errors contain no secret, no address beyond its host, and no answer.
 *
 * @param from the records to pull, if the pipeline has `since`. Default: all
 */
export const pullRecords = (
  pull: Pull,
  from: PullFrom = everything,
  most: number = limits.fetched,
): Effect.Effect<
  Pulled,
  SourceError | ConnectionUnusable | ConfigurationInvalid,
  FileSystem.FileSystem | Scope.Scope
> =>
  Effect.gen(function*() {
    const { account: configured } = pull
    if (configured === undefined) {
      const message = `config/formferry.yaml has no connection ${pull.connection}. Add it under \`connections\`.`
      return yield* new SourceError({ file: pull.connection, message })
    }
    const file = shownConnection(configured)
    const wrong = (message: string) => new SourceError({ file, message: `${file} ${message}` })
    const signIn = Redacted.value(yield* configured.signIn)
    const connection = withBearer(configured, signIn)
    const stored = yield* Effect.mapError(temporaryFile(most), wrong)
    if (isPaged(pull)) {
      const pulled = yield* Effect.scoped(storePages(pull, connection, signIn, file, stored, from))
      // Requested after the records, so that it contains the questions that were added in the meantime.
      const definition = pull.labels === undefined
        ? undefined
        : yield* readDefinition(
          pull,
          requestOf({ ...pull, request: pull.labels }, connection, signIn, {}),
          connection,
          file,
        )
      return { path: stored.path, file, ...pulled, definition }
    }
    const show = yield* PullProgress
    const keep = ({ body, headers }: Answer) =>
      Effect.scoped(Effect.gen(function*() {
        if (endsAnywhere((name) => headers.get(name))) {
          return yield* wrong(`${unproven} Download it yourself, and import it as a file.`)
        }
        const write = yield* Effect.mapError(stored.open, wrong)
        let bytes = 0
        yield* Stream.runForEach(body, (part) => {
          bytes += part.length
          return Effect.zipRight(Effect.mapError(write(part), wrong), show("download", bytes))
        })
        if (bytes === 0) return yield* wrong("sent an empty file. Nothing was used. Correct `source.request`.")
      }))
    const request = requestOf(pull, connection, signIn, {})
    const get = (path: string, link?: URL) => requestOf({ request: { path } }, connection, signIn, {}, link)
    const single = pull.job === undefined ? request : yield* finishJob(pull.job, connection, request, get)
    yield* exchange(connection, single, keep)
    return { path: stored.path, file, said: undefined, definition: undefined }
  })
