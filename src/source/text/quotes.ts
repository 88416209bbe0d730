/** A quoted cell that contains a line end. */
export interface MultilineCell {
  /** The cell's position in the record, from 0. */
  readonly position: number
  /** The offset of the opening quote. */
  readonly open: number
  /** The offset of the delimiter or line end after the closing quote. */
  readonly end: number
}

/** The end of a record, and facts about its quotes. */
export interface ScannedRecord {
  /** The offset after the record's line end. Undefined if the text ends before that. */
  readonly end: number | undefined
  readonly width: number
  /** The offset of the first cell that contains a line end, or a quote that neither closes the cell nor is doubled. Undefined if there is none. */
  readonly open: number | undefined
  /** The quoted cells that contain a line end, in order. */
  readonly multiline: ReadonlyArray<MultilineCell>
  /** The offset of the first quote in a quoted cell that neither closes the cell nor is doubled. */
  readonly bad: number | undefined
  /** Whether only white space is before a quote in a cell that is not quoted (`isSpacedQuote`). */
  readonly spaced: boolean
}

export const isLineEnd = (char: string | undefined) => char === "\n" || char === "\r"

/** Returns the offset after a line end. */
export const afterLineEnd = (text: string, at: number): number =>
  text[at] === "\r" && text[at + 1] === "\n" ? at + 2 : at + 1

/** Returns the offset of the next line end, or the text's length. */
export const nextLineEnd = (text: string, from: number): number => {
  lineEnds.lastIndex = from
  return lineEnds.exec(text)?.index ?? text.length
}

const lineEnds = /[\r\n]/g

/** Returns the offset of the next delimiter or line end, or the text's length. */
const cellEnd = (text: string, from: number, delimiter: string): number => {
  const first = delimiter.charCodeAt(0)
  for (let at = from; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === 0x0a || code === 0x0d || (code === first && text.startsWith(delimiter, at))) return at
  }
  return text.length
}

/**
 * Returns the offset of the delimiter or line end after a closing quote, with only white space in between. Returns
 * "bad" if the quote does not close its cell, and undefined if the text ends before that is known.
 */
const closesAt = (text: string, quote: number, delimiter: string): number | "bad" | undefined => {
  for (let at = quote + 1; at < text.length; at++) {
    if (text.startsWith(delimiter, at) || isLineEnd(text[at])) return at
    if (text[at]!.trim() !== "") return "bad"
  }
  return undefined
}

/** Returns the offset of the next quote that is not doubled, or -1. */
const nextQuote = (text: string, from: number): number => {
  let at = text.indexOf('"', from)
  while (at !== -1 && text[at + 1] === '"') at = text.indexOf('"', at + 2)
  return at
}

/** Whether a cell that is not quoted has a quote after white space that was meant to enclose it: the last quote ends the cell, or is in one of the next cells. */
const isSpacedQuote = (cell: string): boolean => /^[ \t]+"(?:[^"]*|.*"\s*)$/.test(cell)

/**
 * Skips one record as papaparse reads it. A quote opens only at the start of a cell, and closes before a delimiter or
 * line end, with only white space in between. Any other single quote belongs to its cell.
 *
 * @param strict whether to stop at the first quote that neither closes its cell nor is doubled
 */
export const scanRecord = (text: string, start: number, delimiter: string, strict = false): ScannedRecord => {
  let at = start
  let width = 1
  let open: number | undefined
  let bad: number | undefined
  let spaced = false
  const multiline: Array<MultilineCell> = []
  for (;;) {
    if (text[at] === '"') {
      const opened = at
      for (let quote = nextQuote(text, at + 1);; quote = nextQuote(text, quote + 1)) {
        const closed = quote === -1 ? undefined : closesAt(text, quote, delimiter)
        if (closed === undefined) return { end: undefined, width, open: open ?? opened, multiline, bad, spaced }
        if (closed !== "bad") {
          at = closed
          break
        }
        bad ??= quote
        open ??= opened
        if (strict) return { end: undefined, width, open, multiline, bad, spaced }
      }
      if (/[\r\n]/.test(text.slice(opened, at))) {
        open ??= opened
        multiline.push({ position: width - 1, open: opened, end: at })
      }
    } else if (text[at] === " " || text[at] === "\t") {
      spaced ||= isSpacedQuote(text.slice(at, cellEnd(text, at, delimiter)))
    }
    at = cellEnd(text, at, delimiter)
    if (at === text.length) return { end: undefined, width, open, multiline, bad, spaced }
    if (isLineEnd(text[at])) return { end: afterLineEnd(text, at), width, open, multiline, bad, spaced }
    width++
    at += delimiter.length
  }
}

/**
 * Whether a quote in a cell that is not quoted was meant to enclose it, but comes after white space.
 *
 * @param from the start of a record
 */
export const beginsSpacedQuote = (text: string, quote: number, from: number, delimiter: string): boolean => {
  let start = quote
  while (start > from && /[ \t]/.test(text[start - 1]!) && !text.startsWith(delimiter, start - 1)) start--
  const isFirst = start === from || isLineEnd(text[start - 1]) || text.startsWith(delimiter, start - delimiter.length)
  return isFirst && isSpacedQuote(text.slice(start, cellEnd(text, quote, delimiter)))
}

/**
 * Returns the start of the next record that is more than a plain line, or -1 if there is none. One of its quoted cells contains a line end, or is not
 * closed correctly. Jumps from quote to quote, so text with few quotes is searched quickly.
 *
 * @param from the start of a record
 * @param within called with the offset of each quote inside a cell that is not quoted
 */
export const nextInQuestion = (
  text: string,
  from: number,
  delimiter: string,
  within?: (quote: number) => void,
): number => {
  let feed = -1
  let carriage = -1
  const lineEndBefore = (open: number, end: number) => {
    if (feed < open) feed = indexOrEnd(text, "\n", open)
    if (carriage < open) carriage = indexOrEnd(text, "\r", open)
    return feed < end || carriage < end
  }
  for (let at = from;;) {
    const open = text.indexOf('"', at)
    if (open === -1) return -1
    if (open > from && !isLineEnd(text[open - 1]) && !text.startsWith(delimiter, open - delimiter.length)) {
      within?.(open)
      at = open + 1
      continue
    }
    const quote = nextQuote(text, open + 1)
    const end = quote === -1 ? undefined : closesAt(text, quote, delimiter)
    if (end === undefined || end === "bad" || lineEndBefore(open, end)) return lineStart(text, from, open)
    at = end
  }
}

const indexOrEnd = (text: string, sign: string, from: number) => {
  const at = text.indexOf(sign, from)
  return at === -1 ? text.length : at
}

/** Returns the offset after the last line end in a part of a text, or the part's start if there is none. */
export const lineStart = (text: string, from: number, to = text.length): number => {
  let at = to
  while (at > from && !isLineEnd(text[at - 1])) at--
  return at
}

/**
 * Replaces every line end outside quoted cells by a line feed, in text that starts with a record. Needed only if a
 * carriage return comes without a line feed: a record ends at CRLF, LF or CR, but papaparse accepts one kind of line
 * end for each file.
 */
export const normaliseLineEnds = (text: string, delimiter: string): string => {
  const records: Array<string> = []
  for (let at = 0; at < text.length;) {
    const { end } = scanRecord(text, at, delimiter)
    const record = text.slice(at, end)
    // A record without an end may end inside a quoted cell.
    records.push(end === undefined ? record : record.replace(/\r\n?$/, "\n"))
    at = end ?? text.length
  }
  return records.join("")
}
