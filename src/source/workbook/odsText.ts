import { BadSheet, xmlText } from "./xml.ts"

/** Elements of a paragraph whose text does not belong to it: notes, drawings, and hints on pronunciation. */
const otherText: ReadonlySet<string> = new Set([
  "annotation",
  "note",
  "ruby-text",
  "frame",
  "custom-shape",
  "g",
  "p",
  "h",
  "table",
])

const lists: ReadonlySet<string> = new Set(["list", "list-item", "list-header"])

/**
 * Collects the text that a cell of an OpenDocument sheet shows, from the elements inside the cell. White space with a
 * tab or a line end counts as one space, and not at all at the start and the end of a paragraph (OpenDocument 1.3, part 3, section 6.1.2). Spaces alone
 * all count, because LibreOffice writes and reads them like that in a cell of several lines. Notes and drawings are omitted. Throws `BadSheet` for a table
 * in the cell.
 */
export const makeOdsText = () => {
  let shown: string | undefined
  let paragraph = ""
  /** The white space after the paragraph so far. */
  let gap = ""
  /** How many elements are open in the cell, and which of them is a paragraph or has other text. 0 if there is none. */
  let depth = 0
  let paragraphAt = 0
  let otherAt = 0

  const append = (text: string) => {
    paragraph += /[^ ]/.test(gap) ? paragraph === "" || text === "" ? "" : " " : gap
    gap = ""
    paragraph += text
  }

  return {
    start: (): void => {
      shown = undefined
      depth = 0
      paragraphAt = 0
      otherAt = 0
    },
    /** @param spaces returns how many spaces the element `s` stands for */
    open: (name: string, spaces: () => number): void => {
      depth++
      if (otherAt > 0) return
      if (paragraphAt > 0) {
        if (otherText.has(name)) otherAt = depth
        else if (name === "s") append(" ".repeat(spaces()))
        else if (name === "tab") append("\t")
        else if (name === "line-break") append("\n")
      } else if (name === "p" || name === "h") {
        paragraphAt = depth
        paragraph = ""
        gap = ""
      } else if (name === "table") throw new BadSheet("a table in a cell")
      else if (!lists.has(name)) otherAt = depth
    },
    add: (xml: Buffer, from: number, to: number, raw: boolean): void => {
      if (paragraphAt === 0 || otherAt > 0) return
      for (const part of xmlText(xml, from, to, raw).split(/([\t\n\r ]+)/)) {
        if (/^[\t\n\r ]/.test(part)) gap += part
        else if (part !== "") append(part)
      }
    },
    /** Returns false if the element that ends is the cell itself. */
    close: (): boolean => {
      if (depth === 0) return false
      if (depth === otherAt) otherAt = 0
      else if (depth === paragraphAt) {
        append("")
        shown = shown === undefined ? paragraph : `${shown}\n${paragraph}`
        paragraphAt = 0
      }
      depth--
      return true
    },
    /** Returns the paragraphs. Undefined if the cell has none. */
    shown: (): string | undefined => shown,
  }
}
