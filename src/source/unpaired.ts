import type { Cell } from "../domain/cell.ts"
import type { Json } from "../domain/json.ts"
import { cut } from "../domain/problem.ts"
import type { Problem } from "../domain/problem.ts"

const surrogate = /[\ud800-\udfff]/
const unpaired = /\p{Surrogate}/u

/** Whether a text has half of a surrogate pair. UTF-8 can't hold one, so different texts would be sent, and found again, as the same. */
const isUnpaired = (text: string): boolean => surrogate.test(text) && unpaired.test(text)

/** Finds the first such text in a value, names of members included. Values are as deep as sources allow at most. */
const inJson = (value: Json): string | undefined => {
  if (typeof value === "string") return isUnpaired(value) ? value : undefined
  if (typeof value !== "object" || value === null) return undefined
  if (Array.isArray(value)) {
    for (const each of value) {
      const found = inJson(each as Json)
      if (found !== undefined) return found
    }
    return undefined
  }
  for (const [key, each] of Object.entries(value)) {
    const found = isUnpaired(key) ? key : inJson(each as Json)
    if (found !== undefined) return found
  }
  return undefined
}

const problem = (row: number, text: string): Problem => ({
  code: "damaged-text",
  value: cut(Buffer.from(text).toString()),
  message: `Row ${row} has a text with half of a character (an unpaired surrogate), which can't be sent as it is. `
    + "Correct it where the file is made.",
})

/** Returns the problem of a record in which a text can't be sent as it stands, if one can't. */
export const unpairedInJson = (row: number, record: Json): Problem | undefined => {
  const found = inJson(record)
  return found === undefined ? undefined : problem(row, found)
}

/** Returns the problem of a row in which a text can't be sent as it stands, if one can't. */
export const unpairedInCells = (row: number, cells: ReadonlyArray<Cell>): Problem | undefined => {
  const found = cells.find((cell): cell is string => typeof cell === "string" && isUnpaired(cell))
  return found === undefined ? undefined : problem(row, found)
}
