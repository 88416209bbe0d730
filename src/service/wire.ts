import * as Either from "effect/Either"
import * as Schema from "effect/Schema"
import { type ElementValue, maxItems } from "../domain/item.ts"
import { deeperThan, isObject, type Json, type JsonObject } from "../domain/json.ts"
import type { ReturnedAnswer, Submission } from "../domain/submission.ts"
import { type ElementPart, paymentParts, schedulingParts } from "../kinds/elements.ts"
import { kindOfType } from "../kinds/index.ts"
import { filledByTheForm } from "../kinds/submission.ts"

/**
 * Every shape of the three operations (service interface, "Resources and their fields"), as the service sends and accepts it. Returned values are
 * read leniently: unknown members are ignored, nulls and malformed members count as missing, and an element without an id is omitted. So one
 * malformed member affects nothing else. Sent values are exact.
 */

/** A member that is read as undefined if it is missing, null or malformed. */
const lenient = <A, I>(schema: Schema.Schema<A, I>) =>
  Schema.optional(Schema.UndefinedOr(schema).annotations({ decodingFallback: () => Either.right(undefined) }))

/** A list whose malformed elements are read as null. */
const listOf = <A, I>(element: Schema.Schema<A, I>) =>
  Schema.Array(Schema.NullOr(element).annotations({ decodingFallback: () => Either.right(null) }))

/** A list that is read as undefined if it is missing, null or malformed. */
const lenientList = <A, I>(element: Schema.Schema<A, I>) => lenient(listOf(element))

const id = Schema.NonEmptyString

/**
 * Returns pairs of our names and the interface's names for the payment fields whose names begin with the processor's name in the interface, and with
 * `gateway` here.
 */
export const gatewayNames = (gateway: string): ReadonlyArray<readonly [neutral: string, wire: string]> =>
  Object.keys(paymentParts).flatMap((name) =>
    name.startsWith("gateway") ? [[name, gateway + name.slice("gateway".length)] as const] : []
  )

// ---------------------------------------------------------------- Form metadata

const Element = Schema.Struct({ id, name: lenient(Schema.String) })

const Option = Schema.Struct({ value: Schema.String, label: lenient(Schema.String) })

const Question = Schema.Struct({
  id,
  name: lenient(Schema.String),
  type: lenient(Schema.String),
  options: lenientList(Option),
})

/** "Form metadata", as the service returns it. */
export const FormMetadata = Schema.Struct({
  id: lenient(Schema.String),
  name: lenient(Schema.String),
  /** The only list that form metadata must contain. */
  questions: listOf(Question),
  calculations: lenientList(Element),
  urlParameters: lenientList(Element),
  scheduling: lenientList(Element),
  payments: lenientList(Element),
  // Some deployments return `{}` if quiz mode is off.
  quiz: lenient(Schema.Struct({ enabled: lenient(Schema.Boolean) })),
})

/** The account's forms, as returned by services that can list. */
export const ListedForms = listOf(
  Schema.Struct({ formId: lenient(id), id: lenient(id), name: lenient(Schema.String) }),
)

// ---------------------------------------------------------------- Question types

/** The types of questions that no kind reads. */
const typesWithoutKind: ReadonlySet<string> = new Set([
  ...filledByTheForm,
  "AudioRecording",
  "ColorPicker",
  "ImagePicker",
  "RecordPicker",
  "Subform",
  "SubmissionPicker",
  "Table",
])

/**
 * Whether formferry knows a question type. An answer of any other type can't be compared. A missing type doesn't count as unknown, because some
 * deployments return none.
 */
export const isKnownType = (type: string | undefined): boolean =>
  type === undefined || kindOfType(type) !== undefined || typesWithoutKind.has(type)

// ---------------------------------------------------------------- Submission, as returned

// Returned submissions are read without Schema. Every submission is read twice, and decoding with Schema took a fifth of an import's processor time.

const textOf = (value: unknown): string | undefined => (typeof value === "string" ? value : undefined)

const numberOf = (value: unknown): number | undefined => (typeof value === "number" ? value : undefined)

const integerOf = (value: unknown): number | undefined => (Number.isSafeInteger(value) ? value as number : undefined)

/** Returns a function that reads the well-formed parts of a scheduling or payment value. It returns null if the value is not an object. */
const membersOf = (parts: Readonly<Record<string, ElementPart>>) => {
  const readers = Object.entries(parts).map(([name, { kind, options }]) =>
    [name, kind !== "number" ? textOf : "integer" in options ? integerOf : numberOf] as const
  )
  return (value: unknown): ElementValue | null => {
    if (!isObject(value)) return null
    const found: Record<string, string | number> = {}
    for (const [name, read] of readers) {
      const member = read(value[name])
      if (member !== undefined) found[name] = member
    }
    return found
  }
}

const scheduling = membersOf(schedulingParts)

const payment = membersOf({ ...paymentParts, discountCode: { kind: "text", required: false, options: {} } })

/** How deep lists and objects may be nested in a returned value. The limit prevents recursive functions from exhausting the stack. */
const deepest = 500

/** Returns a value unchanged, or a placeholder string for a value that is nested too deep. */
const returnedValue = (value: Json | undefined): Json =>
  value === undefined ? null : deeperThan(value, deepest) ? `(nested more than ${deepest} deep)` : value

const answer = ({ id, name, type, value }: ReturnedElement): ReturnedAnswer => ({
  id,
  name,
  type,
  known: isKnownType(type),
  value: returnedValue(value),
})

/** An element of a submission that has an id. */
interface ReturnedElement {
  readonly id: string
  readonly name: string | undefined
  readonly type: string | undefined
  readonly value: Json | undefined
}

/** Reads a list, and omits elements without an id. */
const elements = <A>(list: unknown, read: (element: ReturnedElement) => A): ReadonlyArray<A> => {
  const found: Array<A> = []
  if (!Array.isArray(list)) return found
  for (const one of list as ReadonlyArray<unknown>) {
    if (!isObject(one)) continue
    const { id, name, type, value } = one
    if (typeof id === "string" && id !== "") found.push(read({ id, name: textOf(name), type: textOf(type), value }))
  }
  return found
}

/** Reads a submission's id. One with NUL or half of a surrogate pair can't be used in an address, or stored in a ledger. */
export const submissionIdOf = (wire: unknown): string | undefined => {
  const id = isObject(wire) ? wire["submissionId"] : undefined
  return typeof id === "string" && id !== "" && !id.includes("\0") && id.isWellFormed() ? id : undefined
}

/**
 * Reads "Submission (as returned)". Returns undefined if the submission has no id.
 *
 * @param neutral replaces the processor's name by `gateway` in the names of a payment's members
 */
export const returnedSubmission = (
  wire: unknown,
  neutral: (payment: JsonObject) => JsonObject,
): Submission | undefined => {
  const submissionId = submissionIdOf(wire)
  if (!isObject(wire) || submissionId === undefined) return undefined
  const { login, quiz } = wire
  return {
    submissionId,
    submissionTime: textOf(wire["submissionTime"]),
    lastUpdatedAt: textOf(wire["lastUpdatedAt"]),
    questions: elements(wire["questions"], answer),
    calculations: elements(wire["calculations"], (one) => {
      const { id, name, type, value } = answer(one)
      return { id, name, type, value }
    }),
    urlParameters: elements(wire["urlParameters"], ({ id, name, value = null }) => ({
      id,
      name,
      value: value === null || typeof value === "string" ? value : JSON.stringify(returnedValue(value)),
    })),
    scheduling: elements(
      wire["scheduling"],
      ({ id, name, value }) => ({ id, name, value: scheduling(value) }),
    ),
    payments: elements(wire["payments"], ({ id, name, value }) => ({
      id,
      name,
      value: payment(isObject(value) ? neutral(value) : value),
    })),
    quiz: isObject(quiz) ? { score: numberOf(quiz["score"]), maxScore: numberOf(quiz["maxScore"]) } : undefined,
    login: isObject(login) ? { email: textOf(login["email"]) } : undefined,
    editLink: textOf(wire["editLink"]),
  }
}

// ---------------------------------------------------------------- Submission item, as sent

/** A member that may be missing, but must not be malformed. */
const exactly = <A, I>(schema: Schema.Schema<A, I>) => Schema.optionalWith(schema, { exact: true })

/** A date and time with an offset, as `Date` parses it (ISO 8601). */
export const DateTime = Schema.String.pipe(
  Schema.filter(
    (text) =>
      /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:?\d\d)$/.test(text) && !Number.isNaN(Date.parse(text)),
    {
      identifier: "datetime",
      message: () => "Invalid datetime",
    },
  ),
)

const Email = Schema.String.pipe(
  Schema.filter((text) => /^[^\s@]+@[^\s@]+$/.test(text), { identifier: "email", message: () => "Invalid email" }),
)

const SentScheduling = Schema.Struct({
  fullName: Schema.String,
  email: Email,
  timezone: Schema.String,
  eventStartTime: DateTime,
  eventEndTime: DateTime,
  eventId: exactly(Schema.String),
  eventUrl: exactly(Schema.String),
  rescheduleOrCancelUrl: exactly(Schema.String),
  userId: exactly(Schema.Int),
  scheduledUserEmail: exactly(Email),
  meetingNotes: exactly(Schema.String),
})

/** The service interface says: "value has the returned payment fields except discountCode". */
const sentPayment = (gateway: string) =>
  Schema.Struct({
    paymentId: Schema.String,
    totalAmount: exactly(Schema.Number),
    currency: exactly(Schema.String),
    email: exactly(Email),
    status: exactly(Schema.String),
    ...Object.fromEntries(gatewayNames(gateway).map(([, wire]) => [wire, exactly(Schema.String)])),
  })

/**
 * "Submission item (as sent on creation)". The real service was observed to require `questions`, and some members of
 * scheduling and payment values.
 */
const submissionItem = (gateway: string) =>
  Schema.Struct({
    // A missing `value` is an empty answer. Any JSON type is allowed.
    questions: Schema.Array(Schema.Struct({ id, value: exactly(Schema.Unknown) })),
    urlParameters: exactly(
      Schema.Array(Schema.Struct({ id: Schema.String, name: Schema.String, value: Schema.String })),
    ),
    submissionTime: exactly(DateTime),
    lastUpdatedAt: exactly(DateTime),
    scheduling: exactly(Schema.Array(Schema.Struct({ id, value: SentScheduling }))),
    payments: exactly(Schema.Array(Schema.Struct({ id, value: sentPayment(gateway) }))),
    login: exactly(Schema.Struct({ email: Email })),
  })

/** Returns the schema for the body of "Create submissions", for a deployment whose payment processor has this name. */
export const createRequest = (gateway: string) =>
  Schema.Struct({ submissions: Schema.Array(submissionItem(gateway)).pipe(Schema.maxItems(maxItems)) })

/** The only shape of errors seen so far. `message` may contain a JSON array of issues. */
export const ErrorBody = Schema.Struct({ message: lenient(Schema.String), error: lenient(Schema.String) })
