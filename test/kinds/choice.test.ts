import { describe, expect, it } from "vitest"
import { choice } from "../../src/kinds/choice.ts"
import type { KindContext } from "../../src/kinds/Kind.ts"
import { compiled, conforms } from "./conformance.ts"

const question = {
  id: "q1",
  name: "Colour",
  type: "Dropdown",
  options: [
    { value: "red", label: "Red" },
    { value: "opt_2", label: "Dark green" },
    { value: "3", label: "Blue" },
    { value: "N/A", label: "N/A" },
  ],
}

conforms({
  kind: choice,
  options: [{}, { otherwise: "keep" }, { otherwise: "drop" }, { otherwise: { use: "Red" } }, { matchCase: true }],
  question,
  sends: [
    ["red", "red"],
    ["Red", "red"],
    ["RED", "red"],
    ["Dark green", "opt_2"],
    ["darkGreen", "opt_2"],
    ["dark\u00A0 green", "opt_2"],
    [3, "3"],
    ["Blue", "3"],
  ],
  equivalent: [["\u00E9", "e\u0301"], ["red", ["red"]]],
  changed: [["red", "Red"], ["red", "3"], ["3", 3], ["red", ["red", "3"]], ["red", []]],
})

const context: KindContext = { question, input: { _tag: "Columns" }, empty: new Set() }

describe("the choice kind", () => {
  it("refuses a text that is not an option, and lists the options", () => {
    expect(compiled(choice, {}, { question })(["Pink"])).toMatchObject({
      code: "not-an-option",
      expected: "one of: Red, Dark green, Blue, N/A",
      piece: "Pink",
    })
  })

  it("keeps, drops or replaces unknown choices as `otherwise` says", () => {
    expect(compiled(choice, { otherwise: "keep" }, { question })(["Pink"])).toBe("Pink")
    expect(compiled(choice, { otherwise: "drop" }, { question })(["Pink"])).toBeUndefined()
    expect(compiled(choice, { otherwise: { use: "blue" } }, { question })(["Pink"])).toBe("3")
  })

  it("prefers `values` to similar options, and reads null in `values` as no answer", () => {
    const parse = compiled(choice, { values: { Rot: "Red", blue: "dark green", Red: "Blue", none: null } }, {
      question,
    })
    expect([parse(["rot"]), parse(["blue"]), parse(["NONE"]), parse(["Red"])]).toEqual(["red", "opt_2", undefined, "3"])
    // An exact option takes precedence over a similar key of `values`.
    expect(parse(["Blue"])).toBe("3")
    expect(parse(["BLUE"])).toBe("opt_2")
  })

  it("does not guess if a name fits several options equally", () => {
    const twins = {
      ...question,
      options: [{ value: "a", label: "Yes" }, { value: "b", label: "yes" }, { value: "Yes", label: "No" }],
    }
    const parse = compiled(choice, { otherwise: "keep" }, { question: twins })
    expect(parse(["Yes"])).toMatchObject({ code: "not-an-option", expected: "one option; it may be a or Yes" })
    expect(parse(["yes"])).toBe("b")
    expect(parse(["YES"])).toMatchObject({ code: "not-an-option" })
    expect(parse(["no"])).toBe("Yes")
  })

  it("distinguishes upper and lower case if `matchCase` is set", () => {
    const parse = compiled(choice, { matchCase: true }, { question })
    expect(parse(["Dark  green"])).toBe("opt_2")
    expect(parse(["dark green"])).toMatchObject({ code: "not-an-option" })
  })

  it("reports unknown and missing options at compile time", () => {
    const faults = choice.compile(
      { options: ["Redd"], values: { x: "Gren", y: "Blue" }, otherwise: { use: "Pink" } },
      context,
    )
    expect(faults).toMatchObject([
      { option: "options", unknown: { name: "Redd" } },
      { option: "values", unknown: { name: "Gren", among: ["Red", "Dark green", "Blue", "N/A"] } },
      { option: "otherwise", unknown: { name: "Pink" } },
    ])
    const none: KindContext = { ...context, question: { ...question, options: undefined } }
    expect(choice.compile({}, none)).toMatchObject([{ suggestion: expect.stringContaining("`options`") }])
  })

  it("uses the pipeline's options if the form has none", () => {
    const parse = compiled(choice, { options: ["Red", "Blue"] }, { question: { ...question, options: undefined } })
    expect(parse(["blue"])).toBe("Blue")
    expect(parse(["green"])).toMatchObject({ code: "not-an-option" })
  })

  it("treats property names of JavaScript objects as plain text", () => {
    for (const cell of ["__proto__", "constructor", "toString"]) {
      expect(compiled(choice, {}, { question })([cell])).toMatchObject({ code: "not-an-option" })
    }
  })
})
