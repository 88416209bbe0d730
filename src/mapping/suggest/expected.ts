import type { Question } from "../../domain/form.ts"
import { speaksOf } from "./meaning.ts"
import type { Meaning } from "./meaning.ts"

/** What kind of answer a question asks for, as far as its type or its name tells. */
export type ExpectedKind =
  | "text"
  | "longText"
  | "number"
  | "scale"
  | "boolean"
  | "date"
  | "time"
  | "dateTime"
  | "email"
  | "phone"
  | "url"
  | "choice"
  | "choices"
  | "ranking"
  | "matrix"
  | "address"
  | "location"
  | "files"
  | "other"

export interface Expected {
  readonly kind: ExpectedKind
  /** Whether the form tells it; else it is taken from the name, and anything may come. */
  readonly told: boolean
}

const byType: Readonly<Record<string, ExpectedKind>> = {
  ShortAnswer: "text",
  LongAnswer: "longText",
  Email: "email",
  EmailInput: "email",
  PhoneNumber: "phone",
  URLInput: "url",
  NumberInput: "number",
  CurrencyInput: "number",
  Slider: "number",
  OpinionScale: "scale",
  StarRating: "scale",
  Switch: "boolean",
  Checkbox: "boolean",
  DatePicker: "date",
  TimePicker: "time",
  DateTimePicker: "dateTime",
  MultipleChoice: "choice",
  Dropdown: "choice",
  MultiSelect: "choices",
  Checkboxes: "choices",
  Ranking: "ranking",
  Matrix: "matrix",
  Address: "address",
  LocationCoordinates: "location",
  FileUpload: "files",
  Signature: "files",
}

/** Concepts of a name that tell what an answer looks like. */
const byConcept: ReadonlyArray<readonly [concept: string, kind: ExpectedKind]> = [
  ["email", "email"],
  ["phone", "phone"],
  ["mobile", "phone"],
  ["website", "url"],
  ["birthday", "date"],
]

/** What a question asks for. A form need not tell types: then a name of one or two words may. */
export const expectedOf = ({ type, options }: Question, meaning: Meaning): Expected => {
  if (type !== undefined) return { kind: byType[type] ?? "other", told: true }
  if (options !== undefined && options.length > 0) return { kind: "choice", told: false }
  const found = meaning.terms.length > 3 ? undefined : byConcept.find(([concept]) => speaksOf(meaning, concept))
  return { kind: found?.[1] ?? "text", told: false }
}
