import { JsonCell } from "../domain/cell.ts"
import { deeperThan, parsedJson } from "../domain/json.ts"
import { oneCell } from "./cells.ts"
import { compareJson } from "./compared.ts"
import { Fault, type Kind } from "./Kind.ts"
import { isExact } from "./number.ts"

const notJson = new Fault("not-json", "JSON")
const inexact = new Fault(
  "not-json",
  "JSON with numbers of 15 digits at most, and no name twice in an object (write longer numbers as text)",
)
const tooDeep = new Fault("not-json", "JSON nested 100 deep at most")

/** Whether JSON.parse keeps all of a JSON text. It rounds long numbers, and of members with the same name it keeps only the last. */
export const isExactJson = (text: string): boolean => {
  const open: Array<Set<string>> = []
  for (const [token, string, colon] of text.matchAll(/("(?:[^"\\]|\\.)*")(\s*:)?|[{}]|-?\d[-+.\deE]*/g)) {
    if (token === "{") open.push(new Set())
    else if (token === "}") open.pop()
    else if (string === undefined) {
      const value = Number(token)
      if (token !== String(value) && !isExact(token, value)) return false
    } else if (colon !== undefined) {
      const names = open.at(-1)
      const size = names?.size
      if (names?.add(JSON.parse(string) as string).size === size) return false
    }
  }
  return true
}

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
      if (typeof cell === "string" && !isExactJson(cell)) return inexact
      return deeperThan(value, 100) ? tooDeep : value
    }),
  compare: compareJson,
}
