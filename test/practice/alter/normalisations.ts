import { parsePhoneNumberFromString } from "libphonenumber-js"
import { isObject, type Json, type JsonObject } from "../../../src/domain/json.ts"

/** A way in which a service may change a value. Values that it doesn't apply to are returned unchanged. */
export interface Change {
  readonly name: string
  readonly apply: (value: Json) => Json
}

const text = (name: string, change: (text: string) => string): Change => ({
  name,
  apply: (value) => (typeof value === "string" ? change(value) : value),
})

const list = (name: string, change: (list: ReadonlyArray<Json>) => Json): Change => ({
  name,
  apply: (value) => (Array.isArray(value) ? change(value) : value),
})

/** Applies a change to each member of a list or an object, at every level. */
const deep = ({ apply, name }: Change): Change => {
  const within = (value: Json): Json => {
    if (Array.isArray(value)) return value.map(within)
    if (!isObject(value)) return apply(value)
    return Object.fromEntries(Object.entries(value).map(([member, each]) => [member, within(each)]))
  }
  return { name, apply: within }
}

const member = (names: ReadonlyArray<string>, { apply, name }: Change): Change => ({
  name: `${name} (${names.join(", ")})`,
  apply: (value) =>
    isObject(value)
      ? Object.fromEntries(Object.entries(value).map(([key, each]) => [key, names.includes(key) ? apply(each) : each]))
      : value,
})

const adding = (name: string, more: JsonObject): Change => ({
  name,
  apply: (value) => (isObject(value) ? { ...value, ...more } : value),
})

const texts: ReadonlyArray<Change> = [
  text("Unicode NFD", (value) => value.normalize("NFD")),
  text("line ends CR LF", (value) => value.replaceAll(/\r\n|\r|\n/g, "\r\n")),
  text("line ends LF", (value) => value.replaceAll(/\r\n?/g, "\n")),
]

const numbers: ReadonlyArray<Change> = [
  { name: "number as text", apply: (value) => (typeof value === "number" ? String(value) : value) },
]

const isDay = /^\d{4}-\d\d-\d\d$/
const days: ReadonlyArray<Change> = [
  text("midnight after a day", (value) => (isDay.test(value) ? `${value}T00:00:00.000Z` : value)),
]

const isInstant = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/
/** Writes an instant in the local time of an offset, which is in minutes. */
const withOffset = (value: string, minutes: number): string => {
  if (!isInstant.test(value)) return value
  const local = new Date(Date.parse(value) + minutes * 60_000).toISOString().slice(0, -1)
  const away = Math.abs(minutes)
  const two = (number: number) => String(number).padStart(2, "0")
  return `${local}${minutes < 0 ? "-" : "+"}${two(Math.floor(away / 60))}:${two(away % 60)}`
}
const instants: ReadonlyArray<Change> = [
  text("instant in UTC+02:00", (value) => withOffset(value, 120)),
  text("instant in UTC-05:30", (value) => withOffset(value, -330)),
  text("instant in UTC+00:00", (value) => withOffset(value, 0)),
  text("instant without milliseconds", (value) => isInstant.test(value) ? value.replace(/\.000Z$/, "Z") : value),
]

const times: ReadonlyArray<Change> = [
  text("seconds after a time", (value) => (/^\d\d:\d\d$/.test(value) ? `${value}:00` : value)),
]

const emails: ReadonlyArray<Change> = [
  text("domain in capitals", (value) => value.replace(/@[^@]*$/, (domain) => domain.toUpperCase())),
  text("address in small letters", (value) => value.toLowerCase()),
]

const phones: ReadonlyArray<Change> = [
  text("international way of writing", (value) => parsePhoneNumberFromString(value)?.formatInternational() ?? value),
  text("RFC 3966", (value) => parsePhoneNumberFromString(value)?.getURI() ?? value),
]

const urls: ReadonlyArray<Change> = [
  text("address as a browser writes it", (value) => (URL.canParse(value) ? new URL(value).href : value)),
  text(
    "host in capitals",
    (value) =>
      value.replace(/^(https?:\/\/)([^/?#:]+)/, (_, scheme: string, host: string) => scheme + host.toUpperCase()),
  ),
]

const booleans: ReadonlyArray<Change> = [
  { name: "boolean as text", apply: (value) => (typeof value === "boolean" ? String(value) : value) },
]

const choices: ReadonlyArray<Change> = [
  list("choices in another order", (value) => [...value].reverse()),
  list("one choice without its list", (value) => (value.length === 1 ? value[0] ?? null : value)),
  deep(text("Unicode NFD", (value) => value.normalize("NFD"))),
]

const each = (changes: ReadonlyArray<Change>) => changes.map(deep)

const onAnswers: Readonly<Record<string, ReadonlyArray<Change>>> = {
  ShortAnswer: texts,
  LongAnswer: texts,
  Password: texts,
  EmailInput: emails,
  Email: emails,
  URLInput: urls,
  PhoneNumber: phones,
  NumberInput: numbers,
  OpinionScale: numbers,
  StarRating: numbers,
  Slider: numbers,
  CurrencyInput: numbers,
  DatePicker: days,
  DateRange: each(days),
  TimePicker: times,
  DateTimePicker: instants,
  Switch: booleans,
  Checkbox: booleans,
  MultipleChoice: [
    ...texts.slice(0, 1),
    { name: "a list of one choice", apply: (value) => (typeof value === "string" ? [value] : value) },
  ],
  Dropdown: texts.slice(0, 1),
  MultiSelect: choices,
  Checkboxes: choices,
  Ranking: each(texts.slice(0, 1)),
  Matrix: each(texts.slice(0, 1)),
  Address: [...each(texts), adding("empty members", { note: null })],
  LocationCoordinates: each(numbers),
  FileUpload: [
    list("files with sizes", (value) => value.map((file) => (isObject(file) ? { ...file, size: 1024 } : file))),
    list(
      "files' addresses as a browser writes them",
      (value) => value.map((file) => member(["url"], urls[0]!).apply(file)),
    ),
  ],
}

/** Elements other than questions, by the name of their list. `times` and `login` are the submission's own members. */
const onElements: Readonly<Record<string, ReadonlyArray<Change>>> = {
  urlParameters: texts,
  times: instants,
  login: emails,
  scheduling: [
    adding("event added", { eventId: "evt_1", eventUrl: "https://calendar.example.com/evt_1" }),
    ...instants.slice(0, 2).map((change) => member(["eventStartTime", "eventEndTime"], change)),
    member(["fullName", "meetingNotes"], texts[0]!),
  ],
  payments: [
    adding("receipt added", { gatewayPaymentUrl: "https://pay.example.com/receipt" }),
    member(["paymentId", "status"], texts[0]!),
  ],
}

/**
 * Returns a service's changes that keep an answer's meaning. @param what a question's type, or a list of other
 * elements: `urlParameters`, `scheduling`, `payments`, `times` or `login`
 */
export const normalisationsOf = (what: string): ReadonlyArray<Change> =>
  onAnswers[what === "Signature" ? "FileUpload" : what] ?? onElements[what] ?? []
