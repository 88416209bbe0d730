import { describe, expect, it } from "vitest"
import { collectUnknown } from "../../src/profile/UnknownChoices.ts"

const options = (...labels: ReadonlyArray<string>) => labels.map((label) => ({ value: label.toLowerCase(), label }))

describe("Unknown choices", () => {
  it("are counted in pieces in every row", () => {
    const question = {
      id: "q",
      name: "Interests",
      type: "Checkboxes",
      options: options("Reading", "Sports, outdoor", "Music"),
    }
    const counter = collectUnknown("choices", { split: "," }, question, new Set())
    for (const cell of ["Reading, Chess", "Go, Chess, Music", "Sports, outdoor", null, "", "Chess"]) {
      counter?.add(cell)
    }
    expect(counter?.unknown()).toEqual({ counts: [["Chess", 3], ["Go", 1]], more: false })
  })

  it("are not the texts that mean no answer", () => {
    const question = { id: "q", name: "Gender", type: "Dropdown", options: options("Male", "Female") }
    const counter = collectUnknown("choice", {}, question, new Set(["k. A."]))
    for (const cell of ["k. A.", " k. A. ", "Male", "w"]) counter?.add(cell)
    expect(counter?.unknown().counts).toEqual([["w", 1]])
    const several = collectUnknown("choices", { split: "," }, question, new Set(["k. A."]))
    for (const cell of ["Male, k. A.", "k. A., w"]) several?.add(cell)
    expect(several?.unknown().counts).toEqual([["w", 1]])
  })

  it("are not the cells that `values` lists", () => {
    const question = { id: "q", name: "Gender", type: "Dropdown", options: options("Male", "Female") }
    const counter = collectUnknown("choice", { values: { m: "Male" } }, question, new Set())
    for (const cell of ["m", "Female", "w", "w"]) counter?.add(cell)
    expect(counter?.unknown().counts).toEqual([["w", 2]])
  })
})
