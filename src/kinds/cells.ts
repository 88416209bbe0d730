import type { Cell } from "../domain/cell.ts"
import { cellText, ErrorCell } from "../domain/cell.ts"
import type { Json } from "../domain/json.ts"
import type { Parse, ParseCell } from "./Kind.ts"
import { Fault } from "./Kind.ts"

/** `1e21` → its digits: a number written without an exponent. */
const withoutExponent = (text: string): string => {
  const at = text.indexOf("e")
  if (at < 0) return text
  const sign = text.startsWith("-") ? "-" : ""
  const [whole = "", fraction = ""] = text.slice(sign.length, at).split(".")
  const digits = whole + fraction
  const point = whole.length + Number(text.slice(at + 1))
  if (point <= 0) return `${sign}0.${"0".repeat(-point)}${digits}`
  return point >= digits.length
    ? sign + digits + "0".repeat(point - digits.length)
    : `${sign}${digits.slice(0, point)}.${digits.slice(point)}`
}

/** A number of a workbook or JSON file as people would write it: no exponent, and no noise behind the 15 digits that a workbook keeps. */
export const plainNumber = (value: number): string => {
  if (Number.isSafeInteger(value)) return String(value)
  return Number.isFinite(value) ? withoutExponent(String(Number(value.toPrecision(15)))) : String(value)
}

/** From `!` to `~`: no white space. What lies beyond may be some. */
const isPlain = (unit: number): boolean => unit > 32 && unit < 127

/** `text.trim()`, without its call for the many texts that need none: a third of what reading a cell took. */
export const trimmed = (text: string): string => {
  const last = text.length - 1
  return last >= 0 && isPlain(text.charCodeAt(0)) && isPlain(text.charCodeAt(last)) ? text : text.trim()
}

/** A cell's text, trimmed; "" for no cell. */
export const textOf = (cell: Cell | undefined): string =>
  typeof cell === "string" ? trimmed(cell) : typeof cell === "number" ? plainNumber(cell) : cellText(cell).trim()

const excelError = new Fault("excel-error", "a value, not an error of the workbook")

/** The fault of a cell that holds a workbook's error. */
export const errorIn = (cells: ReadonlyArray<Cell>): Fault | undefined => {
  for (let index = 0; index < cells.length; index++) {
    if (cells[index] instanceof ErrorCell) {
      return index === 0 ? excelError : new Fault(excelError.code, excelError.expected, index)
    }
  }
  return undefined
}

/** A `Parse` of one cell that is not empty. */
const parseOf = (one: ParseCell): Parse =>
  Object.assign((cells: ReadonlyArray<Cell>) => {
    const cell = cells[0]
    if (cell === null || cell === undefined) return undefined
    if (typeof cell !== "string") return one(cell)
    const text = trimmed(cell)
    return text === "" ? undefined : one(text)
  }, { one })

/** A `Parse` of one cell that is neither empty nor an error. */
export const oneCell = (parse: ParseCell): Parse =>
  parseOf((cell) => typeof cell === "object" && cell instanceof ErrorCell ? excelError : parse(cell))

/** A `Parse` of one cell by its text, which is not empty. */
export const oneText = (parse: (text: string) => Json | undefined | Fault): Parse =>
  parseOf((cell) =>
    typeof cell === "string" ? parse(cell) : cell instanceof ErrorCell ? excelError : parse(textOf(cell))
  )
