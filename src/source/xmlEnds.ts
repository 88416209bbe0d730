const signs = { tag: 0x3c, end: 0x3e, slash: 0x2f, question: 0x3f, exclamation: 0x21, quote: 0x22, apostrophe: 0x27 }

const isSpace = (byte: number) => byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09

/** Where the tag that begins at `from` ends: the place of its `>`, quoted values being passed over; -1 when it does not. */
const tagEnd = (xml: Buffer, from: number): number => {
  for (let at = from; at < xml.length; at++) {
    const byte = xml[at]
    if (byte === signs.end) return at
    if (byte === signs.quote || byte === signs.apostrophe) {
      at = xml.indexOf(byte, at + 1)
      if (at === -1) return -1
    } else if (byte === signs.tag) return -1
  }
  return -1
}

/** Where a comment, an instruction, a declaration or raw text that begins at `at` ends; -1 when it does not. */
const otherEnd = (xml: Buffer, at: number): number => {
  const close = xml[at + 1] === signs.question
    ? "?>"
    : xml[at + 2] === 0x2d
    ? "-->"
    : xml[at + 2] === 0x5b
    ? "]]>"
    : ">"
  const end = xml.indexOf(close, at + 2)
  return end === -1 ? -1 : end + close.length - 1
}

/**
 * Whether each element of an XML document ends where it should, and the document with its root. A reader that looks for rows by their signs does not
 * notice when what is behind them is gone.
 */
export const endsWell = (xml: Buffer): boolean => {
  const open: Array<string> = []
  let rooted = false
  for (let at = xml.indexOf(signs.tag); at !== -1; at = xml.indexOf(signs.tag, at)) {
    const next = xml[at + 1]
    if (next === signs.question || next === signs.exclamation) {
      at = otherEnd(xml, at)
      if (at === -1) return false
      continue
    }
    const end = tagEnd(xml, at + 1)
    if (end === -1) return false
    const closing = next === signs.slash
    let nameEnd = at + (closing ? 2 : 1)
    while (nameEnd < end && !isSpace(xml[nameEnd]!) && xml[nameEnd] !== signs.slash) nameEnd++
    const name = xml.toString("latin1", at + (closing ? 2 : 1), nameEnd)
    if (closing) {
      if (open.pop() !== name) return false
    } else {
      if (open.length === 0 && rooted) return false
      rooted = true
      if (xml[end - 1] !== signs.slash) open.push(name)
    }
    at = end
  }
  return rooted && open.length === 0
}
