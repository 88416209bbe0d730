import { type Cell, DateCell, ErrorCell } from "../../domain/cell.ts"
import {
  clock,
  daysOf,
  isErrorName,
  isoCell,
  longDigits,
  noFormat,
  numberCell,
  type Shows,
  uncalculated,
} from "./cells.ts"
import { BadSheet, decimal, localName, type XmlAttributes } from "./xml.ts"

/** A cell's attributes that matter, without their prefixes. */
export interface OdsCell {
  style: string
  type: string
  /** The value, which is in a different attribute for each type. Undefined if the cell has none, or is a text. */
  value: string | undefined
  /** The text, if it differs from the paragraphs that the cell shows. */
  string: string | undefined
  isFormula: boolean
  isError: boolean
  columns: number
  spannedColumns: number
  spannedRows: number
}

export const emptyCell = (): OdsCell => ({
  style: "",
  type: "",
  value: undefined,
  string: undefined,
  isFormula: false,
  isError: false,
  columns: 1,
  spannedColumns: 1,
  spannedRows: 1,
})

/** Returns a number of repetitions, at least 1. Throws `BadSheet`. */
export const times = (text: string): number => {
  if (!/^\s*\d+\s*$/.test(text)) throw new BadSheet(`the number of repetitions "${text}"`)
  return Math.max(1, Number(text))
}

export const cellOfTag = (attributes: XmlAttributes): OdsCell => {
  const cell = emptyCell()
  while (attributes.next()) {
    const { text } = attributes
    switch (localName(attributes.name)) {
      case "value-type":
        // LibreOffice has an attribute of its own with this name. Only its value "error" differs.
        if (text === "error") cell.isError = true
        else cell.type ||= text
        break
      case "style-name":
        cell.style = text
        break
      case "value":
      case "date-value":
      case "time-value":
      case "boolean-value":
        cell.value = text
        break
      case "string-value":
        cell.string = text
        break
      case "formula":
        cell.isFormula = true
        break
      case "number-columns-repeated":
        cell.columns = times(text)
        break
      case "number-columns-spanned":
        cell.spannedColumns = times(text)
        break
      case "number-rows-spanned":
        cell.spannedRows = times(text)
    }
  }
  return cell
}

/** Returns a number of days since a workbook's first day as its format shows it. A time without a date never loses its days. */
const datedCell = (days: number, shows: Shows, firstDay: string): Cell => {
  const seconds = Math.round(days * 86_400)
  if (shows.elapsed && seconds >= 86_400) return clock(seconds)
  const isTime = shows.time && !shows.date
  if (isTime && seconds < 0) return new ErrorCell(`${days}, a negative time`)
  if (isTime && days < 1) return new DateCell(clock(Math.min(seconds, 86_399)))
  const moment = new Date(Date.parse(firstDay) + seconds * 1000)
  const iso = Number.isNaN(moment.getTime()) ? "" : moment.toISOString().slice(0, 19)
  return isTime && iso !== "" ? new DateCell(iso) : isoCell(iso, shows, false)
}

/**
 * Returns the cell of a duration. If a time's format hides the days, a day and a time are also stored as a duration, counted from the workbook's first
 * day.
 */
const timeCell = (text: string, shows: Shows | undefined, firstDay: string): Cell => {
  const days = daysOf(text)
  if (days === undefined || days < 0) {
    return new ErrorCell(`${text}, ${days === undefined ? "not a duration" : "a negative time"}`)
  }
  return datedCell(days, shows ?? { date: false, time: true, elapsed: true }, firstDay)
}

/**
 * Returns a cell with its type. Throws `BadSheet` if its value is not of its type.
 *
 * @param paragraphs the text that the cell shows. Undefined if it has no paragraph
 */
export const toCell = (
  { isError, isFormula, string, type, value }: OdsCell,
  paragraphs: string | undefined,
  shows: Shows | undefined,
  firstDay: string,
): Cell => {
  const shown = paragraphs ?? ""
  // LibreOffice's own errors, such as Err:502, have no names in other programs.
  if (isError) return new ErrorCell(shown === "" ? "#ERROR!" : shown)
  switch (type) {
    case "float":
    case "percentage":
    case "currency": {
      const number = decimal(value ?? "")
      if (Number.isNaN(number)) throw new BadSheet(`a number that is ${JSON.stringify(value ?? "")}`)
      const digits = longDigits(value ?? "")
      if (digits !== "") return digits
      // Some programs store dates as numbers. Only their format shows that they are dates.
      return shows?.date === true || shows?.time === true
        ? datedCell(number, shows, firstDay)
        : numberCell(number, type === "percentage" ? { ...noFormat, percent: true } : shows ?? noFormat, false)
    }
    case "date":
      return isoCell(value ?? "", shows ?? noFormat, false)
    case "time":
      return timeCell(value ?? "", shows, firstDay)
    case "boolean":
      // Spout, a library for PHP, writes 1 for true, and an empty value for false. It writes no formulas.
      if (value === "true" || value === "1") return true
      if (value === "false" || value === "0" || (value === "" && !isFormula)) return false
      throw new BadSheet(`a truth value that is ${JSON.stringify(value ?? "")}`)
    case "":
    case "void":
    case "string": {
      const text = string || shown
      // Excel stores an error like a text.
      if (isFormula && isErrorName(text)) return new ErrorCell(text)
      // LibreOffice writes a formula's empty text as an empty paragraph, without a type.
      return text !== "" ? text : isFormula && type === "" && paragraphs === undefined ? uncalculated : null
    }
    default:
      throw new BadSheet(`a cell of an unknown type, ${JSON.stringify(type)}`)
  }
}
