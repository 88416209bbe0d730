import { describe, expect, it } from "@effect/vitest"
import { nearest, oneOf, suggest } from "../../src/project/suggestion.ts"

describe("suggesting the nearest word", () => {
  it.each([
    ["rowkey", ["rowKey", "range"], "rowKey"],
    ["batch_size", ["batchSize", "base"], "batchSize"],
    ["form", ["from", "for"], "from"],
    ["valuse", ["value", "values"], "values"],
    ["contcats", ["contacts", "orders"], "contacts"],
    ["z", ["as", "id"], undefined],
    ["schedule", ["source", "sink"], undefined],
    ["anything", [], undefined],
    ["E-Mail", ["Name", "E-Mail-Adresse (privat)"], "E-Mail-Adresse (privat)"],
    ["Do you ever smoke", ["Do you ever gamble?", "Do you ever smoke cigarettes?"], "Do you ever smoke cigarettes?"],
    ["Adress", ["Address", "Adress line 2"], "Address"],
    ["Date", ["Date of the first visit", "Date of the last visit"], undefined],
  ])("the nearest word to %s among %j is %s", (word, candidates, expected) => {
    expect(nearest(word, candidates)).toBe(expected)
  })
})

it("oneOf joins the last word of a list with or", () => {
  expect(oneOf(["a"])).toBe("a")
  expect(oneOf(["a", "b"])).toBe("a or b")
  expect(oneOf(["a", "b", "c"])).toBe("a, b or c")
})

it("suggest lists all candidates if none is near and there are only a few", () => {
  expect(suggest("x", ["one", "two"], "There are")).toBe("There are: `one` and `two`.")
  expect(suggest("x", Array.from({ length: 25 }, (_, index) => `name${index}`), "There are")).toBeUndefined()
})
