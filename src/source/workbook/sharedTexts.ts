import { BadSheet, xmlScanner, xmlText } from "./xml.ts"

/** Returns a text of a workbook. Decodes characters that XML can't contain, which are written as _x000D_. */
export const unescapedText = (text: string): string =>
  text.includes("_x")
    ? text.replaceAll(/_x([\dA-Fa-f]{4})_/g, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)))
    : text

/** Reads a workbook's shared strings from XML that arrives in pieces. Throws `BadSheet`. */
export const sharedTextsReader = () => {
  const texts: Array<string> = []
  let text = ""
  let inText = false
  let ended = false
  /** The nesting depth inside phonetic hints, which are not part of a string. */
  let hints = 0
  const scanner = xmlScanner({
    open: (name) => {
      if (name === "rPh") hints++
      else if (name === "t") inText = hints === 0
    },
    text: (xml, from, to, _, raw) => {
      if (inText) text += xmlText(xml, from, to, raw)
    },
    close: (name) => {
      if (name === "t") inText = false
      else if (name === "si") {
        texts.push(unescapedText(text))
        text = ""
      } else if (name === "rPh") hints--
      else if (name === "sst") ended = true
    },
  })
  return {
    write: scanner.write,
    /** Returns the shared strings. Throws if the XML ends before they do. */
    end: (): ReadonlyArray<string> => {
      if (!ended) throw new BadSheet("texts that are cut short")
      scanner.end()
      return texts
    },
  }
}
