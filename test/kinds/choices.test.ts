import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { JsonCell } from "../../src/domain/cell.ts"
import { choices } from "../../src/kinds/choices.ts"
import { compiled, conforms } from "./conformance.ts"

const labels = ["Reading", "Sports, outdoor", "Sports", "Music; classical, live", "outdoor"]
const question = {
  id: "q1",
  name: "Interests",
  type: "MultiSelect",
  options: labels.map((label, index) => ({ value: `v${index}`, label })),
}

conforms({
  kind: choices,
  options: [{ split: "," }, {}, { split: ";", otherwise: "keep" }, { split: "\n", otherwise: "drop" }],
  question,
  sends: [
    ["Reading", ["v0"]],
    ["Sports, Reading", ["v0", "v2"]],
    ["Sports, outdoor", ["v1"]],
    ["outdoor, sports", ["v2", "v4"]],
    ["reading,SPORTS, OUTDOOR,music; classical,live", ["v0", "v1", "v3"]],
    ["Reading, Reading", ["v0"]],
    [", Reading ,,", ["v0"]],
    [new JsonCell(["Sports", "v0"]), ["v0", "v2"]],
  ],
  equivalent: [[["a", "b"], ["b", "a"]], [["a"], "a"], [["a", "b"], ["b", "a", "b"]], [["\u00E9"], ["e\u0301"]]],
  changed: [[["a"], ["b"]], [["a", "b"], ["a"]], [["a"], []], [["a,b"], ["a", "b"]], [["1"], [1]], [["a"], {
    a: true,
  }]],
})

describe("the choices kind", () => {
  it("names the piece of a cell that is not an option", () => {
    expect(compiled(choices, { split: "," }, { question })(["Reading, Chess, Sports"])).toMatchObject({
      code: "not-an-option",
      piece: "Chess",
    })
    expect(compiled(choices, {}, { question })([new JsonCell([{ a: 1 }])])).toMatchObject({ code: "not-an-option" })
  })

  it("keeps, drops or replaces unknown choices, and puts kept ones last", () => {
    const parse = (otherwise: unknown) =>
      compiled(choices, { split: ",", otherwise }, { question })(["Chess, Sports, Go"])
    expect(parse("keep")).toEqual(["v2", "Chess", "Go"])
    expect(parse("drop")).toEqual(["v2"])
    expect(parse({ use: "Reading" })).toEqual(["v0", "v2"])
    expect(compiled(choices, { split: ",", otherwise: "drop" }, { question })(["Chess"])).toBeUndefined()
  })

  it("ignores pieces that mean no answer, unless an option has that name", () => {
    const empty = new Set(["-", "none"])
    const parse = compiled(choices, { split: ",", values: { none: "Reading" } }, { question, empty })
    expect(parse(["-, Sports"])).toEqual(["v2"])
    expect(parse(["none"])).toEqual(["v0"])
  })

  it("never splits a cell without `split`, and needs options to split one", () => {
    expect(compiled(choices, {}, { question })(["Sports, Reading"])).toMatchObject({ code: "not-an-option" })
    const context = { question: undefined, input: { _tag: "Columns" }, empty: new Set<string>() } as const
    expect(choices.compile({ split: ",", otherwise: "keep" }, context)).toMatchObject([{ option: "split" }])
  })

  it("reads back any set of options, even if their labels contain commas", () => {
    const sets = fc.uniqueArray(fc.nat(labels.length - 1), { minLength: 1 })
    const parse = compiled(choices, { split: "; " }, { question })
    fc.assert(
      fc.property(sets, (indexes) => {
        expect(parse([indexes.map((index) => labels[index]).join("; ")])).toEqual(
          indexes.toSorted((a, b) => a - b).map((index) => `v${index}`),
        )
      }),
      { seed: 17, numRuns: 200 },
    )
  })
})
