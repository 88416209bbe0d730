import { isObject, type Json } from "../../../src/domain/json.ts"
import type { Change } from "./normalisations.ts"

const text = (name: string, change: (text: string) => string): Change => ({
  name,
  apply: (value) => (typeof value === "string" ? change(value) : value),
})

const number = (name: string, change: (number: number) => number): Change => ({
  name,
  apply: (value) => (typeof value === "number" ? change(value) : value),
})

const isDay = /^\d{4}-\d\d-\d\d$/
const isInstant = /^\d{4}-\d\d-\d\dT[\d:.]+Z$/
const isClock = /^\d\d:\d\d(:\d\d)?$/
const later = (value: string, millis: number) => new Date(Date.parse(value) + millis).toISOString()
const hour = 3_600_000

/** Applies a change inside a value: to its first text or number, however deep. */
const first = ({ apply, name }: Change): Change => {
  const within = (value: Json): Json => {
    if (Array.isArray(value)) {
      for (const [index, each] of value.entries()) {
        const changed = within(each)
        if (changed !== each) return value.with(index, changed)
      }
      return value
    }
    if (!isObject(value)) return apply(value)
    for (const [member, each] of Object.entries(value)) {
      const changed = within(each)
      if (changed !== each) return { ...value, [member]: changed }
    }
    return value
  }
  return { name: `${name}, inside`, apply: (value) => (typeof value === "object" ? within(value) : value) }
}

const leaves: ReadonlyArray<Change> = [
  text("text added at the end", (value) => `${value}x`),
  text("last character lost", (value) => Array.from(value).slice(0, -1).join("")),
  text("cut to eight characters", (value) => value.slice(0, 8)),
  text("leading zeros lost", (value) => value.replace(/^([+-]?)0+(?=.)/, "$1")),
  text("accents lost", (value) => value.normalize("NFD").replaceAll(/\p{M}/gu, "")),
  text("UTF-8 read as Latin-1", (value) => Buffer.from(value, "utf8").toString("latin1")),
  text("punctuation lost", (value) => value.replaceAll(/\p{P}/gu, "")),
  text("line breaks became spaces", (value) => value.replaceAll(/\s*[\r\n]+\s*/g, " ")),
  text("a day earlier", (value) => (isDay.test(value) ? later(value, -24 * hour).slice(0, 10) : value)),
  text("day and month swapped", (value) =>
    isDay.test(value) && Number(value.slice(8)) <= 12
      ? `${value.slice(0, 4)}-${value.slice(8)}-${value.slice(5, 7)}`
      : value),
  text("an hour later", (value) => (isInstant.test(value) ? later(value, hour) : value)),
  text(
    "a minute later",
    (value) => isClock.test(value) ? `${value.slice(0, 3)}${value[3] === "0" ? "1" : "0"}${value.slice(4)}` : value,
  ),
  text("another digit at the end", (value) => value.replace(/\d$/, (digit) => String((Number(digit) + 1) % 10))),
  number("one more", (value) => value + 1),
  number("decimals cut off", Math.trunc),
  number("a hundred times", (value) => value * 100),
  number("the other sign", (value) => (value === 0 ? value : -value)),
  { name: "yes became no, or the other way round", apply: (value) => (typeof value === "boolean" ? !value : value) },
]

const wholes: ReadonlyArray<Change> = [
  { name: "lost", apply: () => null },
  {
    name: "last member of a list lost",
    apply: (value) => (Array.isArray(value) && value.length > 1 ? value.slice(0, -1) : value),
  },
  {
    name: "member added to a list",
    apply: (value) =>
      Array.isArray(value)
        ? [
          ...value,
          isObject(value[0] ?? null)
            ? { url: "https://files.example.com/other", filename: "other" }
            : "something else",
        ]
        : value,
  },
  {
    name: "member of an object lost",
    apply: (value) => {
      if (!isObject(value)) return value
      const [, ...rest] = Object.entries(value)
      return Object.fromEntries(rest)
    },
  },
]

const all: ReadonlyArray<Change> = [...wholes, ...leaves, ...leaves.map(first)]

/**
 * Returns a value's meaning, regardless of its notation: Unicode form, line ends, letter case of addresses, or order of
 * a set.
 */
const meaning = (what: string, value: Json): string => {
  if (typeof value === "string") {
    const plain = value.normalize("NFC").replaceAll(/\r\n?/g, "\n")
    return JSON.stringify(
      what === "EmailInput" || what === "Email" || what === "login"
        ? plain.toLowerCase()
        : (what === "URLInput" || what === "FileUpload" || what === "Signature") && URL.canParse(plain)
        ? new URL(plain).href
        : plain,
    )
  }
  if (Array.isArray(value)) {
    const members = value.map((each) => meaning(what, each))
    return JSON.stringify(what === "MultiSelect" || what === "Checkboxes" ? [...new Set(members)].toSorted() : members)
  }
  if (isObject(value)) {
    return JSON.stringify(
      Object.entries(value).map(([member, each]) => [member, meaning(what, each)]).toSorted(),
    )
  }
  return JSON.stringify(value)
}

/** Whether a value is empty. */
export const isEmpty = (value: Json): boolean =>
  value === null || value === "" || (Array.isArray(value) && value.length === 0)
  || (isObject(value) && Object.values(value).every(isEmpty))

/**
 * Returns a service's changes that must be detected, because they alter or remove an answer's meaning. @param what as
 * for `normalisationsOf`
 */
export const corruptionsOf = (what: string, value: Json): ReadonlyArray<Change> =>
  isEmpty(value) ? [] : all.filter(({ apply }) => meaning(what, apply(value)) !== meaning(what, value))

/** Returns an answer for an unanswered question. */
export const uninvited = (what: string): Json =>
  what.startsWith("Number") ? 4711 : what === "Checkboxes" || what === "MultiSelect" ? ["uninvited"] : "uninvited"
