import { Parser } from "htmlparser2"

let decoded = ""

const parser = new Parser({ ontext: (piece) => void (decoded += piece) }, { xmlMode: true })

/** Entities into what they stand for. */
const withoutEntities = (text: string): string => {
  decoded = ""
  parser.parseComplete(text)
  return decoded
}

/** XML's text between two places: line ends are line feeds, entities are what they stand for, except where it is raw. */
export const xmlText = (xml: Buffer, from: number, to: number, raw = false): string => {
  let text = xml.toString("utf8", from, to)
  if (text.includes("\r")) text = text.replaceAll(/\r\n?/g, "\n")
  return !raw && text.includes("&") ? withoutEntities(text) : text
}

const zero = 0x30

/** Digits that a double holds exactly, whatever they are. */
const exactDigits = 15

/** As many of these are held exactly too, so that one division rounds as reading the text would. */
const powers = Array.from({ length: exactDigits + 1 }, (_, exponent) => 10 ** exponent)

/** The number between two places, as `Number` reads it. Short ones, which most are, need no string. */
export const xmlNumber = (xml: Buffer, from: number, to: number): number => {
  const start = xml[from] === 0x2d ? from + 1 : from
  let whole = 0
  let digits = 0
  let point = -1
  for (let at = start; at < to; at++) {
    const digit = xml[at]! - zero
    if (digit >= 0 && digit <= 9) {
      whole = whole * 10 + digit
      digits++
    } else if (xml[at] === 0x2e && point === -1) point = digits
    else return Number(xmlText(xml, from, to))
  }
  if (digits === 0 || digits > exactDigits) return Number(xmlText(xml, from, to))
  const value = point === -1 ? whole : whole / powers[digits - point]!
  return start === from ? value : -value
}
