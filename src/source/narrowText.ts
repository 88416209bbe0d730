/**
 * Makes a function that turns sound UTF-8 into text when all of its characters are below U+0100, as those of most European languages are; undefined for any other.
 * Node's own conversion goes byte by byte from the first character on that is not ASCII; this one, from one such character to the next, takes a third of its time.
 */
export const makeNarrowText = (): (utf8: Uint8Array) => string | undefined => {
  let bytes = Buffer.alloc(0)
  let words = new Int32Array(0)

  /** The place of the next byte that is not ASCII, or the end. */
  const nextWide = (from: number, end: number): number => {
    let at = from
    for (; (at & 3) !== 0 && at < end; at++) if (bytes[at]! > 0x7f) return at
    if (at === end) return end
    let word = at >> 2
    const last = end >> 2
    while (word < last && (words[word]! & 0x80808080) === 0) word++
    for (at = word << 2; at < end; at++) if (bytes[at]! > 0x7f) return at
    return at
  }

  return (utf8) => {
    const { length } = utf8
    if (length > bytes.length) {
      words = new Int32Array((length + 3) >> 2)
      bytes = Buffer.from(words.buffer)
    }
    bytes.set(utf8)
    // What was read moves up to what was written: each character of two bytes leaves one behind.
    let written = 0
    let read = 0
    for (let at = nextWide(0, length); at < length; at = nextWide(read, length)) {
      const lead = bytes[at]!
      if (lead > 0xc3) return undefined
      const unit = ((lead & 3) << 6) | (bytes[at + 1]! & 0x3f)
      if (written < read) bytes.copyWithin(written, read, at)
      written += at - read
      bytes[written++] = unit
      read = at + 2
    }
    if (written < read) bytes.copyWithin(written, read, length)
    return bytes.toString("latin1", 0, written + length - read)
  }
}
