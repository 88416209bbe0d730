import type { Cell } from "../domain/cell.ts"
import { DateCell, JsonCell } from "../domain/cell.ts"
import type { Json } from "../domain/json.ts"
import type { Kind, Parse } from "../kinds/Kind.ts"
import { Fault } from "../kinds/Kind.ts"
import { readIso } from "../kinds/wallClock.ts"
import type { Fixed } from "./CompileContext.ts"

const jsonNumber = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][-+]?\d+)?$/

const jsonOf = (text: string): Json | undefined => {
  try {
    return JSON.parse(text) as Json
  } catch {
    return undefined
  }
}

/** Returns the typed cell that a text of a fixed rejected.csv may stand for: the file writes numbers, dates and nested values as text. */
const typed = (text: string, fixed: Fixed): Cell | undefined => {
  if (jsonNumber.test(text)) return Number(text)
  if (text === "true" || text === "false") return text === "true"
  if (fixed !== "typed") return undefined
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
 * Makes a `Parse` read cells of a fixed rejected.csv: as the source writes them, otherwise as the run wrote typed cells. If the source has typed
 * cells, a number that both ways read differently is an error, since it is unknown which one was meant.
 */
export const readingFixed = (parse: Parse, kind: Kind, fixed: Fixed): Parse => {
  if (fixed === undefined) return parse
  const nestedFirst = fixed === "typed" && (kind.sends === "array" || kind.sends === "object")
  return (cells) => {
    const [cell] = cells
    if (typeof cell !== "string" || cells.length !== 1) return parse(cells)
    const other = typed(cell.trim(), fixed)
    if (other instanceof JsonCell && nestedFirst) return parse([other])
    const value = parse(cells)
    if (other === undefined || other instanceof JsonCell) {
      return value instanceof Fault && other !== undefined ? orElse(parse([other]), value) : value
    }
    if (value instanceof Fault) return orElse(parse([other]), value)
    if (fixed === "typed" && kind.sends === "number" && typeof other === "number") {
      const typedValue = parse([other])
      return typedValue instanceof Fault || typedValue === value ? value : twoWays
    }
    return value
  }
}

const orElse = (value: ReturnType<Parse>, fault: Fault): ReturnType<Parse> => value instanceof Fault ? fault : value
