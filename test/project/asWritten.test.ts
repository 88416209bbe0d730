import { expect, it } from "@effect/vitest"
import fc from "fast-check"
import { decodePipeline } from "../../src/project/Pipeline.ts"
import { parseYaml } from "../../src/project/yamlText.ts"
import { withEntry } from "./diagnosed.ts"

/** Returns the first entry's decoded texts and options. */
const entryOf = (text: string) => {
  const result = decodePipeline(parseYaml("f", text))
  if (result._tag !== "Read") return result.findings
  const [entry] = result.value.mapping.questions
  const { as, default: standIn, input, name, options } = entry!
  return {
    name,
    as,
    default: standIn,
    from: input._tag === "Columns" ? input.columns[0]?.name : undefined,
    value: input._tag === "Value" ? input.value : undefined,
    ...options,
  }
}

/** Plain scalars. YAML reads only some of them as text. */
const token = fc.oneof(
  fc.constantFrom(
    "007",
    "1.50",
    "yes",
    "No",
    "true",
    "FALSE",
    "0x1F",
    "0o17",
    "1e3",
    "+5",
    "-0",
    ".inf",
    "2024-01-01",
    "12:30",
    "1_000",
  ),
  fc.integer().map(String),
  fc.double({ noNaN: true, noDefaultInfinity: true }).map(String),
  fc.stringMatching(/^0{0,3}\d{1,12}(\.\d{0,4})?$/).filter((text) => text !== ""),
)

it("scalars that represent cells or answers stay text", () => {
  fc.assert(
    fc.property(fc.uniqueArray(token, { minLength: 2, maxLength: 6 }), token, (options, text) => {
      const entry = entryOf(withEntry(
        `name: ${text}\nfrom: ${text}\nas: choice\ndefault: ${text}\noptions: [${options.join(", ")}]\nvalues: { ${
          options.map((option) => `${option}: ${text}`).join(", ")
        } }`,
      ))
      expect(entry).toEqual({
        name: text,
        from: text,
        as: "choice",
        default: text,
        options,
        values: Object.fromEntries(options.map((option) => [option, text])),
      })
    }),
    { seed: 20_261, numRuns: 200 },
  )
})

it("a constant stays text, with or without quotes", () => {
  fc.assert(
    fc.property(token, (text) => {
      expect(entryOf(withEntry(`name: A\nvalue: ${text}`))).toMatchObject({ value: text })
      expect(entryOf(withEntry(`name: A\nvalue: "${text}"`))).toMatchObject({ value: text })
    }),
    { seed: 7, numRuns: 100 },
  )
})

it("null stays null if values allow it", () => {
  expect(entryOf(withEntry("name: A\nfrom: A\nas: choice\nvalues: { a: null, b: ~, c: 'null', null: d }")))
    .toMatchObject({
      values: { a: null, b: null, c: "null", null: "d" },
    })
})

it("numbers and booleans are read as YAML reads them", () => {
  expect(entryOf(withEntry("name: A\nfrom: A\nas: number\nmin: 010\nmax: 1e3\ninteger: true"))).toMatchObject({
    min: 10,
    max: 1000,
    integer: true,
  })
})
