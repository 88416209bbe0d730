import { type Cell, ErrorCell } from "../../domain/cell.ts"
import { isoCell, numberCell, showsOf, uncalculated } from "./cells.ts"
import { plainText } from "./sharedTexts.ts"
import { BadSheet, type XmlAttributes, xmlNumber, xmlText } from "./xml.ts"

/** The parts of a workbook to which the XML of cells refers. */
export interface CellContext {
  /** The shared strings, which cells refer to by number. */
  readonly strings: ReadonlyArray<string>
  /** Number formats, by style. */
  readonly formats: ReadonlyArray<string>
  readonly date1904: boolean
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
const heldAsText: ReadonlySet<string> = new Set(["str", "inlineStr", "b", "e", "d"])

/** How many digits Excel keeps. */
const longest = 15
const longNumber = 10 ** longest

/** Returns a truth value. Some programs write it in capitals. */
const truth = (value: string): Cell => {
  const word = value.trim().toLowerCase()
  if (word === "1" || word === "true") return true
  return word === "0" || word === "false" ? false : new ErrorCell(`${value}, neither TRUE nor FALSE`)
}

/** Reads one cell after the other from the events of a scanner, and returns the same cells as xlsx. */
export const makeCellReader = ({ date1904, formats, strings }: CellContext) => {
  const general = showsOf("General")
  const shows = formats.map(showsOf)
  let column = -1
  let type = ""
  let style = 0
  /**
   * The cell's value: a number if it was read from the bytes, otherwise a string. Both are undefined if the cell has no
   * value.
   */
  let number: number | undefined
  let value: string | undefined
  /** The digits of a number that has too many of them. */
  let digits = ""
  let formula = false
  let text = ""
  let capture = false
  let inline = false
  let hints = 0
  /** How many elements are open in the cell. */
  let depth = 0

  const numberHeld = () => number ?? (value === undefined || value === "" ? undefined : Number(value))

  const sharedText = (): string | undefined => {
    // Some programs write empty strings in this way.
    if (number === undefined && (value === undefined || value === "")) return undefined
    const shared = strings[numberHeld() ?? Number.NaN]
    if (shared === undefined) throw new BadSheet("a reference to a text that does not exist")
    return shared
  }

  const numberOf = (held: number): Cell => {
    const cell = numberCell(held, shows[style] ?? general, date1904)
    // Excel keeps 15 digits and writes no others. An id that a different program wrote must not be rounded.
    return digits !== "" && typeof cell === "number" && !Number.isSafeInteger(cell) ? digits : cell
  }

  const start = (): void => {
    column++
    type = ""
    style = 0
    number = undefined
    value = undefined
    digits = ""
    formula = false
    depth = 0
  }

  return {
    /** Starts a row. */
    startRow: (): void => void (column = -1),
    /** Starts a cell with these attributes. A cell without a reference is to the right of the one before it. */
    start: (attributes: XmlAttributes): void => {
      start()
      while (attributes.next()) {
        const { name } = attributes
        if (name === "r") column = columnOf(attributes.bytes, attributes.from, attributes.end)
        else if (name === "s") style = attributes.number
        else if (name === "t") type = attributes.text
      }
    },
    open: (name: string): void => {
      depth++
      if (name === "rPh") hints++
      else if (name === "t" && inline && hints === 0) {
        capture = true
        text = ""
      } else if (depth > 1) return
      else if (name === "v") {
        capture = true
        text = ""
        number = undefined
      } else if (name === "f") formula = true
      else if (name === "is") {
        inline = true
        value = ""
      }
    },
    text: (xml: Buffer, from: number, to: number, whole: boolean, raw: boolean): void => {
      if (!capture) return
      // The bytes of a value's text, if the text arrives in one piece. Most numbers never become a string.
      if (!whole || inline || heldAsText.has(type)) text += xmlText(xml, from, to, raw)
      else {
        number = xmlNumber(xml, from, to)
        if (number >= longNumber || number <= -longNumber) {
          const written = xmlText(xml, from, to)
          if (/^-?\d+$/.test(written) && written.replace(/0+$/, "").length > longest + Number(number < 0)) {
            digits = written
          }
        }
      }
    },
    /** Returns false if the element that ends is the cell itself. */
    close: (name: string): boolean => {
      if (depth === 0) return false
      depth--
      if (name === "rPh") hints--
      else if (name === "t" && inline && hints === 0) {
        capture = false
        value += text
      } else if (depth > 0) return true
      else if (name === "v") {
        capture = false
        if (number === undefined) value = text
      } else if (name === "is") inline = false
      return true
    },
    column: (): number => column,
    /** Returns the cell that has ended, or undefined if it is empty. */
    cell: (): Cell | undefined => {
      // A text that a formula has made may be empty, but then it is stored as an empty value.
      if (formula && number === undefined && (value === undefined || (value === "" && type !== "str"))) {
        return uncalculated
      }
      switch (type) {
        case "s":
          return sharedText()
        case "str":
        case "inlineStr":
          return value === undefined ? undefined : plainText(value)
        case "b":
          return value === undefined ? undefined : truth(value)
        case "e":
          return value === undefined ? undefined : new ErrorCell(value)
        case "d":
          return value === undefined ? undefined : isoCell(value, shows[style] ?? general, date1904)
        default: {
          const held = numberHeld()
          return held === undefined ? undefined : numberOf(held)
        }
      }
    },
  }
}
