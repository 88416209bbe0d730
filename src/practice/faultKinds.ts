import { Schema } from "effect"
import { Time, whole } from "../project/fields.ts"

/**
 * Every fault that the practice service can be told to have (docs/faults.md): the lines of product.md's table "Outcomes of a create request", before
 * and after submissions are kept, and what a service may do to answers.
 */

/** Which requests a fault meets. Without `chance` and `at`: every one. */
const aim = {
  on: Schema.optional(Schema.Literal("create", "read", "form", "any")),
  chance: Schema.optional(Schema.Number.pipe(Schema.between(0, 1))),
  at: Schema.optional(Schema.NonEmptyArray(whole(1))),
  skip: Schema.optional(whole(0)),
  times: Schema.optional(whole(1)),
}

const When = Schema.Literal("before", "after")
const before = { when: Schema.optionalWith(When, { default: () => "before" as const }) }
const after = { when: Schema.optionalWith(When, { default: () => "after" as const }) }
const containing = { containing: Schema.optional(Schema.NonEmptyString) }
const flag = (standard: boolean) => Schema.optionalWith(Schema.Boolean, { default: () => standard })

const kind = <Name extends string, Fields extends Schema.Struct.Fields>(fault: Name, fields: Fields) =>
  Schema.Struct({ fault: Schema.Literal(fault), ...aim, ...fields })

/** By name, each with its own settings. */
export const faultKinds = {
  // Connections.
  refuse: kind("refuse", { for: Time }),
  unanswered: kind("unanswered", after),
  reset: kind("reset", after),
  "reset-kept-alive": kind("reset-kept-alive", {}),
  cut: kind("cut", {}),
  delay: kind("delay", { for: Time, ...before }),
  // Answers instead of the service's own.
  throttled: kind("throttled", {
    retryAfter: Schema.optionalWith(Schema.Literal("seconds", "date", "none"), { default: () => "seconds" as const }),
    wait: Schema.optional(Time),
  }),
  credentials: kind("credentials", {
    wording: Schema.optionalWith(Schema.Literal("missing", "underscore", "format", "invalid"), {
      default: () => "invalid" as const,
    }),
    status: Schema.optionalWith(Schema.Literal(400, 401, 403), { default: () => 400 as const }),
  }),
  invalid: kind("invalid", { item: Schema.optional(whole(0)), named: flag(true), ...containing }),
  status: kind("status", {
    status: whole(300, 599),
    body: Schema.optionalWith(Schema.Literal("json", "html", "empty"), { default: () => "json" as const }),
    message: Schema.optional(Schema.String),
    retryAfter: Schema.optional(Time),
    location: Schema.optional(Schema.String),
    ...containing,
    ...before,
  }),
  html: kind("html", after),
  "wrong-shape": kind("wrong-shape", after),
  // What a create answers, compared with what was created.
  "too-few": kind("too-few", { by: Schema.optionalWith(whole(1), { default: () => 1 }), created: flag(true) }),
  "too-many": kind("too-many", { by: Schema.optionalWith(whole(1), { default: () => 1 }) }),
  shuffled: kind("shuffled", {}),
  "duplicate-ids": kind("duplicate-ids", {}),
  // What is kept, compared with what was sent.
  "drop-answer": kind("drop-answer", {}),
  "trim-answers": kind("trim-answers", { length: Schema.optional(whole(1)) }),
  "reformat-answers": kind("reformat-answers", {}),
  "unknown-type": kind("unknown-type", {
    type: Schema.optionalWith(Schema.NonEmptyString, { default: () => "HoloScan" }),
  }),
  invisible: kind("invisible", { for: Time }),
}

export type FaultKind = keyof typeof faultKinds

export type Fault = { readonly [K in FaultKind]: (typeof faultKinds)[K]["Type"] }[FaultKind]

/** A fault of one kind. */
export type FaultOf<K extends FaultKind> = Extract<Fault, { readonly fault: K }>

/** Faults in the order in which they are tried: the first that meets a request has it. The same seed and requests give the same faults. */
export interface FaultPlan {
  readonly seed: number
  readonly faults: ReadonlyArray<Fault>
}
