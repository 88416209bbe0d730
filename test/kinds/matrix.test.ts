import { describe, expect, it } from "vitest"
import { JsonCell } from "../../src/domain/cell.ts"
import { matrix } from "../../src/kinds/matrix.ts"
import { compiled, conforms } from "./conformance.ts"

conforms({
  kind: matrix,
  options: [{}, { values: { Good: "5", Bad: "1", "No idea": null } }],
  sends: [
    [new JsonCell({ Han: "Good", Leia: 4, Luke: null, Jar: "" }), { Han: "Good", Leia: "4" }],
    [new JsonCell({ __proto__: "x", Han: "Good" }), { Han: "Good" }],
  ],
  equivalent: [
    [{ Han: "5" }, { Han: "5", Leia: null }],
    [{ Han: ["a", "b"] }, { Han: ["b", "a"] }],
    [{ Han: ["a"] }, { Han: "a" }],
  ],
  changed: [
    [{ Han: "5" }, { Han: "4" }],
    [{ Han: "5", Leia: "1" }, { Han: "5" }],
    [{ Han: ["a", "b"] }, { Han: ["a"] }],
    [{ Han: "5" }, ["5"]],
  ],
})

describe("the matrix kind", () => {
  const rows = (options: object, parts = ["Han", "Leia"]) =>
    compiled(matrix, options, { input: { _tag: "Parts", parts } })

  it("sends an answer for each matrix row whose column is filled", () => {
    expect(rows({})(["Good", null])).toEqual({ Han: "Good" })
    expect(rows({})([null, null])).toBeUndefined()
  })

  it("refuses several answers for a matrix row, unless cells are split", () => {
    const cell = new JsonCell({ Han: ["Mon", "Tue"], Leia: ["Wed"] })
    expect(compiled(matrix)([cell])).toMatchObject({ code: "not-an-option" })
    const listed = { split: "\n", options: ["Mon", "Tue", "Wed"] }
    expect(compiled(matrix, listed)([cell])).toEqual({ Han: ["Mon", "Tue"], Leia: ["Wed"] })
  })

  it("sends the answers that `values` define, and refuses other texts", () => {
    const parse = rows({ values: { Good: "5", Bad: "1", "No idea": null } })
    expect(parse(["Good", "bad"])).toEqual({ Han: "5", Leia: "1" })
    expect(parse(["5", "No idea"])).toEqual({ Han: "5" })
    expect(parse(["Good", "Goood"])).toMatchObject({ code: "not-an-option", cell: 1, piece: "Goood" })
    expect(rows({ values: { Good: "5" }, otherwise: "keep" })(["Good", "Goood"])).toEqual({ Han: "5", Leia: "Goood" })
  })

  it("accepts several answers for a matrix row if cells are split", () => {
    const parse = rows({ split: ",", options: ["Mon", "Tue, late", "Wed"] })
    expect(parse(["Wed, Tue, late", "Mon,Mon"])).toEqual({ Han: ["Wed", "Tue, late"], Leia: ["Mon"] })
    expect(parse(["Sun", null])).toMatchObject({ code: "not-an-option", cell: 0 })
  })
})
