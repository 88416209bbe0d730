import { describe, expect, it } from "vitest"
import { boolean } from "../../src/kinds/boolean.ts"
import { compiled, conforms } from "./conformance.ts"

conforms({
  kind: boolean,
  options: [{}, { true: ["ja"], false: ["nein", "-"] }, { true: ["no"] }],
  sends: [["Yes", true], ["x", true], [1, true], [true, true], ["TRUE", true], ["no", false], ["0", false], [
    false,
    false,
  ]],
  equivalent: [[true, "true"], [false, "false"]],
  changed: [[true, false], [true, "false"], [true, 1], [false, ""], [false, 0], [true, "yes"]],
})

describe("the boolean kind", () => {
  it("reports an unknown text as an error, never as false", () => {
    for (const cell of ["maybe", "2", "-", "ja"]) {
      expect(compiled(boolean)([cell]), cell).toMatchObject({ code: "not-a-boolean" })
    }
  })

  it("uses the pipeline's words, or the usual words for a value for which the pipeline has none", () => {
    const parse = compiled(boolean, { true: ["ja", "J"] })
    expect([parse(["JA"]), parse(["j"]), parse(["no"])]).toEqual([true, true, false])
    expect(parse(["yes"])).toMatchObject({ code: "not-a-boolean" })
    expect(compiled(boolean, { true: ["no"] })(["no"])).toBe(true)
  })

  it("refuses a word that means both true and false", () => {
    const context = { question: undefined, input: { _tag: "Columns" }, empty: new Set<string>() } as const
    expect(boolean.compile({ true: ["x"], false: ["X"] }, context)).toMatchObject([{ option: "false" }])
  })
})
