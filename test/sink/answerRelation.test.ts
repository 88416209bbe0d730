import { describe, expect, it } from "vitest"
import { type Cell, DateCell, JsonCell } from "../../src/domain/cell.ts"
import type { Json } from "../../src/domain/json.ts"
import { relate, type Relation } from "../../src/sink/answerRelation.ts"

const colours = [{ value: "r", label: "Red" }, { value: "g", label: "Green" }, { value: "dg", label: "Dark, Green" }]

type Case = readonly [
  kind: string | undefined,
  sent: Json,
  cell: Cell | ReadonlyArray<Cell>,
  expected: Relation,
]

const cases: Readonly<Record<string, ReadonlyArray<Case>>> = {
  text: [
    ["text", "Ada", "Ada", "agrees"],
    ["text", "Ada", " Ada ", "agrees"],
    ["text", "Zoë", "Zoe\u0308", "agrees"],
    ["text", "a\r\nb", "a\nb", "agrees"],
    ["text", "=1+1", "'=1+1", "agrees"],
    ["text", "Ada", "ADA!", "near"],
    ["text", "Ada Lovelace", "Ada Love", "near"],
    ["text", "Ada", "Bob", "differs"],
    ["text", "Ada", "", "blank"],
    ["text", "Ada", null, "blank"],
    ["text", "", "", "agrees"],
    ["text", null, "Bob", "differs"],
    ["email", "ada@Example.org", "ada@example.org", "agrees"],
    ["email", "ada@example.org", "bob@example.org", "differs"],
    ["url", "https://example.org/", "https://example.org/", "agrees"],
  ],
  phone: [
    ["phone", "+442079460958", "+44 20 7946 0958", "agrees"],
    ["phone", "+442079460958", "'+442079460958", "agrees"],
    ["phone", "+442079460958", "020 7946 0958", "near"],
    ["phone", "+442079460958", "4.42079E+11", "open"],
    ["phone", "+442079460958", "+442079460959", "differs"],
  ],
  number: [
    ["number", 1234.5, "1234.5", "agrees"],
    ["number", 1234.5, "1,234.5", "agrees"],
    ["number", 1234.5, "1.234,50 €", "agrees"],
    ["number", 5, 5, "agrees"],
    ["number", 1234.5, "1234", "near"],
    ["number", 1234.5, "99", "differs"],
    ["number", 5, "five", "open"],
  ],
  boolean: [
    ["boolean", true, "TRUE", "agrees"],
    ["boolean", true, true, "agrees"],
    ["boolean", false, "false", "agrees"],
    ["boolean", false, "", "open"],
    ["boolean", true, "", "blank"],
    ["boolean", true, "FALSE", "differs"],
    ["boolean", true, "certainly", "open"],
  ],
  date: [
    ["date", "2024-02-03", "2024-02-03", "agrees"],
    ["date", "2024-02-03", new DateCell("2024-02-03"), "agrees"],
    ["date", "2024-02-03", "2/3/2024", "agrees"],
    ["date", "2024-02-03", "03.02.2024", "agrees"],
    ["date", "2024-02-03", "Feb 3, 2024", "agrees"],
    ["date", "2024-02-03", "Sat Feb 03 2024 00:00:00 GMT-0500 (Eastern Standard Time)", "agrees"],
    ["date", "2024-02-03", "2024-02-02", "near"],
    ["date", "2024-02-03", "2024-05-17", "differs"],
    ["date", "2024-02-03", "the third", "open"],
  ],
  time: [
    ["time", "15:05", "15:05", "agrees"],
    ["time", "15:05", "3:05 PM", "agrees"],
    ["time", "15:05", "03:05", "differs"],
  ],
  dateTime: [
    ["dateTime", "2024-02-03T15:05:00.000Z", "2024-02-03T16:05:00+01:00", "agrees"],
    ["dateTime", "2024-02-03T15:05:00.000Z", "Sat Feb 03 2024 10:05:00 GMT-0500 (Eastern Standard Time)", "agrees"],
    ["dateTime", "2024-02-03T15:05:30.000Z", "2024-02-03T15:05Z", "agrees"],
    ["dateTime", "2024-02-03T15:05:00.000Z", "2/3/2024 10:05", "open"],
    ["dateTime", "2024-02-03T15:05:00.000Z", "2/3/2024 10:06", "differs"],
    ["dateTime", "2024-02-03T15:05:00.000Z", "2024-05-03T15:05:00Z", "differs"],
  ],
  choices: [
    ["choice", "r", "Red", "agrees"],
    ["choice", "r", "r", "agrees"],
    ["choice", "r", "Green", "differs"],
    ["choices", ["r", "g"], "Red, Green", "agrees"],
    ["choices", ["g", "r"], "Red; Green;", "agrees"],
    ["choices", ["g", "dg"], "Dark, Green, Green", "agrees"],
    ["choices", ["r", "g"], `["r","g"]`, "agrees"],
    ["choices", ["r", "g"], new JsonCell(["r", "g"]), "agrees"],
    ["choices", ["r", "g"], "Red", "near"],
    ["choices", ["r"], "Red, Green", "near"],
    ["choices", ["Café"], "Cafe\u0301", "agrees"],
    ["choices", ["r"], "Green", "differs"],
    ["ranking", ["r", "g"], "Red, Green", "agrees"],
    ["ranking", ["r", "g"], "Green, Red", "differs"],
  ],
  objects: [
    ["address", { address: "1 High St", city: "Leeds" }, ["1 High St", "Leeds", "", null], "agrees"],
    ["address", { address: "1 High St", city: "Leeds" }, "1 High St, Leeds", "agrees"],
    ["address", { address: "1 High St", city: "Leeds" }, "High Street 1, Leeds", "open"],
    ["address", { address: "1 High St", city: "Leeds" }, "Elsewhere", "differs"],
    ["files", [{ url: "https://a.example/x.pdf", filename: "x.pdf" }], "https://cdn.example/123", "open"],
  ],
}

describe("relating an exported cell to the answer that was sent", () => {
  for (const [what, list] of Object.entries(cases)) {
    it.each(list)(`${what}: a %s answer %j exported as %j gives "%s"`, (kind, value, cell, expected) => {
      const cells = Array.isArray(cell) ? cell as ReadonlyArray<Cell> : [cell as Cell]
      expect(relate({ value, kind, options: what === "choices" ? colours : undefined }, cells)).toBe(expected)
    })
  }
})
