import { type Cell, ErrorCell } from "../../domain/cell.ts"
import { daysOf, isoCell, longDigits, noFormat, numberCell, showsOf, uncalculated } from "./cells.ts"
import { textRuns, unescapedText } from "./sharedTexts.ts"
import { BadSheet, decimal, type XmlAttributes, xmlNumber, xmlText } from "./xml.ts"

/** The parts of a workbook to which the XML of cells refers. */
export interface CellContext {
  /** The shared strings, which cells refer to by number. */
  readonly strings: ReadonlyArray<string>
  /** Number formats, by style. */
  readonly formats: ReadonlyArray<string>
  readonly date1904: boolean
  /** Whether programs must calculate all formulas when they open the workbook. Some writers store 0 until then. */
  readonly calculatesOnLoad: boolean
}

/** Returns the column of a reference such as BC12. Columns are numbered from 0. */
const columnOf = (xml: Buffer, from: number, to: number): number => {
  let column = 0
  for (let at = from; at < to; at++) {
    const code = xml[at]! & 0xdf
    if (code < 65 || code > 90) break
    column = column * 26 + code - 64
  }
  if (column === 0) throw new BadSheet("a cell in no column")
  return column - 1
}

/** Types of cells whose values are neither numbers nor the numbers of shared strings. */
const textTypes: ReadonlySet<string> = new Set(["str", "inlineStr", "b", "e", "d"])

/** A number below this one has at most as many digits before its point as Excel keeps. */
const longNumber = 1e15

/** Returns a truth value. Some programs write it in capitals. */
const truth = (value: string): Cell => {
  const word = value.trim().toLowerCase()
  if (word === "1" || word === "true") return true
  return word === "0" || word === "false" ? false : new ErrorCell(`${value}, neither TRUE nor FALSE`)
}

/** What the XML of a cell says. */
interface CellParts {
  type: string
  style: number
  /** The value: a number if it was read from the bytes, otherwise a string. Both are undefined if the cell has no value. */
  number: number | undefined
  value: string | undefined
  isFormula: boolean
}

const numberIn = ({ number, value }: CellParts): number | undefined =>
  number ?? (value === undefined || value === "" ? undefined : decimal(value))

/** Returns the function that gives a cell its type. It returns undefined for an empty cell, and throws `BadSheet`. */
const makeTyped = ({ calculatesOnLoad, date1904, formats, strings }: CellContext) => {
  const shows = formats.map(showsOf)

  const showsIn = (style: number) => {
    const found = shows[style]
    // Some programs write no styles. Style 0, which is the default, is then General.
    if (found === undefined && style !== 0) throw new BadSheet("a cell with a format that does not exist")
    return found ?? noFormat
  }

  const sharedText = (cell: CellParts): string | undefined => {
    // Some programs write empty strings in this way.
    if (cell.number === undefined && (cell.value === undefined || cell.value === "")) return undefined
    const shared = strings[numberIn(cell) ?? Number.NaN]
    if (shared === undefined) throw new BadSheet("a reference to a text that does not exist")
    return shared
  }

  const numberOf = ({ style, value = "" }: CellParts, number: number): Cell => {
    const cell = numberCell(number, showsIn(style), date1904)
    const digits = longDigits(value)
    return digits !== "" && typeof cell === "number" ? digits : cell
  }

  return (cell: CellParts): Cell | undefined => {
    const { isFormula, number, style, type, value } = cell
    // A text that a formula has made may be empty, but then it is stored as an empty value.
    if (isFormula && number === undefined && (value === undefined || (value === "" && type !== "str"))) {
      return uncalculated
    }
    switch (type) {
      case "s":
        return sharedText(cell)
      case "str":
      case "inlineStr":
        return value === undefined ? undefined : unescapedText(value)
      case "b":
        return value === undefined ? undefined : truth(value)
      case "e":
        return value === undefined ? undefined : new ErrorCell(value)
      case "d": {
        if (value === undefined) return undefined
        // In strict workbooks, Excel writes hours beyond a day (`[h]:mm`) as a duration.
        const days = daysOf(value)
        return days === undefined
          ? isoCell(value, showsIn(style), date1904)
          : numberCell(days, showsIn(style), date1904)
      }
      default: {
        const found = numberIn(cell)
        if (isFormula && calculatesOnLoad && found === 0) return uncalculated
        return found === undefined ? undefined : numberOf(cell, found)
      }
    }
  }
}

/** Reads one cell after the other from the events of a scanner, and returns the same cells as xlsx. */
export const makeCellReader = (context: CellContext) => {
  const typed = makeTyped(context)
  const parts: CellParts = { type: "", style: 0, number: undefined, value: undefined, isFormula: false }
  const inlineText = textRuns()
  let column = -1
  let text = ""
  let inValue = false
  let inInlineText = false
  /** How many elements are open in the cell. */
  let depth = 0

  return {
    /** Starts a row. */
    startRow: (): void => void (column = -1),
    /** Starts a cell with these attributes. A cell without a reference is to the right of the one before it. */
    start: (attributes: XmlAttributes): void => {
      column++
      parts.type = ""
      parts.style = 0
      parts.number = undefined
      parts.value = undefined
      parts.isFormula = false
      depth = 0
      while (attributes.next()) {
        const { name } = attributes
        if (name === "r") column = columnOf(attributes.bytes, attributes.from, attributes.end)
        else if (name === "s") parts.style = attributes.number
        else if (name === "t") parts.type = attributes.text
      }
    },
    open: (name: string): void => {
      depth++
      if (inInlineText) inlineText.open(name)
      else if (depth > 1) return
      else if (name === "v") {
        inValue = true
        text = ""
        parts.number = undefined
      } else if (name === "f") parts.isFormula = true
      else if (name === "is") inInlineText = true
    },
    text: (xml: Buffer, from: number, to: number, whole: boolean, raw: boolean): void => {
      if (inInlineText) inlineText.add(xml, from, to, raw)
      if (!inValue) return
      // The bytes of a number, if it arrives in one piece. Most numbers never become a string.
      const number = whole && !textTypes.has(parts.type) ? xmlNumber(xml, from, to) : Number.NaN
      if (Math.abs(number) < longNumber) parts.number = number
      else text += xmlText(xml, from, to, raw)
    },
    /** Returns false if the element that ends is the cell itself. */
    close: (name: string): boolean => {
      if (depth === 0) return false
      depth--
      if (depth > 0) {
        if (inInlineText) inlineText.close(name)
      } else if (name === "v") {
        inValue = false
        // A blank is not a number.
        if (parts.number === undefined) parts.value = textTypes.has(parts.type) ? text : text.trim()
      } else if (name === "is") {
        inInlineText = false
        parts.value = inlineText.take()
      }
      return true
    },
    column: (): number => column,
    /** Returns the cell that has ended, or undefined if it is empty. */
    cell: (): Cell | undefined => typed(parts),
  }
}
