import type { Cell } from "../domain/cell.ts"
import { DateCell, JsonCell } from "../domain/cell.ts"
import type { Json } from "../domain/json.ts"
import type { Kind, Parse } from "../kinds/Kind.ts"
import { Fault } from "../kinds/Kind.ts"
import { readIso } from "../kinds/wallClock.ts"
import type { Mended } from "./Workshop.ts"

const jsonNumber = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][-+]?\d+)?$/

const jsonOf = (text: string): Json | undefined => {
  try {
    return JSON.parse(text) as Json
  } catch {
    return undefined
  }
}

/** The typed cell that a text of a mended rejected.csv may stand for: how such a file writes numbers, dates and nested values. */
const typed = (text: string, mended: Mended): Cell | undefined => {
  if (jsonNumber.test(text)) return Number(text)
  if (text === "true" || text === "false") return text === "true"
  if (mended !== "typed") return undefined
  const iso = readIso(text)
  if (iso !== undefined && Number.isNaN(iso.offset)) return new DateCell(text)
  if (!/^[[{]/.test(text)) return undefined
  const value = jsonOf(text)
  return typeof value === "object" && value !== null ? new JsonCell(value) : undefined
}

const twoWays = new Fault(
  "not-a-number",
  "a number that means the same in the source's way of writing and in JSON's (write it without signs between digits)",
)

/**
 * Reads cells of a mended rejected.csv: as the source writes them, else as the run wrote typed cells. A number that both ways read, but not as the same,
 * is an error where the source has typed cells: which of the two it was can't be told.
 */
export const readingMended = (parse: Parse, kind: Kind, mended: Mended): Parse => {
  if (mended === undefined) return parse
  const nestedFirst = mended === "typed" && (kind.sends === "array" || kind.sends === "object")
  return (cells) => {
    const [cell] = cells
    if (typeof cell !== "string" || cells.length !== 1) return parse(cells)
    const other = typed(cell.trim(), mended)
    if (other instanceof JsonCell && nestedFirst) return parse([other])
    const value = parse(cells)
    if (other === undefined || other instanceof JsonCell) {
      return value instanceof Fault && other !== undefined ? orElse(parse([other]), value) : value
    }
    if (value instanceof Fault) return orElse(parse([other]), value)
    if (mended === "typed" && kind.sends === "number" && typeof other === "number") {
      const typedValue = parse([other])
      return typedValue instanceof Fault || typedValue === value ? value : twoWays
    }
    return value
  }
}

const orElse = (value: ReturnType<Parse>, fault: Fault): ReturnType<Parse> => value instanceof Fault ? fault : value
