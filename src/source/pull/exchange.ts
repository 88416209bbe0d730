import * as FetchHttpClient from "@effect/platform/FetchHttpClient"
import * as Clock from "effect/Clock"
import * as Data from "effect/Data"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import { canonicalAddress } from "../../domain/destination.ts"
import type { Json } from "../../domain/json.ts"
import { codeOf } from "../../domain/systemErrors.ts"
import type { LedgerError, LedgerRefused } from "../../ledger/errors.ts"
import { databaseOf } from "../../ledger/openLedger.ts"
import type { Connection } from "../../project/connection.ts"
import type { ConfigurationInvalid } from "../../project/errors.ts"
import { type Admission, makeAdmission, momentOf, type Pacing } from "../../service/Admission.ts"
import { longestPause, Pace } from "../../service/pace.ts"
import { retryAfter, serversTime } from "../../service/rateHeaders.ts"
import { backOff, defaultReadRetries } from "../../service/schedules.ts"
import { SharedPace } from "../../service/SharedPace.ts"
import { parseJson } from "../json/records.ts"
import { sendRequest, UnknownCoding } from "../sendRequest.ts"
import { ConnectionUnusable, refusing, type SourceError, unusableBy } from "../Source.ts"
import { knowsRefusals, meaningOf, quotaLeft, refusalText } from "./refusal.ts"

/** A request with its secrets. No part of it may be shown. */
export interface PullRequest {
  readonly url: URL
  readonly method: "GET" | "POST"
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string
  /** The key of the pipeline or the project file that describes the request, for messages. */
  readonly place: string
  /** Statuses that don't mean that the request is wrong. `message` returns their meaning, as the end of a sentence. */
  readonly refusal?: { readonly statuses: ReadonlyArray<number>; readonly message: (status: number) => string }
}

/** A token that is obtained when it is first needed, and that may expire. */
export interface Bearer {
  /** Returns the token, and whether it was obtained just now. */
  readonly token: Effect.Effect<
    { readonly text: string; readonly isNew: boolean },
    SourceError | ConnectionUnusable
  >
  /** Forgets the token, so that `token` obtains a new one. */
  readonly forget: Effect.Effect<void>
}

/** A connection that is in use. */
export interface Account extends Connection {
  /** The pace and the queue of the account's requests. */
  readonly pace: Pacing
  readonly admission: Admission
  /** The token that every request sends. Undefined if requests sign in in another way. */
  readonly bearer?: Bearer | undefined
}

/** A response with a status that means success. */
export interface Answer {
  readonly headers: Headers
  /** Fails if the connection is lost. */
  readonly body: Stream.Stream<Uint8Array, Again>
}

/** An attempt failed, and may be repeated. The message is the end of a sentence. */
export class Again extends Data.TaggedError("Again")<{ readonly message: string }> {}

/** A token that an earlier request used was refused. It may have expired. */
class Expired extends Data.TaggedError("Expired") {}

/**
 * The paces of accounts whose requests this process counts. They are global, because pipelines share accounts, and each run loads its connection again. The
 * times of a pace are those of one clock.
 */
const pacesOf = new WeakMap<Clock.Clock, Map<string, Pace>>()

const ownPace = (clock: Clock.Clock, { base, places, requestsPerSecond }: Connection): Pace => {
  const paces = pacesOf.get(clock) ?? new Map<string, Pace>()
  pacesOf.set(clock, paces)
  const account = [base, ...places, requestsPerSecond].join(" ")
  const pace = paces.get(account) ?? new Pace(requestsPerSecond)
  paces.set(account, pace)
  return pace
}

/**
 * Opens the queue of an account for the scope.
 *
 * @param secret what signs in, or any other text if nothing does. Hosts that share the account's rate need the same address and text
 */
export const openAccount = (
  connection: Connection,
  secret: string,
): Effect.Effect<Account, LedgerError | LedgerRefused | ConfigurationInvalid, Scope.Scope> =>
  Effect.gen(function*() {
    const { base, requestsPerSecond, sharedBy } = connection
    const clock = yield* Effect.clock
    const rate = sharedBy
      && (yield* databaseOf(yield* sharedBy.options).rate({ address: canonicalAddress(base), secret }))
    const pace = rate === undefined
      ? ownPace(clock, connection)
      : new SharedPace(requestsPerSecond, rate, () => momentOf(clock))
    return { ...connection, pace, admission: yield* makeAdmission(pace, Infinity) }
  })

/** Returns the code of an error such as ECONNREFUSED, which contains no part of the request. */
const shownCode = (error: unknown): string => {
  const code = codeOf(error instanceof Error && error.cause !== undefined ? error.cause : error)
  return /^[A-Z][A-Z_\d]+$/.test(code) ? ` (${code})` : ""
}

/** Returns the name of a pulled source in messages and reports. */
export const shownConnection = ({ base, name }: Connection): string => `${name} (${new URL(base).host})`

/** The maximum number of bytes of a refusal that are read. */
const longestRefusal = 65_536

/** Reads a refusal as JSON. Returns null if it is not JSON. */
const readRefusal = (body: Answer["body"]): Effect.Effect<Json> =>
  Stream.runFoldWhile(
    body,
    Buffer.alloc(0),
    (all) => all.length <= longestRefusal,
    (all, part) => Buffer.concat([all, part]),
  ).pipe(
    Effect.flatMap((bytes) => Effect.try(() => parseJson(bytes.toString()))),
    Effect.orElseSucceed(() => null),
  )

/** Returns the error for a status that means failure. */
const refused = (
  connection: Connection,
  { place, refusal }: PullRequest,
  status: number,
): ConnectionUnusable | SourceError | Again => {
  const { name } = connection
  const file = shownConnection(connection)
  const unusable = unusableBy(file)
  const wrong = refusing(file)
  if (status === 401) return unusable(refusalText(connection, "signIn", status))
  if (status === 403) return unusable(refusalText(connection, "access", status))
  if (refusal?.statuses.includes(status) === true) return unusable(refusal.message(status))
  if (status === 404 || status === 410) {
    // The path of a preset is right.
    if (connection.api !== undefined && place === "source.request") {
      return unusable(refusalText(connection, "form", status))
    }
    return wrong(
      `has nothing at the path of the request (${status}). Correct \`${place}\`, or \`connections.${name}.base\`.`,
    )
  }
  if (status === 429) return new Again({ message: "received too many requests (429)" })
  if (status >= 500 || status === 304 || status === 408 || status === 425) {
    return new Again({ message: `answered ${status}` })
  }
  if (status < 300) {
    return wrong(
      `answered ${status} instead of 200, so its answer may be incomplete. Nothing was imported. Correct \`${place}\`.`,
    )
  }
  return wrong(`refused the request (${status}). Correct \`${place}\`.`)
}

const redirected = (connection: Connection, request: PullRequest, location: string | null) => {
  const file = shownConnection(connection)
  const to = location !== null && URL.canParse(location, request.url.href) ? new URL(location, request.url) : undefined
  const where = to === undefined || to.host === request.url.host ? "a different address" : to.host
  return refusing(file)(
    `redirects to ${where}. Redirects are not followed, so that no secret is sent elsewhere. Write the final address in \`${request.place}\` and \`connections.${connection.name}.base\`.`,
  )
}

/**
 * Sends a request and takes its answer. Keeps to the connection's rate, waits as long as the tool asks, and repeats attempts that failed temporarily. Follows no
 * redirect. Errors contain no part of the request.
 *
 * @param statuses the statuses that mean success
 */
export const exchange = <A>(
  connection: Account,
  request: PullRequest,
  take: (answer: Answer) => Effect.Effect<A, SourceError | ConnectionUnusable | Again>,
  statuses: ReadonlyArray<number> = [200],
): Effect.Effect<A, SourceError | ConnectionUnusable> => {
  const file = shownConnection(connection)
  const { body, headers, method, url } = request
  const { bearer } = connection
  const once = Effect.fnUntraced(function*(token: string | undefined, mayHaveExpired: boolean, startedAt: number) {
    const send = Option.getOrElse(yield* Effect.serviceOption(FetchHttpClient.Fetch), () => sendRequest)
    const response = yield* Effect.tryPromise({
      try: (signal) =>
        send(url, {
          method,
          headers: token === undefined ? headers : { ...headers, authorization: `Bearer ${token}` },
          signal,
          ...(body === undefined ? {} : { body }),
        }),
      catch: (error) =>
        error instanceof UnknownCoding
          ? refusing(file)(error.message)
          : new Again({ message: `could not be reached${shownCode(error)}` }),
    })
    const { headers: answered, status } = response
    const stream = response.body === null
      ? Stream.empty
      : Stream.fromReadableStream({
        evaluate: () => response.body!,
        onError: () => new Again({ message: "lost the connection before the whole answer had arrived" }),
      })
    const observe = (wait?: number) =>
      Effect.clockWith((clock) =>
        Effect.sync(() =>
          connection.pace.observe(
            status,
            wait === undefined ? {} : { "retry-after": String(wait / 1_000) },
            startedAt,
            momentOf(clock),
          )
        )
      )
    if (statuses.includes(status)) {
      yield* observe()
      return yield* take({ headers: answered, body: stream })
    }
    const refusal = knowsRefusals(connection) ? yield* readRefusal(stream) : null
    yield* Effect.ignore(Effect.tryPromise(async () => response.body?.cancel()))
    if (status === 401 && mayHaveExpired) return yield* new Expired()
    if (status >= 300 && status < 400 && status !== 304) {
      return yield* redirected(connection, request, answered.get("location"))
    }
    const now = serversTime(answered.get("date"), yield* Clock.currentTimeMillis)
    const pause = status === 429 && connection.pause !== undefined ? Duration.toMillis(connection.pause) : undefined
    const asked = retryAfter(answered.get("retry-after") ?? undefined, now)
    const isUsedUp = status === 429 && asked === undefined && quotaLeft(connection, refusal, answered) === 0
    const meaning = meaningOf(connection, refusal) ?? (isUsedUp ? "quota" : undefined)
    const error = meaning === undefined
      ? refused(connection, request, status)
      : unusableBy(file)(refusalText(connection, meaning, status))
    if (error._tag === "Again" && asked !== undefined && asked > longestPause) {
      const message = `${file} asks for a wait of ${
        Math.ceil(asked / 60_000)
      } minutes, so a quota is used up. Nothing was imported. Run again after that.`
      return yield* new ConnectionUnusable({ file, message })
    }
    yield* observe(asked ?? pause)
    return yield* error
  })
  const repeatedly = (token?: string, mayHaveExpired = false) => {
    const inTime = (startedAt: number) =>
      Effect.timeoutFail(once(token, mayHaveExpired, startedAt), {
        duration: connection.timeout,
        onTimeout: () =>
          new Again({
            message: `did not send its whole answer within ${
              Duration.format(connection.timeout)
            } (\`connections.${connection.name}.timeout\`)`,
          }),
      })
    return connection.admission.admit("read", undefined, inTime).pipe(
      Effect.catchTag(
        "NeverSent",
        ({ reason }) => unusableBy(file)(`is not used any more: ${reason}`),
      ),
      Effect.retry({ schedule: backOff(defaultReadRetries), while: ({ _tag }) => _tag === "Again" }),
      Effect.catchTag("Again", ({ message }) => {
        const { attempts } = defaultReadRetries
        const sentence = `${file} ${message}, ${attempts} times in a row. Nothing was imported. Run again later.`
        return new ConnectionUnusable({ file, message: sentence })
      }),
    )
  }
  if (bearer === undefined) return Effect.catchTag(repeatedly(), "Expired", Effect.die)
  const signed = Effect.flatMap(bearer.token, ({ isNew, text }) => repeatedly(text, !isNew))
  const signedAgain = Effect.zipRight(bearer.forget, signed)
  return signed.pipe(Effect.catchTag("Expired", () => signedAgain), Effect.catchTag("Expired", Effect.die))
}
