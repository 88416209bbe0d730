import { describe, expect, it } from "vitest"
import { JsonCell } from "../../src/domain/cell.ts"
import { ranking } from "../../src/kinds/ranking.ts"
import { compiled, conforms } from "./conformance.ts"

const question = {
  id: "q1",
  name: "Films",
  type: "Ranking",
  options: [{ value: "a", label: "A New Hope" }, { value: "b", label: "The Empire, again" }, {
    value: "c",
    label: "C",
  }],
}

conforms({
  kind: ranking,
  options: [{ split: "," }, { split: ";", otherwise: "keep" }, {}],
  question,
  sends: [
    ["C, A New Hope", ["c", "a"]],
    ["The Empire, again,C", ["b", "c"]],
    ["a", ["a"]],
    [new JsonCell(["c", "A new hope"]), ["c", "a"]],
  ],
  equivalent: [[["\u00E9", "b"], ["e\u0301", "b"]]],
  changed: [[["a", "b"], ["b", "a"]], [["a", "b"], ["a"]], [["a"], "a"], [["a"], []]],
})

describe("the ranking kind", () => {
  const parts = ["A New Hope", "C", "The Empire, again"]
  const parse = compiled(ranking, {}, { question, input: { _tag: "Parts", parts } })

  it("sends options in the order of their ranks", () => {
    expect(parse(["2", "3", "1"])).toEqual(["b", "a", "c"])
    expect(parse([null, "1", "3"])).toEqual(["c", "b"])
    expect(parse([null, null, null])).toBeUndefined()
  })

  it("refuses two columns for one option", () => {
    const twice = ranking.compile({}, { question, input: { _tag: "Parts", parts: ["C", "c"] }, empty: new Set() })
    expect(twice).toMatchObject([{ option: "from", member: "c", message: '"C" and "c" are the same option.' }])
  })

  it("names the column with an invalid or repeated rank", () => {
    expect(parse(["1", "first", null])).toMatchObject({ code: "not-a-number", cell: 1 })
    expect(parse(["1", "4", null])).toMatchObject({ code: "out-of-range", cell: 1 })
    expect(parse(["1", "2", "1"])).toMatchObject({ code: "conflict", cell: 2, expected: /A New Hope/ })
  })

  it("reads columns that are named after ranks as the options of these ranks", () => {
    const places = compiled(ranking, { values: { none: null } }, {
      question,
      input: { _tag: "Parts", parts: ["Rank 2", "Rank 1", "Rank 3"] },
    })
    expect(places(["C", "the empire, again", null])).toEqual(["b", "c"])
    expect(places([null, "none", "a"])).toEqual(["a"])
    expect(places([null, null, null])).toBeUndefined()
    expect(places(["D", "C", null])).toMatchObject({ code: "not-an-option", cell: 0 })
    expect(places(["C", "a", "c"])).toMatchObject({ code: "not-an-option", cell: 2, expected: "each option once" })
  })

  it("reads ranks if a column's name is an option, or if not every rank has a column", () => {
    const numbers = { ...question, options: ["1", "2"].map((value) => ({ value, label: value })) }
    const read = compiled(ranking, {}, { question: numbers, input: { _tag: "Parts", parts: ["1", "2"] } })
    expect(read(["2", "1"])).toEqual(["2", "1"])
    const input = { _tag: "Parts", parts: ["Rank 1", "Rank 3"] } as const
    expect(ranking.compile({}, { question, input, empty: new Set() })).toMatchObject([
      { message: '"Rank 1" is not an option of this question.' },
      { message: '"Rank 3" is not an option of this question.' },
    ])
  })

  it("refuses a cell that contains an option twice", () => {
    expect(compiled(ranking, { split: "," }, { question })(["C, a, c"])).toMatchObject({
      code: "not-an-option",
      piece: "c",
    })
  })

  it("reports an unknown option at compile time", () => {
    expect(ranking.compile({}, { question, input: { _tag: "Parts", parts: ["D"] }, empty: new Set() })).toMatchObject([
      { option: "from", member: "D", message: '"D" is not an option of this question.' },
    ])
  })

  it("uses the columns' names as options if the form has none", () => {
    const free = compiled(ranking, {}, { input: { _tag: "Parts", parts: ["x", "y"] } })
    expect(free(["2", "1"])).toEqual(["y", "x"])
  })
})
