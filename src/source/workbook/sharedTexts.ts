import { BadSheet, xmlScanner, xmlText } from "./xml.ts"

/** Returns a text of a workbook. Decodes characters that XML can't contain, which are written as _x000D_. */
export const unescapedText = (text: string): string =>
  text.includes("_x")
    ? text.replaceAll(/_x([\dA-Fa-f]{4})_/g, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)))
    : text

/** Collects a text that consists of several runs, without its phonetic hints. */
export const textRuns = () => {
  let text = ""
  let inText = false
  /** How many phonetic hints are open. */
  let hints = 0
  return {
    open: (name: string): void => {
      if (name === "rPh") hints++
      else if (name === "t") inText = hints === 0
    },
    add: (xml: Buffer, from: number, to: number, raw: boolean): void => {
      if (inText) text += xmlText(xml, from, to, raw)
    },
    close: (name: string): void => {
      if (name === "t") inText = false
      else if (name === "rPh") hints--
    },
    /** Returns the text, and starts a new one. */
    take: (): string => {
      const taken = text
      text = ""
      return taken
    },
  }
}

/** Reads a workbook's shared strings from XML that arrives in pieces. Throws `BadSheet`. */
export const sharedTextsReader = () => {
  const texts: Array<string> = []
  const runs = textRuns()
  let ended = false
  const scanner = xmlScanner({
    open: runs.open,
    text: (xml, from, to, _, raw) => runs.add(xml, from, to, raw),
    close: (name) => {
      if (name === "si") texts.push(unescapedText(runs.take()))
      else if (name === "sst") ended = true
      else runs.close(name)
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
