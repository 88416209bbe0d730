/**
 * Makes every line end outside of quoted cells a line feed, in text that begins at the start of a record. Needed only where a carriage
 * return stands alone: a record ends at CRLF, LF and CR alike, but papaparse knows one line end a file.
 *
 * Cells are quoted as papaparse sees it: a quote opens at the start of a cell only, and closes before a delimiter or a line end, with white
 * space between at most.
 */
export const settleLineEnds = (text: string, delimiter: string): string => {
  const parts: Array<string> = []
  let from = 0
  let at = 0
  let cellStart = true
  const lineEnd = () => {
    const length = text[at] === "\r" && text[at + 1] === "\n" ? 2 : 1
    if (text[at] === "\r") {
      parts.push(text.slice(from, at), "\n")
      from = at + length
    }
    at += length
    cellStart = true
  }
  while (at < text.length) {
    const char = text[at]
    if (cellStart && char === '"') {
      at = afterQuoted(text, at, delimiter)
      cellStart = false
    } else if (char === "\r" || char === "\n") lineEnd()
    else if (text.startsWith(delimiter, at)) {
      at += delimiter.length
      cellStart = true
    } else {
      at++
      cellStart = false
    }
  }
  parts.push(text.slice(from))
  return parts.join("")
}

/** Where the delimiter or line end after a quoted cell stands, or the text's end when the cell is not closed. */
const afterQuoted = (text: string, open: number, delimiter: string): number => {
  let quote = open
  for (;;) {
    quote = text.indexOf('"', quote + 1)
    if (quote === -1) return text.length
    if (text[quote + 1] === '"') {
      quote++
      continue
    }
    let next = quote + 1
    while (
      next < text.length && !text.startsWith(delimiter, next) && text[next] !== "\r" && text[next] !== "\n"
      && text[next]!.trim() === ""
    ) next++
    if (next === text.length || text.startsWith(delimiter, next) || text[next] === "\r" || text[next] === "\n") {
      return next
    }
  }
}
