import { describe, expect, it } from "vitest"
import { compiledMapping, formOf, itemOf, pipelineFrom, problemsOf } from "./pipeline.ts"

const form = formOf(["A", "B", "C"], { urlParameters: [{ id: "u", name: "key" }] })
const titles = ["Id", "A", "B", "When"]
const mappingOf = (lines: string, blankRows: "allow" | "reject" = "reject") =>
  compiledMapping(pipelineFrom(`${lines}\n  ignoreQuestions: [C]\n  unmapped: ignore`, { blankRows }), form, titles)
    .mapping

describe("a row without an answer from a cell", () => {
  const answers = `  questions:
    - { name: A, from: A, as: number, onInvalid: drop, default: "7" }
    - { name: B, value: imported }
  urlParameters: [{ name: key, from: Id }]
  submissionTime: { from: When, zone: UTC }`
  const blank = [{ code: "blank-row" }]

  it("a blank row has one problem, whatever constants, defaults, URL parameters and times it has", () => {
    const mapping = mappingOf(answers)
    expect(problemsOf(mapping, ["1", null, null, "2024-01-01T10:00"])).toMatchObject(blank)
    expect(mapping.check(["1", null, null, null], new Uint8Array(5))).toMatchObject(blank)
    expect(mapping.explain(["1", null, null, null]).problems).toMatchObject(blank)
    expect(problemsOf(mapping, ["1", "5", null, null])).toEqual([])
    expect(mapping.check(["1", "5", null, null], new Uint8Array(5))).toBeUndefined()
  })

  it("a row whose only answer from a cell was dropped counts as blank", () => {
    const mapping = mappingOf(answers)
    expect(problemsOf(mapping, ["1", "many", null, null])).toMatchObject(blank)
    expect(mapping.check(["1", "many", null, null], new Uint8Array(5), [])).toMatchObject(blank)
  })

  it("a blank row is sent if blank rows are allowed", () => {
    expect(itemOf(mappingOf(answers, "allow"), ["1", null, null, null]).questions).toEqual([
      { id: "q1", value: 7 },
      { id: "q2", value: "imported" },
    ])
  })

  it("a row with other problems is not reported as blank", () => {
    const mapping = mappingOf("  questions: [{ name: A, from: A, required: true }, { name: B, from: B, as: number }]")
    expect(problemsOf(mapping, ["1", null, "x", null]).map(({ code }) => code)).toEqual(["required", "not-a-number"])
  })
})
