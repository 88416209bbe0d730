import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import type * as ParseResult from "effect/ParseResult"
import * as Schema from "effect/Schema"
import { FilledText } from "../kinds/Kind.ts"
import { Time, whole } from "../project/fields.ts"
import { expecting } from "../project/section.ts"
import { answered, type FaultContext, operations, type PlannedFault, type Reply } from "./faults.ts"
import { invalid, type PracticeAnswer, refusal, tooManyRequests } from "./refusals.ts"

/** A kind of fault that is planned by its name and settings (docs/practice.md). */
export interface FaultKind<A> {
  /** Plans the fault from the settings of a faults file. */
  readonly decode: (settings: unknown) => Either.Either<PlannedFault, ParseResult.ParseError>
  readonly plan: (settings: A) => PlannedFault
}

/** The settings of every fault that affects only one operation, usually create. They choose the affected requests. */
export const ofCreates = {
  chance: Schema.optional(Schema.Number.pipe(Schema.between(0, 1))),
  at: Schema.optional(Schema.NonEmptyArray(whole(1)).annotations(expecting("a list of whole numbers from 1"))),
  skip: Schema.optional(whole(0)),
  times: Schema.optional(whole(1)),
}

/** The settings of every other fault. */
export const ofRequests = {
  ...ofCreates,
  on: Schema.optional(Schema.Literal(...operations, "any")),
}

const When = Schema.Literal("before", "after")
const before = { when: Schema.optionalWith(When, { default: () => "before" as const }) }
export const after = { when: Schema.optionalWith(When, { default: () => "after" as const }) }

type Aim = Pick<PlannedFault, "chance" | "at" | "skip" | "times" | "on" | "containing">
type Change = Pick<PlannedFault, "on" | "resetsUnread" | "keep" | "reply"> & { readonly name?: string }

/** Declares a kind of fault by its settings and what it changes. */
export const faultKind = <A extends Aim, I>(
  name: string,
  schema: Schema.Schema<A, I>,
  change: (settings: A) => Change,
): FaultKind<A> => {
  const decode = Schema.decodeUnknownEither(schema, { errors: "all", onExcessProperty: "error" })
  const plan = (settings: A): PlannedFault => {
    const { at, chance, containing, on, skip, times } = settings
    const when = "when" in settings ? ` ${String(settings.when)}` : ""
    return { name: `${name}${when}`, at, chance, containing, on, skip, times, ...change(settings) }
  }
  return { plan, decode: (settings) => Either.map(decode(settings), plan) }
}

/** Replies instead of the service, before or after the request is served. */
export const instead = (
  when: "before" | "after",
  reply: (context: FaultContext) => Reply,
): NonNullable<PlannedFault["reply"]> =>
(served, context) => {
  const given = reply(context)
  return when === "before" ? Effect.succeed(given) : Effect.as(served, given)
}

export const htmlPage = (status: number, title: string): PracticeAnswer => ({
  status,
  headers: { "content-type": "text/html; charset=utf-8" },
  body: `<!DOCTYPE html><html><head><title>${title}</title></head><body><h1>${title}</h1></body></html>`,
})

/** An answer of a submission, as it is stored. */
export interface StoredAnswer {
  readonly id: string
  readonly name: string
  readonly type?: string
  readonly value: unknown
}

/** Changes the answers of one randomly drawn submission before they are stored. */
export const changingAnswers = (
  change: (answers: ReadonlyArray<StoredAnswer>, context: FaultContext) => ReadonlyArray<StoredAnswer>,
): NonNullable<PlannedFault["keep"]> =>
(created, context) => {
  const drawn = context.pick(Math.max(1, created.length))
  const kept = created.map((submission, index) => {
    if (index !== drawn) return submission
    // `submit` wrote this text.
    const stored = JSON.parse(submission.json) as { readonly questions: ReadonlyArray<StoredAnswer> }
    return { ...submission, json: JSON.stringify({ ...stored, questions: change(stored.questions, context) }) }
  })
  return { kept, returned: kept }
}

const reformatted = (value: unknown): unknown =>
  typeof value === "string" ? value.toUpperCase() : typeof value === "number" ? value.toFixed(2) : value

/** Returns `Retry-After` as the service may write it. */
const retryAfter = (form: "seconds" | "date" | "none", wait: number, now: number): Readonly<Record<string, string>> =>
  form === "seconds"
    ? { "retry-after": String(Math.ceil(wait / 1000)) }
    // A date has no milliseconds, so it is rounded up. A client that waits until then is not early.
    : form === "date"
    ? { "retry-after": new Date(Math.ceil((now + wait) / 1000) * 1000).toUTCString() }
    : {}

/** The faults of a faults file, by name. */
export const namedFaults = {
  refuse: faultKind("refuse", Schema.Struct({ ...ofRequests, for: Time }), (settings) => ({
    reply: (served, { refuseConnections }) =>
      Effect.map(served, (answer) => {
        refuseConnections(Duration.toMillis(settings.for))
        return answered(answer)
      }),
  })),
  reset: faultKind("reset", Schema.Struct({ ...ofRequests, ...after }), ({ when }) => ({
    resetsUnread: when === "before",
    reply: instead(when, () => ({ _tag: "Reset" })),
  })),
  unanswered: faultKind("unanswered", Schema.Struct({ ...ofRequests, ...after }), ({ when }) => ({
    reply: instead(when, () => ({ _tag: "Silence" })),
  })),
  delay: faultKind("delay", Schema.Struct({ ...ofRequests, for: Time, ...before }), (settings) => ({
    reply: (served) =>
      Effect.map(
        settings.when === "before"
          ? Effect.delay(served, settings.for)
          : Effect.tap(served, Effect.sleep(settings.for)),
        answered,
      ),
  })),
  throttled: faultKind(
    "throttled",
    Schema.Struct({
      ...ofRequests,
      retryAfter: Schema.optionalWith(Schema.Literal("seconds", "date", "none"), { default: () => "seconds" as const }),
      wait: Schema.optional(Time),
    }),
    (settings) => ({
      reply: instead("before", ({ now }) => {
        const wait = settings.wait === undefined ? 1_000 : Duration.toMillis(settings.wait)
        return answered({
          ...tooManyRequests,
          headers: { ...tooManyRequests.headers, ...retryAfter(settings.retryAfter, wait, now) },
        })
      }),
    }),
  ),
  status: faultKind(
    "status",
    Schema.Struct({
      ...ofRequests,
      status: whole(300, 599),
      body: Schema.optionalWith(Schema.Literal("json", "html", "empty"), { default: () => "json" as const }),
      retryAfter: Schema.optional(Time),
      location: Schema.optional(Schema.String),
      ...before,
    }),
    ({ body, location, retryAfter: wait, status, when }) => ({
      name: `status ${status} ${when}`,
      reply: instead(when, () => {
        const title = `Status ${status}`
        const answer = body === "json"
          ? refusal(status, title)
          : body === "html"
          ? htmlPage(status, title)
          : { status, headers: {}, body: "" }
        return answered({
          ...answer,
          headers: {
            ...answer.headers,
            ...(location === undefined ? {} : { location }),
            ...(wait === undefined ? {} : retryAfter("seconds", Duration.toMillis(wait), 0)),
          },
        })
      }),
    }),
  ),
  invalid: faultKind(
    "invalid",
    Schema.Struct({
      ...ofCreates,
      item: Schema.optional(whole(0)),
      named: Schema.optionalWith(Schema.Boolean, { default: () => true }),
      containing: Schema.optional(FilledText),
    }),
    ({ containing, item, named }) => ({
      reply: instead("before", ({ items, pick }) => {
        const found = containing === undefined
          ? -1
          : items.findIndex((one) => JSON.stringify(one).includes(containing))
        const index = found >= 0 ? found : item ?? pick(Math.max(1, items.length))
        return answered(
          named
            ? invalid([{
              code: "invalid_type",
              path: ["submissions", index, "questions", 0, "value"],
              expected: "string",
              message: "Not accepted",
            }])
            : refusal(400, "One of the submissions is not accepted"),
        )
      }),
    }),
  ),
  "reformat-answers": faultKind("reformat-answers", Schema.Struct(ofCreates), () => ({
    keep: changingAnswers((answers) => answers.map((answer) => ({ ...answer, value: reformatted(answer.value) }))),
  })),
  invisible: faultKind(
    "invisible",
    Schema.Struct({ ...ofCreates, for: Time, in: Schema.optional(Schema.Literal("any", "list")) }),
    (settings) => ({
      keep: (created, { hide }) => {
        hide(created, Duration.toMillis(settings.for), settings.in ?? "any")
        return { kept: created, returned: created }
      },
    }),
  ),
  intruder: faultKind("intruder", Schema.Struct(ofCreates), () => ({
    on: "list",
    reply: (served, { intrude }) => Effect.map(Effect.zipLeft(served, intrude), answered),
  })),
}
