import { describe, expect, it } from "vitest"
import type { AnswerVerdict } from "../../src/domain/comparison.ts"
import type { Json } from "../../src/domain/json.ts"
import type { Difference } from "../../src/domain/report.ts"
import { DifferenceGroups } from "../../src/report/DifferenceGroups.ts"
import { patternOf } from "../../src/report/pattern.ts"

const difference = (
  sent: Json | undefined,
  returned: Json | undefined,
  change: Partial<Difference> = {},
): Difference => ({
  row: 1,
  key: "k",
  submissionId: "s",
  question: "q1",
  name: "Phone",
  verdict: "different",
  sent,
  returned,
  editLink: undefined,
  ...change,
})

const none = () => undefined

describe("findings of the comparison", () => {
  it("300 phone numbers that lost a leading zero give one finding, with a few examples", () => {
    const findings = new DifferenceGroups()
    for (let index = 0; index < 300; index++) {
      findings.add(difference(`030${1_000_000 + index}`, `30${1_000_000 + index}`, { row: index + 1 }))
    }
    findings.add(difference("Ada", undefined, { question: "q2", name: "Name", verdict: "absent" }))
    expect(findings.all(none).map(({ count, name, pattern }) => [count, name, pattern])).toEqual([
      [300, "Phone", "leading zeros were lost"],
      [1, "Name", "did not come back"],
    ])
    expect(findings.all(none)[0]?.examples.map(({ row }) => row)).toEqual([1, 2, 3, 4, 5])
  })

  it.each<readonly [string, Json, Json]>([
    ["leading zeros were lost", "00417", "417"],
    ["moved by −1 day", "2024-03-01", "2024-02-29"],
    ["moved by +2 days", "2024-02-28", "2024-03-01"],
    ["day and month were swapped", "2024-03-04", "2024-04-03"],
    ["another day", "2024-03-04", "1999-01-01"],
    ["moved by +1 h", "2024-05-01T10:00:00.000Z", "2024-05-01T11:00:00.000Z"],
    ["moved by −2 h", "2024-05-01T10:00:00.000Z", "2024-05-01T10:00:00.000+02:00"],
    ["moved by +30 min", "2024-05-01T10:00:00.000Z", "2024-05-01T10:30:00.000Z"],
    ["seconds were lost", "08:15:30", "08:15"],
    ["white space at the ends was removed", " Ada ", "Ada"],
    ["line breaks became spaces", "a\nb", "a b"],
    ["repeated white space was reduced to one space", "a  b", "a b"],
    ["markup was removed", "a <b>c</b>", "a c"],
    ["markup was escaped", "a & b", "a &amp; b"],
    ["changed to upper case", "Ada", "ADA"],
    ["changed to lower case", "Ada", "ada"],
    ["letter case changed", "adA", "Ada"],
    ["accents were lost or changed", "Zoë", "Zoe"],
    ["UTF-8 was read as Latin-1", "Zoë €", Buffer.from("Zoë €", "utf8").toString("latin1")],
    ["characters were replaced by question marks", "Łódź", "??d?"],
    ["characters beyond U+FFFF, such as emoji, were removed", "so 💥!", "so !"],
    ["punctuation was removed", "+49 (30) 1", "49 30 1"],
    ["cut off at the end", "Ada Lovelace", "Ada Love"],
    ["cut off at the start", "Ada Lovelace", "Lovelace"],
    ["text was added at the end", "Ada", "Ada Lovelace"],
    ["became empty", "Ada", ""],
    ["another text", "Ada", "Grace"],
    ["rounded to a whole number", 2.7, 3],
    ["decimals were cut off", 2.2, 2],
    ["rounded to 1 decimal", 2.25, 2.3],
    ["the sign changed", 5, -5],
    ["multiplied by 100", 12.5, 1250],
    ["divided by 100", 1250, 12.5],
    ["another number", 1, 7],
    ["true became false", true, false],
    ["a number came back as text", 5, "five"],
    ["the order changed", ["a", "b"], ["b", "a"]],
    ["members of the list were lost", ["a", "b"], ["a"]],
    ["members were added to the list", ["a"], ["a", "b"]],
    ["in the list: cut off at the end", ["Lesen", "Sport"], ["Lesen", "Spo"]],
    ["zipCode: leading zeros were lost", { zipCode: "04109", city: "Leipzig" }, { zipCode: "4109", city: "Leipzig" }],
    ["state: lost", { state: "NY", city: "X" }, { city: "X" }],
  ])("a finding describes the pattern of a difference: %s", (pattern, sent, returned) => {
    expect(patternOf({ verdict: "different", sent, returned })).toBe(pattern)
  })

  it.each<readonly [AnswerVerdict, string]>([
    ["absent", "did not come back"],
    ["unexpected", "came back without being sent"],
    ["not comparable", "of a type that formferry does not know: not compared"],
  ])("a finding has its own description for the verdict %s", (verdict, words) => {
    expect(patternOf({ verdict, sent: "a", returned: "b" })).toBe(words)
  })

  it("the pattern of a finding contains no value", () => {
    for (
      const [sent, returned] of [["secret", "hidden"], [["secret"], ["hidden"]], [{ a: "secret" }, {
        a: "hidden",
      }]] as const
    ) {
      const pattern = patternOf({ verdict: "different", sent, returned })
      expect(pattern).not.toMatch(/secret|hidden/)
    }
  })

  it("a finding describes what all its differences have in common", () => {
    const findings = new DifferenceGroups()
    for (const text of ["a".repeat(40), "b".repeat(50)]) findings.add(difference(text, text.slice(0, 32)))
    for (const text of ["Ada", "Grace"]) findings.add(difference(text, "N/A", { question: "q2", name: "Name" }))
    expect(findings.all(none).map(({ note, pattern }) => [pattern, note])).toEqual([
      ["cut off at the end", "each to 32 characters"],
      ["another text", "all came back as the same value"],
    ])
  })

  it("findings state what the pipeline tolerates, and why", () => {
    const findings = new DifferenceGroups()
    findings.add(difference("1", "2"))
    expect(findings.all((question) => (question === "q1" ? "the service rounds" : undefined))[0]?.tolerated)
      .toBe("the service rounds")
  })

  it("findings are limited in number, however many kinds of difference occur", () => {
    const findings = new DifferenceGroups()
    for (let index = 0; index < 5_000; index++) {
      const members = Object.fromEntries(Array.from({ length: index % 60 }, (_, at) => [`m${at}`, "x"]))
      findings.add(difference({ ...members, [`only${index % 60}`]: "a" }, members))
    }
    const all = findings.all(none)
    expect(all.length).toBeLessThanOrEqual(13)
    expect(all.reduce((sum, { count }) => sum + count, 0)).toBe(5_000)
    expect(all.some(({ pattern }) => pattern === "in other ways")).toBe(true)
  })

  it("findings combine normalisations of the same kind in the same question, with an example", () => {
    const findings = new DifferenceGroups()
    for (let row = 1; row <= 3; row++) {
      findings.normalised({
        question: "q1",
        name: "Phone",
        verdict: "equivalent",
        sent: "+4930",
        returned: `+49 30 ${row}`,
        normalised: "way of writing",
      }, { row, submissionId: `s${row}` })
    }
    expect(findings.allNormalised).toEqual([{
      question: "q1",
      name: "Phone",
      what: "way of writing",
      count: 3,
      example: { row: 1, submissionId: "s1", sent: "+4930", returned: "+49 30 1" },
    }])
  })
})
