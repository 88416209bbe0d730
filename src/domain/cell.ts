import type { Json } from "./json.ts"

/** A date, a time or both in a workbook: what a clock or calendar shows, without a zone. */
export class DateCell {
  /** @param iso `YYYY-MM-DD`, `HH:mm:ss` or `YYYY-MM-DDTHH:mm:ss`, with `.SSS` only if there are milliseconds */
  readonly iso: string
  constructor(iso: string) {
    this.iso = iso
  }
}

/** A number that a workbook shows as a percentage. */
export class PercentCell {
  /** @param percent `12.5` for 12.5% */
  readonly percent: number
  constructor(percent: number) {
    this.percent = percent
  }
}

/** A workbook cell with an error, such as `#N/A`. */
export class ErrorCell {
  readonly code: string
  constructor(code: string) {
    this.code = code
  }
}

/** Follows an error in rejected.csv, so that an error that nobody has corrected is not imported as a text. */
const errorMark = " (an error in the workbook)"

/** Returns an error as rejected.csv contains it. */
export const markedError = ({ code }: ErrorCell): string => code + errorMark

/** Returns the error that a cell of a rejected.csv stands for, otherwise the cell. */
export const unmarkedError = (cell: Cell): Cell =>
  typeof cell === "string" && cell.endsWith(errorMark) ? new ErrorCell(cell.slice(0, -errorMark.length)) : cell

/** A nested value of a JSON source: an array or an object. */
export class JsonCell {
  readonly value: Json
  constructor(value: Json) {
    this.value = value
  }
}

/** A cell with the type that its source gives it. Text files contain only strings. `null`: the source has no cell there, or an empty one. */
export type Cell = string | number | boolean | DateCell | PercentCell | ErrorCell | JsonCell | null

/** Returns the cell of a JSON value. A list or an object remains JSON. */
export const cellOf = (value: Json | undefined): Cell =>
  value === undefined || value === null || value === ""
    ? null
    : typeof value === "object"
    ? new JsonCell(value)
    : value

/** Returns a cell's text, as digests, row keys and CSV files contain it. The same cell always has the same text. */
export const cellText = (cell: Cell | undefined): string => {
  if (typeof cell === "string") return cell
  if (cell === null || cell === undefined) return ""
  if (cell instanceof DateCell) return cell.iso
  if (cell instanceof PercentCell) return `${cell.percent}%`
  if (cell instanceof ErrorCell) return cell.code
  if (cell instanceof JsonCell) return JSON.stringify(cell.value)
  return String(cell)
}

const mayBeSpace = (code: number): boolean => code <= 0x20 || code >= 0x7f

/** Trims a text. Looks at both ends first, because few cells need trimming. Calling `trim` for each would take 0.3 s per million rows of 12 cells. */
export const trimmed = (text: string): string =>
  text !== "" && (mayBeSpace(text.charCodeAt(0)) || mayBeSpace(text.charCodeAt(text.length - 1))) ? text.trim() : text

/** Whether a cell contains more than white space. */
export const isFilled = (cell: Cell | undefined): boolean => {
  if (typeof cell !== "string") return cell !== null && cell !== undefined
  // Nearly all cells begin with an ASCII character that is not white space. For an empty string, the code is NaN.
  const first = cell.charCodeAt(0)
  return (first > 32 && first < 127) || cell.trim() !== ""
}
