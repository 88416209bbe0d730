import { describe, expect, it } from "vitest"
import { JsonCell } from "../../src/domain/cell.ts"
import { address } from "../../src/kinds/address.ts"
import { compiled, conforms } from "./conformance.ts"

conforms({
  kind: address,
  options: [{}],
  sends: [
    [new JsonCell({ address: "Hauptstr. 5", zipCode: 12345, city: " Berlin ", planet: "Earth" }), {
      address: "Hauptstr. 5",
      city: "Berlin",
      zipCode: "12345",
    }],
  ],
  equivalent: [
    [{ city: "Köln" }, { city: "Köln", state: "", country: null }],
    [{ city: "Ko\u0308ln" }, { city: "K\u00F6ln" }],
  ],
  changed: [
    [{ city: "Köln" }, { city: "Koln" }],
    [{ city: "Köln" }, { city: "Köln", country: "Germany" }],
    [{ city: "Köln", country: "Germany" }, { city: "Köln" }],
    [{ city: "Köln" }, "Köln"],
  ],
})

describe("the address kind", () => {
  it("the kind sends only the parts that are filled", () => {
    const parse = compiled(address, {}, { input: { _tag: "Parts", parts: ["city", "zipCode", "country"] } })
    expect(parse(["Berlin", null, "Germany"])).toEqual({ city: "Berlin", country: "Germany" })
    expect(parse([null, null, null])).toBeUndefined()
  })

  it("the kind never splits a text into guessed parts", () => {
    expect(compiled(address)(["Hauptstr. 5, 12345 Berlin"])).toMatchObject({
      code: "pattern",
      expected: expect.stringContaining("`extract`"),
    })
  })
})
