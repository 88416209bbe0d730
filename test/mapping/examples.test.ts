import { describe, expect, it } from "vitest"
import { runExamples } from "../../src/mapping/examples.ts"
import { columnsOf, compiledMapping, formOf, pipelineFrom } from "./pipeline.ts"

const mapping = `  questions:
    - { name: Full name, template: "{First} {Last}" }
    - { name: Email, from: E-mail, as: email, onInvalid: drop }
    - { name: Birthday, from: Born, as: date, format: dd.MM.yyyy }
    - { name: Score, from: Score, as: number, decimal: "," }
    - { name: Likes, from: Likes, as: choices, split: ";", options: [Tea, Coffee] }
    - { name: Place, as: location, from: { latitude: Lat, longitude: Lon } }
    - { id: q7, from: First }
    - { id: q8, from: Last, required: true }
    - { name: Yes, from: Ok, as: boolean }
  login: { from: E-mail }
  unmapped: ignore`
const titles = ["Id", "First", "Last", "E-mail", "Born", "Score", "Likes", "Lat", "Lon", "Ok"]
const form = formOf(["Full name", "Email", "Birthday", "Score", "Likes", "Place", "Twice", "Twice", "Yes"])

const run = (examples: string) => {
  const pipeline = pipelineFrom(mapping, { more: `examples:\n${examples}` })
  const compiled = compiledMapping(pipeline, form, titles).mapping
  return runExamples(compiled, pipeline, columnsOf(titles))
    .map((
      { line, column, message, suggestion },
    ) => [line, column, message, ...(suggestion === undefined ? [] : [suggestion])])
}

describe("a pipeline's examples", () => {
  it("correct examples give no diagnostics", () => {
    expect(
      run(
        `  - row: { First: Ada, Last: Lovelace, Born: 10.12.1815, Score: "1,50", Likes: Coffee;Tea, Lat: 1.5, Lon: 2, Ok: yes }
    gives:
      Full name: Ada Lovelace
      Birthday: 1815-12-10
      Score: 1.5
      Likes: [Tea, Coffee]
      Place: { longitude: 2, latitude: 1.50 }
      q7: Ada
      Yes: true
      Email: null
  - row: { Last: x, E-mail: ADA@EXAMPLE.ORG }
    gives: { login: ADA@example.org, Email: ADA@example.org, Full name: x, Score: null }
  - row: { Last: null, Born: 31.02.1990 }
    fails: [not-a-date, required]
  - row: { Last: x, Id: "" }
    fails: [missing-key]
`,
      ),
    ).toEqual([])
  })

  it("examples report each difference at its place", () => {
    expect(
      run(`  - row: { First: Ada, Last: Lovelace, Born: 10.12.1815, Score: "1,5", Likes: Tea, Lat: 1, Lon: 2, Ok: no }
    gives:
      Full name: Ada
      Birthday: 1815-10-12
      Score: "1,5"
      Likes: Tea
      Place: { latitude: 1 }
      Yes: "yes"
      Email: x
      Full nmae: Ada
      Twice: Ada
`),
    ).toEqual([
      [
        22,
        18,
        'Example 1: "Full name" should be "Ada", but is "Ada Lovelace". It is made from First: "Ada", Last: "Lovelace".',
      ],
      [
        23,
        17,
        'Example 1: "Birthday" should be "1815-10-12", but is "1815-12-10". It is made from Born: "10.12.1815".',
      ],
      [24, 14, 'Example 1: "Score" should be "1,5", but is 1.5. It is made from Score: "1,5".'],
      [25, 14, 'Example 1: "Likes" should be "Tea", but is ["Tea"]. It is made from Likes: "Tea".'],
      [
        26,
        14,
        'Example 1: "Place" should be {"latitude":"1"}, but is {"latitude":1,"longitude":2}. It is made from Lat: "1", Lon: "2".',
      ],
      [27, 12, 'Example 1: "Yes" should be "yes", but is false. It is made from Ok: "no".'],
      [28, 14, 'Example 1: "Email" should be "x", but is no answer. It is made from E-mail: "".'],
      [29, 7, 'Example 1: no mapped answer is called "Full nmae".', "Did you mean `Full name`?"],
      [30, 14, 'Example 1: 2 answers are called "Twice".', "Name the intended one by its id: q7 or q8."],
    ])
  })

  it("examples report unexpected problems of their rows", () => {
    expect(run(`  - row: { First: Ada, Brn: 10.12.1815 }
    gives: { Full name: Ada }
  - row: { First: Ada, Born: soon }
    gives: { Full name: Ada }
  - row: { Last: Ada }
    fails: [required]
  - row: { Born: soon }
    fails: [required, not-an-email]
`)).toEqual([
      [20, 24, 'The source has no column "Brn".', "Did you mean `Born`?"],
      [
        23,
        12,
        'Example 2 should be valid. Column "Born" contains "soon"; expected a date as dd.MM.yyyy or yyyy-MM-dd.',
      ],
      [23, 12, 'Example 2 should be valid. Column "Last" contains no answer; "Twice" is required.'],
      [25, 12, "Example 3 should fail with required, but is valid."],
      [27, 12, "Example 4 should fail with not-an-email, but fails with not-a-date and required."],
      [
        27,
        12,
        'Example 4 also fails with not-a-date. Column "Born" contains "soon"; expected a date as dd.MM.yyyy or yyyy-MM-dd.',
      ],
    ])
  })
})
