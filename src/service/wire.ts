import { Either, Schema } from "effect"

/**
 * Every shape of the three operations (service interface, "Resources and their fields"), as the service sends it and as it takes it.
 * What comes back is read leniently: unknown members are ignored, nulls and odd members count as not there, an element without an id is
 * left out, so that one odd member spoils nothing else. What is sent is exact.
 */

/** A member that may be missing, null or odd: then it is undefined. */
const lenient = <A, I>(schema: Schema.Schema<A, I>) =>
  Schema.optional(Schema.UndefinedOr(schema).annotations({ decodingFallback: () => Either.right(undefined) }))

/** A list that may be missing, null or odd, and whose odd elements are null. */
const lenientList = <A, I>(element: Schema.Schema<A, I>) =>
  lenient(Schema.Array(Schema.NullOr(element).annotations({ decodingFallback: () => Either.right(null) })))

const id = Schema.NonEmptyString

/** The payment fields whose wire names begin with the processor's name where ours begin with `gateway`. */
const gatewayFields = ["CustomerId", "CustomerUrl", "PaymentUrl", "SubscriptionId"] as const

/** Wire names of the payment fields by ours, for a processor's name. */
export const gatewayNames = (gateway: string): ReadonlyArray<readonly [neutral: string, wire: string]> =>
  gatewayFields.map((field) => [`gateway${field}`, `${gateway}${field}`] as const)

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
  /** The one list that must be there: without it this is not a form's metadata. */
  questions: Schema.Array(Schema.NullOr(Question).annotations({ decodingFallback: () => Either.right(null) })),
  calculations: lenientList(Element),
  urlParameters: lenientList(Element),
  scheduling: lenientList(Element),
  payments: lenientList(Element),
  // `{}` has been seen when quiz mode is off.
  quiz: lenient(Schema.Struct({ enabled: lenient(Schema.Boolean) })),
})

// ---------------------------------------------------------------- Question types

/** Question types known today. A field of any other type is discarded. */
export const knownQuestionTypes: ReadonlySet<string> = new Set([
  "Address",
  "AudioRecording",
  "Calcom",
  "Calendly",
  "Captcha",
  "Checkbox",
  "Checkboxes",
  "ColorPicker",
  "CurrencyInput",
  "DatePicker",
  "DateRange",
  "DateTimePicker",
  "Dropdown",
  "Email",
  "EmailInput",
  "FileUpload",
  "ImagePicker",
  "LocationCoordinates",
  "LongAnswer",
  "Matrix",
  "MultiSelect",
  "MultipleChoice",
  "NumberInput",
  "OpinionScale",
  "Password",
  "Payment",
  "PhoneNumber",
  "Ranking",
  "RecordPicker",
  "ShortAnswer",
  "Signature",
  "Slider",
  "StarRating",
  "Subform",
  "SubmissionPicker",
  "Switch",
  "Table",
  "TimePicker",
  "URLInput",
])

/** Whether formferry knows a question type. No type is not an unknown one: some deployments return none. */
export const isKnownType = (type: string | undefined): boolean => type === undefined || knownQuestionTypes.has(type)

// ---------------------------------------------------------------- Submission, as returned

const named = { id, name: lenient(Schema.String) }

const ReturnedScheduling = Schema.Struct({
  fullName: lenient(Schema.String),
  email: lenient(Schema.String),
  timezone: lenient(Schema.String),
  eventStartTime: lenient(Schema.String),
  eventEndTime: lenient(Schema.String),
  eventId: lenient(Schema.String),
  eventUrl: lenient(Schema.String),
  rescheduleOrCancelUrl: lenient(Schema.String),
  userId: lenient(Schema.Int),
  scheduledUserEmail: lenient(Schema.String),
  meetingNotes: lenient(Schema.String),
})

const returnedPaymentFields = {
  paymentId: lenient(Schema.String),
  gatewayCustomerId: lenient(Schema.String),
  gatewayCustomerUrl: lenient(Schema.String),
  gatewayPaymentUrl: lenient(Schema.String),
  totalAmount: lenient(Schema.Number),
  currency: lenient(Schema.String),
  email: lenient(Schema.String),
  discountCode: lenient(Schema.String),
  status: lenient(Schema.String),
  gatewaySubscriptionId: lenient(Schema.String),
}

/** "Submission (as returned)", the processor's name already replaced by `gateway`. */
export const ReturnedSubmission = Schema.Struct({
  submissionId: Schema.NonEmptyString,
  submissionTime: lenient(Schema.String),
  lastUpdatedAt: lenient(Schema.String),
  questions: lenientList(
    Schema.Struct({ ...named, type: lenient(Schema.String), value: Schema.optional(Schema.Unknown) }),
  ),
  calculations: lenientList(
    Schema.Struct({ ...named, type: lenient(Schema.String), value: Schema.optional(Schema.Unknown) }),
  ),
  urlParameters: lenientList(Schema.Struct({ ...named, value: Schema.optional(Schema.Unknown) })),
  scheduling: lenientList(Schema.Struct({ ...named, value: lenient(ReturnedScheduling) })),
  payments: lenientList(Schema.Struct({ ...named, value: lenient(Schema.Struct(returnedPaymentFields)) })),
  quiz: lenient(Schema.Struct({ score: lenient(Schema.Number), maxScore: lenient(Schema.Number) })),
  login: lenient(Schema.Struct({ email: lenient(Schema.String) })),
  editLink: lenient(Schema.String),
})

// ---------------------------------------------------------------- Submission item, as sent

/** A member that may be missing; when it is there it is what it should be. */
const exactly = <A, I>(schema: Schema.Schema<A, I>) => Schema.optionalWith(schema, { exact: true })

/** A date and time with an offset, as `Date` understands it (ISO 8601). */
const DateTime = Schema.String.pipe(
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

/** "value has the returned payment fields except discountCode". */
const sentPayment = (gateway: string) =>
  Schema.Struct({
    paymentId: Schema.String,
    totalAmount: exactly(Schema.Number),
    currency: exactly(Schema.String),
    email: exactly(Email),
    status: exactly(Schema.String),
    ...Object.fromEntries(gatewayNames(gateway).map(([, wire]) => [wire, exactly(Schema.String)])),
  })

/** "Submission item (as sent on creation)". Required members as observed: `questions`, and some of scheduling and payment values. */
const submissionItem = (gateway: string) =>
  Schema.Struct({
    // A missing `value` is an answer of nothing; any JSON type is allowed.
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

/** Items in one create request at most (service interface, "Limits"). */
export const maxItems = 10

/** Body of "Create submissions", for a deployment whose payment processor has this name. */
export const createRequest = (gateway: string) =>
  Schema.Struct({ submissions: Schema.Array(submissionItem(gateway)).pipe(Schema.maxItems(maxItems)) })

/** Error envelope that has been seen; `message` may hold a JSON array of issues. */
export const ErrorBody = Schema.Struct({ message: lenient(Schema.String), error: lenient(Schema.String) })
