import { describe, expect, it } from "vitest"
import { JsonCell } from "../../src/domain/cell.ts"
import { location } from "../../src/kinds/location.ts"
import { compiled, conforms } from "./conformance.ts"

const berlin = { latitude: 52.52, longitude: 13.405 }

conforms({
  kind: location,
  options: [{}],
  sends: [
    ["52.52 13.405", berlin],
    ["52.52, 13.405", berlin],
    ["52.52,13.405", berlin],
    ["52.52; 13.405", berlin],
    ["+52.52° 13.405°", berlin],
    ["52.52 13.405 34.0 4.5", berlin],
    ["-33.86 151.2", { latitude: -33.86, longitude: 151.2 }],
    [new JsonCell({ latitude: 52.52, longitude: 13.405 }), berlin],
  ],
  equivalent: [[berlin, { latitude: "52.52", longitude: "13.405" }], [berlin, { ...berlin, label: "" }]],
  changed: [[berlin, { latitude: 13.405, longitude: 52.52 }], [berlin, { latitude: 52.52 }], [berlin, "52.52 13.405"], [
    berlin,
    { latitude: 52.520001, longitude: 13.405 },
  ]],
})

describe("the location kind", () => {
  const parse = compiled(location, {}, { input: { _tag: "Parts", parts: ["longitude", "latitude"] } })

  it("needs numbers for both parts or for neither", () => {
    expect(parse([13.405, 52.52])).toEqual(berlin)
    expect(parse([null, null])).toBeUndefined()
    expect(parse([13.405, null])).toMatchObject({ code: "not-a-number", cell: 1 })
    expect(parse([null, 52.52])).toMatchObject({ code: "not-a-number", cell: 0 })
  })

  it("refuses coordinates beyond the poles and the date line", () => {
    expect(parse([13, 91])).toMatchObject({ code: "out-of-range", cell: 1 })
    expect(parse([-181, 9])).toMatchObject({ code: "out-of-range", cell: 0 })
    expect(compiled(location)(["91 0"])).toMatchObject({ code: "out-of-range" })
  })

  it("refuses degrees and minutes", () => {
    expect(compiled(location)(["52 30 13 24"])).toMatchObject({ code: "not-a-number" })
  })

  it("never reads a comma as a decimal sign", () => {
    expect(compiled(location)(["52,52 13,405"])).toMatchObject({ code: "not-a-number" })
  })
})
