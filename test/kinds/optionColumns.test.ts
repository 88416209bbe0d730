import { describe, expect, it } from "vitest"
import { choices } from "../../src/kinds/choices.ts"
import type { InputShape } from "../../src/kinds/Kind.ts"
import { compiled } from "./conformance.ts"

const question = {
  id: "q1",
  name: "Products",
  type: "Checkboxes",
  options: [
    { value: "b", label: "Basic" },
    { value: "p", label: "Pro" },
    { value: "na", label: "N/A" },
    { value: "o", label: "Other" },
  ],
}
const shape = (
  parts: ReadonlyArray<string>,
  other?: { readonly tick?: number; readonly text?: number },
): InputShape => ({
  _tag: "Parts",
  parts,
  other: other === undefined ? undefined : { tick: other.tick, text: other.text },
})
const fault = (options: object, input: InputShape) =>
  choices.compile(options as never, { question, input, empty: new Set() })

describe("the choices kind with a column for each option", () => {
  const parse = compiled(choices, {}, { question, input: shape(["Pro", "Basic", "N/A"]) })

  it("sends the ticked options in the form's order", () => {
    expect(parse(["1", "x", "0"])).toEqual(["b", "p"])
    expect(parse(["Pro", null, "n/a"])).toEqual(["p", "na"])
    expect(parse(["p", "Not selected", "FALSE"])).toEqual(["p"])
    expect(parse(["0", "no", null])).toBeUndefined()
    expect(parse([null, null, null])).toBeUndefined()
  })

  it("reports a cell that is neither ticked nor unticked", () => {
    expect(parse(["1", "maybe", "0"])).toMatchObject({ code: "not-an-option", cell: 1 })
    expect(parse(["Basic", null, null])).toMatchObject({ code: "not-an-option", cell: 0 })
    const own = compiled(choices, { checked: ["ja"], unchecked: ["nein"] }, { question, input: shape(["Pro"]) })
    expect([own(["JA"]), own(["nein"]), own(["Pro"])]).toEqual([["p"], undefined, ["p"]])
    expect(own(["1"])).toMatchObject({ code: "not-an-option" })
    expect(own(["0"])).toMatchObject({ code: "not-an-option" })
  })

  it("accepts a usual word for no as a tick if the pipeline says so", () => {
    const reversed = compiled(choices, { checked: ["0"] }, { question, input: shape(["Pro", "Basic"]) })
    expect(reversed(["0", "no"])).toEqual(["p"])
    expect(fault({ checked: ["x"], unchecked: ["X"] }, shape(["Pro"]))).toMatchObject([{ option: "unchecked" }])
  })

  it("reports a 0 in the column of the option 0 until the pipeline says whether it is a tick", () => {
    const numbered = { ...question, options: ["0", "1", "2"].map((code) => ({ value: code, label: code })) }
    const read = (options: object, cells: ReadonlyArray<string>) =>
      compiled(choices, options, { question: numbered, input: shape(["0", "1", "2"]) })(cells)
    expect(read({}, ["0", "1", "0"])).toMatchObject({ code: "not-an-option", cell: 0 })
    expect(read({}, ["1", "1", "0"])).toEqual(["0", "1"])
    expect(read({ unchecked: ["0"] }, ["0", "1", "0"])).toEqual(["1"])
    expect(read({ checked: ["0", "1", "2"] }, ["0", "1", ""])).toEqual(["0", "1"])
  })

  it("reports a No in the column of the option No until the pipeline says whether it is a tick", () => {
    const asked = { ...question, options: ["Yes", "No", "Maybe"].map((name) => ({ value: name, label: name })) }
    const read = (options: object) =>
      compiled(choices, options, { question: asked, input: shape(["Yes", "No", "Maybe"]) })(["Yes", "No", "No"])
    expect(read({})).toMatchObject({ code: "not-an-option", cell: 1 })
    expect(read({ unchecked: ["No"] })).toEqual(["Yes"])
    expect(read({ checked: ["Yes", "No"] })).toEqual(["Yes", "No", "Maybe"])
  })

  it("reports unknown options at compile time, after it applies `values`", () => {
    expect(fault({}, shape(["Prof", "Basic"]))).toMatchObject([{
      option: "from",
      member: "Prof",
      unknown: { name: "Prof" },
    }])
    const renamed = compiled(choices, { values: { Professional: "Pro", Old: null } }, {
      question,
      input: shape(["Professional", "Old"]),
    })
    expect(renamed(["1", "1"])).toEqual(["p"])
  })

  it("uses the columns' names as options if neither form nor pipeline lists any", () => {
    const free = compiled(choices, { other: { use: "Else" } }, { input: shape(["Red", "Blue"], { tick: 2 }) })
    expect(free(["1", "1", "Green"])).toEqual(["Red", "Blue", "Else"])
  })
})

describe("the choices kind with an Other column", () => {
  const redirected: Array<readonly [string, string]> = []
  const context = {
    question,
    input: shape(["Basic"], { tick: 1, text: 2 }),
    redirect: (text: string, to: string) => void redirected.push([text, to]),
  }
  const parse = (options: object, ...cells: ReadonlyArray<string | null>) => {
    redirected.length = 0
    return [compiled(choices, options, context)(cells), [...redirected]]
  }

  it("sends a ticked Other as the option that the pipeline names, and its text to a different question", () => {
    const options = { other: { use: "Other", textTo: "Which?" } }
    expect(parse(options, "1", "Chairs", null)).toEqual([["b", "o"], [["Chairs", "Which?"]]])
    expect(parse(options, null, "1", "Chairs")).toEqual([["o"], [["Chairs", "Which?"]]])
    expect(parse(options, null, "Other", null)).toEqual([["o"], []])
    expect(parse(options, "1", "0", null)).toEqual([["b"], []])
    expect(parse(options, "1", null, null)).toEqual([["b"], []])
  })

  it("treats Other as an unknown choice if the pipeline does not mention it", () => {
    expect(parse({}, "1", "Chairs", null)).toMatchObject([{ code: "not-an-option", cell: 1, piece: "Chairs" }, []])
    expect(parse({}, "1", "1", null)).toMatchObject([{ code: "not-an-option", cell: 1 }, []])
    expect(parse({ otherwise: "keep" }, "1", "Chairs", null)).toEqual([["b", "Chairs"], []])
    expect(parse({ otherwise: "drop" }, "1", "Chairs", null)).toEqual([["b"], []])
    expect(parse({ otherwise: { textTo: "Which?" } }, "1", "Chairs", null)).toEqual([["b"], [["Chairs", "Which?"]]])
    expect(parse({}, "1", "Pro", null)).toEqual([["b", "p"], []])
  })

  it("refuses a pipeline that replaces Other with an option that the form lacks", () => {
    expect(fault({ other: { use: "Othr" } }, context.input)).toMatchObject([{ option: "other", member: "use" }])
  })

  it("redirects every unknown piece of a split cell", () => {
    const split = compiled(choices, { split: ",", otherwise: { use: "Other", textTo: "Which?" } }, {
      question,
      redirect: context.redirect,
    })
    redirected.length = 0
    expect([split(["Basic, Chairs"]), split(["Basic, Chairs"])]).toEqual([["b", "o"], ["b", "o"]])
    expect(redirected).toEqual([["Chairs", "Which?"], ["Chairs", "Which?"]])
  })
})

describe("the choices kind with a column for each code", () => {
  it("if `values` translates the code 0, a 0 in that code's column still means not ticked", () => {
    const parse = compiled(choices, { values: { 0: "Basic", 1: "Pro" } }, { question, input: shape(["0", "1"]) })
    expect(parse(["0", "1"])).toEqual(["p"])
    expect(parse(["1", "0"])).toEqual(["b"])
    expect(parse(["Basic", null])).toEqual(["b"])
  })
})
