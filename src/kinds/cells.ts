import { type Cell, cellText, ErrorCell, JsonCell, PercentCell, trimmed } from "../domain/cell.ts"
import { isObject, type Json, type JsonObject } from "../domain/json.ts"
import { Fault, type KindContext, type Parse } from "./Kind.ts"

/** Returns the digits of a number such as `1e21`. */
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

/** Returns a number of a workbook or JSON file without an exponent. Whole numbers beyond 2^53 have the 15 digits that a workbook keeps: JSON sources keep longer ones as text. */
export const plainNumber = (value: number): string => {
  const isRounded = Number.isInteger(value) && !Number.isSafeInteger(value)
  return withoutExponent(String(isRounded ? Number(value.toPrecision(15)) : value))
}

/** Returns a cell's text, with a number's digits as answers have them, or "" for no cell. */
export const untrimmedText = (cell: Cell | undefined): string =>
  typeof cell === "number"
    ? plainNumber(cell)
    : cell instanceof PercentCell
    ? `${plainNumber(cell.percent)}%`
    : cellText(cell)

/** Returns a cell's trimmed text, or "" for no cell. */
export const textOf = (cell: Cell | undefined): string =>
  typeof cell === "string" ? trimmed(cell) : untrimmedText(cell).trim()

const excelError = new Fault("excel-error", "a value, not an error in the workbook")

/** Returns the fault of the first cell that contains a workbook error. */
export const errorIn = (cells: ReadonlyArray<Cell>): Fault | undefined => {
  for (let index = 0; index < cells.length; index++) {
    if (cells[index] instanceof ErrorCell) return excelError.at(index)
  }
  return undefined
}

/** Makes a `Parse` from a function for a single cell that is neither empty nor an error. Trims a text first. */
export const oneCell = (parse: (cell: Exclude<Cell, null>) => Json | undefined | Fault): Parse => (cells) => {
  const cell = cells[0]
  if (cell === null || cell === undefined) return undefined
  if (typeof cell !== "string") return cell instanceof ErrorCell ? excelError : parse(cell)
  const text = trimmed(cell)
  return text === "" ? undefined : parse(text)
}

/** Makes a `Parse` from a function for the texts of all cells. */
export const allTexts = (parse: (texts: ReadonlyArray<string>) => Json | undefined | Fault): Parse => (cells) =>
  errorIn(cells) ?? parse(cells.map(textOf))

/** Makes a `Parse` from a function for the text of a single cell. */
export const oneText = (parse: (text: string) => Json | undefined | Fault): Parse => (cells) => {
  const cell = cells[0]
  if (cell instanceof ErrorCell) return excelError
  const text = textOf(cell)
  return text === "" ? undefined : parse(text)
}

/** Whether a text contains a character that is not visible, such as a zero-width space or a sign for the direction of writing. */
export const hasInvisible = (text: string): boolean => /\p{Cf}/u.test(text)

/** Returns the object in a JSON cell. Records that members outside `names` are not sent. */
export const objectIn = (
  cell: Cell,
  names: ReadonlyArray<string>,
  note: KindContext["note"],
): JsonObject | undefined => {
  const value = cell instanceof JsonCell ? cell.value : null
  if (!isObject(value)) return undefined
  if (Object.keys(value).some((name) => !names.includes(name))) note?.("part")
  return value
}

/** Returns the texts of a JSON list. Undefined if a member is not a text, number or boolean. */
export const textsIn = (value: Json): ReadonlyArray<string> | undefined => {
  if (!Array.isArray(value) || value.some((member) => typeof member === "object")) return undefined
  return value.map((member: Cell) => textOf(member))
}

/** The words for two opposite meanings, such as yes and no. */
interface Opposites {
  readonly yes: ReadonlySet<string>
  readonly no: ReadonlySet<string>
  /** A word with both meanings. */
  readonly clash: string | undefined
}

/** Returns the sets of words for two opposite meanings. Words given for one meaning are removed from the defaults of the other. */
export const opposites = (
  given: { readonly yes: ReadonlyArray<string> | undefined; readonly no: ReadonlyArray<string> | undefined },
  usual: { readonly yes: ReadonlyArray<string>; readonly no: ReadonlyArray<string> },
  fold: (word: string) => string,
): Opposites => {
  const yes = new Set((given.yes ?? usual.yes).map((word) => fold(word)))
  const no = new Set((given.no ?? usual.no).map((word) => fold(word)))
  if (given.yes === undefined) { for (const word of no) yes.delete(word) }
  if (given.no === undefined) { for (const word of yes) no.delete(word) }
  return { yes, no, clash: [...yes].find((word) => no.has(word)) }
}
