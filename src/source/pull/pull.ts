import type * as FileSystem from "@effect/platform/FileSystem"
import * as Clock from "effect/Clock"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import { hash } from "node:crypto"
import type { Json } from "../../domain/json.ts"
import { count, counted } from "../../domain/words.ts"
import type { LedgerError, LedgerRefused } from "../../ledger/errors.ts"
import type { Connection } from "../../project/connection.ts"
import type { ConfigurationInvalid } from "../../project/errors.ts"
import { isPaged, type Pull } from "../../project/pull.ts"
import { type TemporaryFile, temporaryFile } from "../fetchFile.ts"
import { valueAt } from "../json/pointer.ts"
import { limits } from "../limits.ts"
import { endsAnywhere, unproven } from "../sendRequest.ts"
import { catchOwn, ConnectionUnusable, PullProgress, refusing, SourceError, unusableBy } from "../Source.ts"
import { isErrorText, type JsonWords, lookedError, readJson, shown } from "./answer.ts"
import type { Stated } from "./distinct.ts"
import { type Account, type Answer, exchange, type PullRequest, shownConnection } from "./exchange.ts"
import { finishJob } from "./job.ts"
import { Moved, pager, Unpaged, type Variables } from "./pages.ts"
import { meaningOf, quotaLeft, refusalText } from "./refusal.ts"
import { type OpenConnection, openConnection } from "./signIn.ts"
import { everything, type Increment, type PullFrom, readTime, sinceText, sinceVariables } from "./since.ts"

/** Records that were pulled, as a file. */
export interface Pulled {
  readonly path: string
  /** The source's name in messages and reports. */
  readonly file: string
  /** The number of records and pages, for reports. Undefined if the answer is stored as it is. */
  readonly said: string | undefined
  /** How formferry wrote the file. Undefined if the answer is stored as it is. */
  readonly written?: "csv" | "jsonl"
  /** The tool's definition of the form, and its SHA-256. Undefined if it was not requested. */
  readonly definition: { readonly json: Json; readonly sha256: string } | undefined
  /** The times of the records. Undefined if the pipeline has no `since`. */
  readonly increment?: Increment | undefined
  /** Set if records that were received twice must count once when their number is compared with the tool's. */
  readonly stated?: Stated | undefined
}

// Requests

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
  { base, secrets }: OpenConnection,
  variables: Variables,
  link?: URL,
): PullRequest => {
  const url = link ?? new URL(base + request.path)
  if (link === undefined) {
    for (const [name, value] of texts(request.query, variables)) url.searchParams.append(name, value)
  }
  for (const [name, value] of Object.entries(secrets.query)) url.searchParams.set(name, value)
  // Some servers read `+` in a query as a plus sign, and all read %20 as a space. What the tool itself wrote stays as it is.
  const isOwn = link === undefined || Object.keys(secrets.query).length > 0
  if (isOwn && url.search.includes("+")) url.search = url.search.replaceAll("+", "%20")
  const headers = Object.fromEntries([
    ["user-agent", "formferry"],
    ...texts(request.headers, variables),
    ...Object.entries(secrets.headers),
  ].map(([name = "", value = ""]) => [name.toLowerCase(), value]))
  const place = "source.request"
  const hasFields = Object.keys(secrets.fields).length > 0
  if (request.json !== undefined) {
    const body = JSON.stringify({ ...filled(request.json, variables) as object, ...secrets.fields })
    return { url, method: "POST", headers: { "content-type": "application/json", ...headers }, body, place }
  }
  if (request.form === undefined && !hasFields) return { url, method: "GET", headers, place }
  const form = new URLSearchParams(
    [...texts(request.form, variables), ...Object.entries(secrets.fields)] as Array<[string, string]>,
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

const pageWords: JsonWords = {
  called: "a page",
  tooLarge: "Ask for smaller pages in `source.request`.",
  notJson: "Correct `source.request`. If the answer is a file, remove `page` and `success`.",
}

/** Returns the failure that a page reports although its status is 200, as the end of a sentence. */
const failureIn = (json: Json, { success = {} }: Pull, connection: Connection): string | undefined => {
  for (const [at, good] of Object.entries(success)) {
    const value = valueAt(json, at)
    if (good.some((one) => String(one) === String(value))) continue
    const meaning = meaningOf(connection, json)
    if (meaning !== undefined) return refusalText(connection, meaning, typeof value === "number" ? value : undefined)
    return `reports a failure: ${at} is ${shown(value)}, not ${
      good.join(" or ")
    }. Nothing was imported. Check the secret of the connection and \`source.request\`, or run again later.`
  }
  return undefined
}

/** Returns why the account's quota is not enough for the rest of a pull, as the end of a sentence. Undefined if it is enough or unknown. */
const quotaFault = (connection: Account, json: Json, headers: Headers, needed: number): string | undefined => {
  const left = quotaLeft(connection, json, headers)
  if (left === undefined || left >= needed) return undefined
  return `has ${counted(left, "request")} left in its quota, but the rest of the pull needs at least ${
    counted(needed, "request")
  }. Nothing was imported. Run again when the quota is renewed, or ask for larger pages in \`source.request\`.`
}

/** Returns what it means if a page after the first one is refused. Requests for earlier pages differed only in their place, and were accepted. */
const laterRefusal = ({ page }: Pull, number: number): NonNullable<PullRequest["refusal"]> => {
  const isMarked = page?.cursor !== undefined || page?.link !== undefined || page?.last !== undefined
  const because = isMarked ? ": the cursor has probably expired" : ""
  return {
    statuses: [400, 404, 410, 422],
    message: (status) =>
      `refused page ${
        count(number)
      } (${status}), but not the pages before it${because}. Nothing was imported. Run again. If it happens again, correct \`source.page\` or \`source.request\`.`,
  }
}

/** Records moved between the pages of a pull, so one may be missing. */
class RecordsMoved extends Data.TaggedError("RecordsMoved")<{ readonly message: string }> {}

/** How often a pull whose records moved is started again. */
const repeatsOfPull = 2

/** How much earlier than the tool's clock `{until}` may be, in milliseconds. */
const clockTolerance = 60_000

/** Stores the records of all pages, one a line. Fails with `RecordsMoved` if the pull may be started again. */
const storePages = (
  pull: Pull,
  connection: OpenConnection,
  { open }: TemporaryFile,
  from: PullFrom,
) =>
  Effect.gen(function*() {
    const { since } = pull
    const file = shownConnection(connection)
    const startedAt = yield* Clock.currentTimeMillis
    const times: Array<number> = []
    const wrong = refusing(file)
    const write = yield* Effect.mapError(open, wrong)
    const moved = (message: string) => new RecordsMoved({ message: `${file} ${message}` })
    const pagesUntil = (until: number) => pager(pull, sinceVariables(since, { mark: from.mark, until }))
    // A `Date` header has no milliseconds.
    const until = Math.floor(startedAt / 1000) * 1000
    let pages = pagesUntil(until)
    let isClockKnown = !JSON.stringify(pull.request).includes("{until}")
    const show = yield* PullProgress
    let following: URL | boolean = true
    while (following !== false) {
      if (pages.counts.pages === limits.pages) {
        return yield* wrong(`has more than ${count(limits.pages)} pages. Ask for larger pages in \`source.request\`.`)
      }
      const own = requestOf(pull, connection, pages.variables, following === true ? undefined : following)
      const request = pages.counts.pages === 0 ? own : { ...own, refusal: laterRefusal(pull, pages.counts.pages + 1) }
      const { headers, json } = yield* exchange(
        connection,
        request,
        (answer) => Effect.map(readJson(file, pageWords)(answer), (json) => ({ json, headers: answer.headers })),
      )
      const failure = failureIn(json, pull, connection)
      if (failure !== undefined) return yield* unusableBy(file)(failure)
      const toolTime = Date.parse(headers.get("date") ?? "")
      if (!isClockKnown && (toolTime < until || toolTime > until + clockTolerance)) {
        // After its own time, the tool would return records that arrive during the pull. They would hide that others are missing.
        isClockKnown = true
        pages = pagesUntil(toolTime)
        continue
      }
      isClockKnown = true
      const taken = yield* catchOwn(
        () => pages.take(json, headers, request.url),
        (error) =>
          error instanceof Moved
            ? moved(error.message)
            : error instanceof Unpaged
            ? wrong(error.message)
            : undefined,
      )
      following = taken.following
      if (following !== false) {
        const fault = quotaFault(connection, json, headers, pages.left() + (pull.labels === undefined ? 0 : 1))
        if (fault !== undefined) return yield* unusableBy(file)(fault)
      }
      yield* show("pull", pages.counts.records, pages.total())
      if (since !== undefined) {
        for (const record of taken.records) times.push(readTime(valueAt(record, since.at), since))
      }
      if (taken.lines !== "") yield* Effect.mapError(write(Buffer.from(taken.lines)), wrong)
    }
    const { counts, fault, stated } = pages
    const why = fault()
    if (why !== undefined) return yield* moved(why)
    if (counts.records === 0 && from.mark === undefined) {
      return yield* wrong("has no records. Check the filters in `source.request`, or run again when there are some.")
    }
    const written = pages.isTable() ? "csv" as const : "jsonl" as const
    // The first row of a table is its header.
    const records = written === "csv" ? counts.records - 1 : counts.records
    const said = `${counted(records, "record")} in ${counted(counts.pages, "page")}`
    return since === undefined
      ? { said, written, stated: stated() }
      : { written, said: said + sinceText(since, from), increment: { ...from, startedAt, times }, stated: stated() }
  })

const definitionWords: JsonWords = {
  called: "a definition of the form",
  tooLarge: "Remove `source.labels`.",
  notJson: "Correct `source.labels`.",
}

/** Requests the tool's definition of the form. */
const readDefinition = (pull: Pull, labels: NonNullable<Pull["labels"]>, connection: OpenConnection) => {
  const file = shownConnection(connection)
  return Effect.gen(function*() {
    const request = requestOf({ request: labels }, connection, {})
    const json = yield* exchange(connection, request, readJson(file, definitionWords))
    const failure = failureIn(json, pull, connection)
    if (failure !== undefined) return yield* unusableBy(file)(failure)
    return { json, sha256: hash("sha256", JSON.stringify(json)) }
  }).pipe(Effect.mapError((error) => {
    const message = `${
      error.message.replaceAll("`source.request`", "`source.labels`")
    } This was the second request, for titles and labels.`
    return error._tag === "SourceError" ? new SourceError({ file, message }) : new ConnectionUnusable({ file, message })
  }))
}

/**
 * Pulls all records of a source into a temporary file that only its owner can read, so that both readings see the same bytes. Pages become JSON lines;
 * a single answer is stored as it is. The file is removed when the scope closes. Errors contain no secret, no address beyond its host, and no answer.
 *
 * @param from the records to pull, if the pipeline has `since`. Default: all
 */
export const pullRecords = (pull: Pull, from: PullFrom = everything): Effect.Effect<
  Pulled,
  SourceError | ConnectionUnusable | ConfigurationInvalid | LedgerError | LedgerRefused,
  FileSystem.FileSystem | Scope.Scope
> =>
  Effect.gen(function*() {
    const { account: configured } = pull
    if (configured === undefined) {
      const message = `config/formferry.yaml has no connection ${pull.connection}. Add it under \`connections\`.`
      return yield* new SourceError({ file: pull.connection, message })
    }
    const file = shownConnection(configured)
    const wrong = refusing(file)
    const connection = yield* openConnection(configured, Redacted.value(yield* configured.signIn))
    const stored = yield* Effect.mapError(temporaryFile(limits.fetched), wrong)
    if (isPaged(pull)) {
      let attempts = 0
      const attempt = Effect.suspend(() => {
        attempts++
        return Effect.scoped(storePages(pull, connection, stored, from))
      })
      const pulled = yield* attempt.pipe(
        Effect.retry({ times: repeatsOfPull, while: ({ _tag }) => _tag === "RecordsMoved" }),
        Effect.catchTag("RecordsMoved", ({ message }) =>
          new SourceError({ file, message: `${message} All pages were requested ${attempts} times.` })),
      )
      const said = attempts === 1 ? pulled.said : `${pulled.said}, pulled ${attempts} times because records moved`
      // Requested after the records, so that it contains the questions that were added in the meantime.
      const definition = pull.labels && (yield* readDefinition(pull, pull.labels, connection))
      return { path: stored.path, file, ...pulled, said, definition }
    }
    const show = yield* PullProgress
    const keep = ({ body, headers }: Answer) =>
      Effect.scoped(Effect.gen(function*() {
        if (
          endsAnywhere((name) =>
            headers.get(name)
          )
        ) {
          return yield* wrong(`${unproven} Download it yourself, and import it as a file.`)
        }
        const write = yield* Effect.mapError(stored.open, wrong)
        let bytes = 0
        let head = Buffer.alloc(0)
        yield* Stream.runForEach(body, (part) => {
          bytes += part.length
          if (head.length < lookedError) head = Buffer.concat([head, part.subarray(0, lookedError - head.length)])
          return Effect.zipRight(Effect.mapError(write(part), wrong), show("download", bytes))
        })
        if (isErrorText(head, bytes === head.length)) {
          return yield* unusableBy(file)(
            "sent a text that is probably an error, although the status means success. It is not shown, because it may contain a secret or an answer. Nothing was imported. Check the secret and the rights of the connection, and `source.request`, or run again later.",
          )
        }
        if (bytes === 0) return yield* wrong("sent an empty file. Nothing was imported. Correct `source.request`.")
      }))
    const startedAt = yield* Clock.currentTimeMillis
    const times = sinceVariables(undefined, { mark: undefined, until: startedAt })
    const request = requestOf(pull, connection, times)
    const get = (path: string, link?: URL) => requestOf({ request: { path } }, connection, {}, link)
    const single = pull.job === undefined ? request : yield* finishJob(pull.job, connection, request, get)
    yield* exchange(connection, single, keep)
    return { path: stored.path, file, said: undefined, definition: undefined }
  })
