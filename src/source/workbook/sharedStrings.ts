import { BadSheet, xmlScanner, xmlText } from "./xml.ts"

/** A workbook's shared texts: its cells name them by number. Held as bytes, for there may be millions. */
export interface SharedStrings {
  /** Undefined when there is no text of that number. */
  readonly at: (index: number) => string | undefined
}

/** Text of a cell: characters that XML can't hold stand there as _x000D_. */
export const plainText = (text: string): string =>
  text.includes("_x")
    ? text.replaceAll(/_x([\dA-Fa-f]{4})_/g, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)))
    : text

const signs = { ampersand: 0x26, carriageReturn: 0x0d, underscore: 0x5f }

/** Texts that come again and again come early: so many of the first are kept as strings once they were asked for. */
const kept = 4096

const textsOf = (bytes: Buffer, ends: Uint32Array, count: number): SharedStrings => {
  const early: Array<string | undefined> = Array.from({ length: Math.min(kept, count) })
  const textOf = (index: number) => bytes.toString("utf8", index === 0 ? 0 : ends[index - 1], ends[index])
  return {
    at: (index) => {
      if (!Number.isInteger(index) || index < 0 || index >= count) return undefined
      return index < kept ? early[index] ??= textOf(index) : textOf(index)
    },
  }
}

/** Reads sharedStrings.xml, which comes in pieces. Its bytes are kept as they are where they say what they are: most are never made into a string. */
export const sharedStringsReader = () => {
  let bytes = Buffer.allocUnsafe(64 * 1024)
  let used = 0
  let ends = new Uint32Array(1024)
  let count = 0
  let ended = false
  let inText = false
  /** Something of the present text may stand for a character that XML can't hold. */
  let coded = false
  /** Depth of phonetic hints, which are no part of a text. */
  let hints = 0

  const room = (more: number) => {
    if (used + more <= bytes.length) return
    const larger = Buffer.allocUnsafe(Math.max(bytes.length * 2, used + more))
    bytes.copy(larger, 0, 0, used)
    bytes = larger
  }

  const add = (text: string) => {
    // A character takes three bytes at most.
    room(text.length * 3)
    used += bytes.write(text, used, "utf8")
  }

  /** Copies bytes; false when they are not yet what they stand for. */
  const copied = (xml: Buffer, from: number, to: number): boolean => {
    room(to - from)
    let at = used
    for (let next = from; next < to; next++) {
      const byte = xml[next]!
      if (byte === signs.ampersand || byte === signs.carriageReturn) return false
      if (byte === signs.underscore) coded = true
      bytes[at++] = byte
    }
    used = at
    return true
  }

  const keep = () => {
    if (coded) {
      const from = count === 0 ? 0 : ends[count - 1]!
      const text = bytes.toString("utf8", from, used)
      const plain = plainText(text)
      if (plain !== text) {
        used = from
        add(plain)
      }
      coded = false
    }
    if (count === ends.length) {
      const larger = new Uint32Array(ends.length * 2)
      larger.set(ends)
      ends = larger
    }
    ends[count++] = used
  }

  const scanner = xmlScanner({
    open: (name) => {
      if (name === "rPh") hints++
      else if (name === "t") inText = hints === 0
    },
    text: (xml, from, to, _whole, raw) => {
      if (!inText || (!raw && copied(xml, from, to))) return
      const text = xmlText(xml, from, to, raw)
      coded ||= text.includes("_")
      add(text)
    },
    close: (name) => {
      if (name === "t") inText = false
      else if (name === "si") keep()
      else if (name === "rPh") hints--
      else if (name === "sst") ended = true
    },
  })

  return {
    write: scanner.write,
    /** Throws when the texts do not end where their XML does. */
    end: (): SharedStrings => {
      if (!ended) throw new BadSheet("texts that break off")
      scanner.end()
      return textsOf(bytes, ends, count)
    },
  }
}
