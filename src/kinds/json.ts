import { JsonCell } from "../domain/cell.ts"
import { deeperThan, parsedJson } from "../domain/json.ts"
import { oneCell } from "./cells.ts"
import { compareJson } from "./compared.ts"
import { Fault, type Kind } from "./Kind.ts"

const notJson = new Fault("not-json", "JSON")
const tooDeep = new Fault("not-json", "JSON nested 100 deep at most")

/** A value written as JSON, for questions whose values have no other kind. JSON's null means no answer. */
export const json: Kind = {
  name: "json",
  description: "A value written as JSON, for questions that have no other kind. Sent as the parsed value",
  options: {},
  sends: "any",
  types: [],
  compile: () =>
    oneCell((cell) => {
      if (typeof cell === "object" && !(cell instanceof JsonCell)) return notJson
      const value = typeof cell === "string" ? parsedJson(cell) : cell instanceof JsonCell ? cell.value : cell
      if (value === null) return undefined
      if (value === undefined) return notJson
      if (typeof value === "number" && !Number.isFinite(value)) return notJson
      return deeperThan(value, 100) ? tooDeep : value
    }),
  compare: compareJson,
}
