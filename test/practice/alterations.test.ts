import fc from "fast-check"
import { describe, expect, it } from "vitest"
import type { Json } from "../../src/domain/json.ts"
import { kindOfType } from "../../src/kinds/index.ts"
import { compareSubmission } from "../../src/kinds/submission.ts"
import { submissionWith } from "../fakeSubmissions.ts"
import { corruptionsOf, isEmpty } from "./alter/corruptions.ts"
import { normalisationsOf } from "./alter/normalisations.ts"

const text = fc.oneof(
  fc.string({ unit: "grapheme", minLength: 1, maxLength: 12 }),
  fc.string({
    unit: fc.constantFrom("é", "ß", "A\u0308", "\n", "\r\n", " ", "0", "=", "x", "💥", "“"),
    minLength: 1,
    maxLength: 9,
  }),
)
const day = fc.date({ min: new Date("1900-01-01"), max: new Date("2099-12-31"), noInvalidDate: true })
  .map((date) => date.toISOString().slice(0, 10))
const instant = fc.tuple(
  fc.date({ min: new Date("1900-01-01"), max: new Date("2099-12-31"), noInvalidDate: true }),
  fc.boolean(),
)
  .map(([date, whole]) => `${date.toISOString().slice(0, 20)}${whole ? "000Z" : date.toISOString().slice(20)}`)
const two = (value: number) => String(value).padStart(2, "0")
const clock = fc.tuple(fc.nat(23), fc.nat(59), fc.option(fc.integer({ min: 1, max: 59 }))).map((
  [hour, minute, second],
) => `${two(hour)}:${two(minute)}${second === null ? "" : `:${two(second)}`}`)
const number = fc.oneof(
  fc.integer(),
  fc.tuple(fc.integer({ min: -1e9, max: 1e9 }), fc.constantFrom(10, 100, 1e6)).map(([digits, by]) => digits / by),
).map((value) => (value === 0 ? 0 : value))
const options = fc.uniqueArray(fc.constantFrom("Lesen", "Sport, draußen", "Sport", "Kochen; Backen", "Übung", "007"), {
  minLength: 1,
})
const file = fc.record({ url: fc.webUrl({ withQueryParameters: true }), filename: text })

/** Answers as formferry sends them, by the type of their question. */
const answers: Readonly<Record<string, fc.Arbitrary<Json>>> = {
  ShortAnswer: text,
  LongAnswer: text,
  NumberInput: number,
  CurrencyInput: number,
  StarRating: fc.integer({ min: 1, max: 5 }),
  Switch: fc.boolean(),
  DatePicker: day,
  TimePicker: clock,
  DateTimePicker: instant,
  DateRange: fc.record({ start: day, end: day }),
  EmailInput: fc.tuple(fc.constantFrom("Ada.Lovelace", "o'hara+x", "b_c"), fc.nat(99)).map(([box, at]) =>
    `${box}${at}@example.org`
  ),
  PhoneNumber: fc.tuple(fc.constantFrom("+493023125", "+12015550", "+498999998"), fc.integer({ min: 100, max: 999 }))
    .map(([start, end]) => `${start}${end}`),
  URLInput: fc.oneof(
    fc.webUrl({ withQueryParameters: true, withFragments: true }),
    fc.constantFrom("https://Example.org", "https://sub.example.net/ü/%20"),
  ),
  MultipleChoice: fc.constantFrom("r", "grün", "b, dark"),
  Dropdown: text,
  Checkboxes: options,
  MultiSelect: options,
  Ranking: options,
  Matrix: fc.dictionary(fc.constantFrom("Film A", "Film B", "Übel"), fc.constantFrom("gut", "schön", "5"), {
    minKeys: 1,
  }),
  Address: fc.record({
    address: text,
    city: text,
    zipCode: fc.constantFrom("04109", "10115"),
    country: fc.constant("Österreich"),
  }),
  LocationCoordinates: fc.record({
    latitude: fc.integer({ min: -89, max: 89 }),
    longitude: fc.integer({ min: -179e6, max: 179e6 }).map((millionths) => millionths === 0 ? 0 : millionths / 1e6),
  }),
  FileUpload: fc.array(file, { minLength: 1, maxLength: 3 }),
  Signature: fc.array(file, { minLength: 1, maxLength: 1 }),
}

const verdictOf = (type: string, sent: Json, returned: Json) => {
  const kind = kindOfType(type)?.name ?? ""
  const comparisons = compareSubmission([{ id: "q", name: "Q", kind, list: "questions" }], {
    questions: [{ id: "q", value: sent }],
  }, submissionWith({ questions: [{ id: "q", name: "Q", type, known: true, value: returned }] }))
  expect(comparisons).toHaveLength(1)
  return comparisons[0]?.verdict
}

const asReturned = (value: Json): Json => JSON.parse(JSON.stringify(value))

const seed = 20_240_607

describe.each(Object.entries(answers))("the verdict on an answer of the type %s", (type, sentValues) => {
  const values = sentValues.filter((value) => !isEmpty(value))

  it("the verdict is the same if the service changed nothing", () => {
    fc.assert(
      fc.property(values, (sent) => {
        expect(verdictOf(type, sent, asReturned(sent))).toBe("same")
      }),
      { seed, numRuns: 60 },
    )
  })

  it("the verdict is equivalent after every change that keeps the meaning", () => {
    const normalisations = normalisationsOf(type)
    expect(normalisations.length).toBeGreaterThan(0)
    const used = new Set<string>()
    fc.assert(
      fc.property(values, (sent) => {
        for (const { apply, name } of normalisations) {
          const returned = asReturned(apply(sent))
          const changed = JSON.stringify(returned) !== JSON.stringify(sent)
          if (changed) used.add(name)
          expect([name, returned, verdictOf(type, sent, returned)]).toEqual([
            name,
            returned,
            changed ? "equivalent" : "same",
          ])
        }
      }),
      { seed, numRuns: 60 },
    )
    // Each normalisation changed something at least once.
    expect([...used].toSorted()).toEqual(normalisations.map(({ name }) => name).toSorted())
  })

  it("the verdict is neither the same nor equivalent after a change that alters the meaning", () => {
    let met = 0
    fc.assert(
      fc.property(values, (sent) => {
        for (const { apply, name } of corruptionsOf(type, sent)) {
          const returned = asReturned(apply(sent))
          met++
          expect([name, returned, verdictOf(type, sent, returned)]).toEqual([
            name,
            returned,
            isEmpty(returned) ? "absent" : "different",
          ])
        }
      }),
      { seed, numRuns: 60 },
    )
    expect(met).toBeGreaterThan(60)
  })
})
