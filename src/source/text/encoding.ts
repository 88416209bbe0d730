import iconv from "iconv-lite"
import { isAscii, isUtf8 } from "node:buffer"
import { limits } from "../limits.ts"

/** Bytes that are not valid in the encoding with which they were read. */
export class Undecodable extends Error {
  /** Number of line ends before the wrong byte, among the bytes of this call. */
  readonly lineEnds: number
  /** Offset of the first wrong byte from the start of the file. Undefined if the decoder does not report it. */
  readonly offset: number | undefined
  constructor(lineEnds: number, offset?: number) {
    super("bytes that can't be decoded")
    this.lineEnds = lineEnds
    this.offset = offset
  }
}

/** Turns blocks of bytes into text. If the end of a block cuts a character, its bytes are kept for the next block. Throws `Undecodable`. */
export interface Decoder {
  readonly write: (bytes: Uint8Array) => string
  /** Call this after the last block. Returns the text of the kept bytes, or throws if they are an incomplete character. */
  readonly end: () => string
}

/** A file's text encoding. */
export interface Encoding {
  readonly name: string
  /** How the encoding was determined, as part of a message. */
  readonly because: string
  /**
   * Makes a decoder, which skips the byte order mark. For UTF-8 and UTF-16, `damaged` is called if bytes are not valid. Such bytes become lone surrogates.
   * In other encodings, or without `damaged`, such bytes are an error.
   */
  readonly decoder: (damaged?: () => void) => Decoder
  /** Whether the examined bytes are ASCII, which is the same in every other encoding. */
  readonly ascii?: boolean
}

/** Returns an encoding's name in lower case without punctuation. */
export const plainName = (name: string): string => name.toLowerCase().replaceAll(/[^a-z0-9]/g, "")

/** Returns the encoding's name in a dialect. Returns an empty object for ASCII. */
export const dialectEncoding = ({ ascii, name }: Encoding): { readonly encoding?: string } =>
  ascii === true ? {} : { encoding: plainName(name) }

/** How the encoding of UTF-8 text without a byte order mark was determined. */
export const checkedUtf8 = "checked byte by byte"

/** Counts line ends: LF, CRLF and CR. */
export const lineEndsIn = (text: string): number => {
  let count = 0
  for (let at = text.indexOf("\n"); at !== -1; at = text.indexOf("\n", at + 1)) count++
  if (!text.includes("\r")) return count
  for (let at = text.indexOf("\r"); at !== -1; at = text.indexOf("\r", at + 1)) {
    if (text.charCodeAt(at + 1) !== 0x0a) count++
  }
  return count
}

/** Returns the length in bytes of the UTF-8 character that starts with `lead`. */
export const lengthOfCharacter = (lead: number): number => lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : lead >= 0xc0 ? 2 : 1

/** Returns how many bytes at the end belong to an incomplete UTF-8 character. */
export const cutCharacter = (bytes: Uint8Array): number => {
  for (let back = 1; back <= Math.min(3, bytes.length); back++) {
    const byte = bytes[bytes.length - back]!
    if ((byte & 0xc0) !== 0x80) return lengthOfCharacter(byte) > back ? back : 0
  }
  return 0
}

/** Returns the index of the next byte that is not valid UTF-8, or the number of bytes if there is none. */
const nextWrong = (bytes: Uint8Array, from: number): number => {
  let at = from
  while (at < bytes.length) {
    const length = lengthOfCharacter(bytes[at]!)
    if (bytes[at]! > 0x7f && !isUtf8(bytes.subarray(at, at + length))) break
    at += length
  }
  return at
}

/** Decodes bytes that are not all UTF-8. Each wrong byte becomes a lone surrogate, which valid text never contains. */
const decodeDamaged = (bytes: Buffer): string => {
  const parts: Array<string> = []
  let from = 0
  for (let at = nextWrong(bytes, 0); at < bytes.length; at = nextWrong(bytes, from)) {
    parts.push(bytes.toString("utf8", from, at), "\udc80")
    from = at + 1
  }
  parts.push(bytes.toString("utf8", from))
  return parts.join("")
}

/** Makes a strict UTF-8 decoder. It is faster than TextDecoder, because the check and the conversion are both native. */
const utf8 = (mark: number, damaged?: () => void): Decoder => {
  const textOf = (bytes: Buffer): string => {
    if (isAscii(bytes)) return bytes.toString("latin1")
    if (!isUtf8(bytes)) {
      if (damaged !== undefined) {
        damaged()
        return decodeDamaged(bytes)
      }
      const at = nextWrong(bytes, 0)
      throw new Undecodable(lineEndsIn(bytes.toString("latin1", 0, at)), offset + at)
    }
    return bytes.toString("utf8")
  }
  let kept: Uint8Array | undefined
  let offset = mark
  return {
    write: (bytes) => {
      const all = kept === undefined
        ? Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)
        : Buffer.concat([kept, bytes])
      const cut = cutCharacter(all)
      const whole = cut === 0 ? all : all.subarray(0, all.length - cut)
      const text = textOf(whole)
      kept = cut === 0 ? undefined : Uint8Array.prototype.slice.call(all, whole.length)
      offset += whole.length
      return text
    },
    end: () => {
      if (kept === undefined) return ""
      if (damaged === undefined) throw new Undecodable(0, offset)
      damaged()
      return decodeDamaged(Buffer.from(kept))
    },
  }
}

/** Makes a UTF-16 decoder. Half of a surrogate pair is damage, and so is half of a code unit at the end. */
const utf16 = (name: "UTF-16LE" | "UTF-16BE", damaged?: () => void): Decoder => {
  const isBig = name === "UTF-16BE"
  let kept: Uint8Array = new Uint8Array(0)
  const textOf = (units: Buffer, rest = ""): string => {
    const text = (isBig ? units.swap16() : units).toString("utf16le") + rest
    if (text.isWellFormed()) return text
    if (damaged === undefined) throw new Undecodable(lineEndsIn(text.slice(0, text.search(/\p{Cs}/u))))
    damaged()
    return text
  }
  return {
    write: (bytes) => {
      const all = Buffer.concat([kept, bytes])
      let whole = all.length - all.length % 2
      // The other half of a surrogate pair may follow.
      if (((all[whole - (isBig ? 2 : 1)] ?? 0) & 0xfc) === 0xd8) whole -= 2
      kept = Uint8Array.prototype.slice.call(all, whole)
      return textOf(all.subarray(0, whole))
    },
    end: () => {
      const whole = kept.length - kept.length % 2
      return textOf(Buffer.from(kept.subarray(0, whole)), whole < kept.length ? "\ud800" : "")
    },
  }
}

const isMacRoman = (name: string) => /^(?:x-)?mac(?:-?roman|intosh)?$/i.test(name)

/** Decodes MacRoman correctly. In 1998 the euro sign replaced the currency sign, but iconv-lite's table still has the latter. */
export const withEuro = (name: string, text: string): string => isMacRoman(name) ? text.replaceAll("¤", "€") : text

/** Bytes below this one, the digit 0, are not part of a longer character in any encoding that iconv-lite decodes. Text can be cut after them. */
export const uncut = 0x30

const table = (name: string): Decoder => {
  let kept: Uint8Array = new Uint8Array(0)
  const decoder = iconv.getDecoder(name, { stripBOM: false })
  const strict = (decoded: string) => {
    const text = withEuro(name, decoded)
    const at = text.indexOf("\ufffd")
    if (at !== -1) throw new Undecodable(lineEndsIn(text.slice(0, at)))
    return text
  }
  return {
    write: (bytes) => {
      const all = Buffer.concat([kept, bytes])
      // iconv-lite may lose the last character of a block whose start cuts a character.
      const cut = all.findLastIndex((byte) => byte < uncut) + 1
      const whole = all.length - cut > limits.cell ? all : all.subarray(0, cut)
      kept = all.subarray(whole.length)
      return strict(decoder.write(whole))
    },
    end: () => strict(decoder.write(Buffer.from(kept)) + (decoder.end() ?? "")),
  }
}

const marks: ReadonlyArray<{ readonly name: string; readonly bytes: ReadonlyArray<number> }> = [
  { name: "UTF-8", bytes: [0xef, 0xbb, 0xbf] },
  { name: "UTF-32LE", bytes: [0xff, 0xfe, 0, 0] },
  { name: "UTF-32BE", bytes: [0, 0, 0xfe, 0xff] },
  { name: "UTF-16LE", bytes: [0xff, 0xfe] },
  { name: "UTF-16BE", bytes: [0xfe, 0xff] },
]

/** Characters that are frequent in tables in any script. */
const signs: ReadonlySet<number> = new Set([...'\t\n\r ",;|'].map((sign) => sign.charCodeAt(0)))

/**
 * Detects UTF-16 without a byte order mark. In UTF-16, each of these characters is next to a zero byte, always on the same
 * side. A few zero bytes in other text don't count, because they would have to be next to most of these characters.
 */
const unmarkedUtf16 = (head: Uint8Array): "UTF-16LE" | "UTF-16BE" | undefined => {
  const bytes = Math.min(head.length, 4096)
  // Text with an odd number of bytes is not UTF-16.
  if (bytes < 4096 && bytes % 2 === 1) return undefined
  const pairs = bytes >> 1
  return (["UTF-16LE", "UTF-16BE"] as const).find((name, lowAt) => {
    const zeros = { high: 0, low: 0 }
    const found = { all: 0, nextToZero: 0 }
    for (let at = 0; at < 2 * pairs; at += 2) {
      const [low, high] = [head[at + lowAt], head[at + 1 - lowAt]]
      if (low === 0 && high === 0) return false
      if (low === 0) zeros.low++
      if (high === 0) zeros.high++
      // The lower byte of some letters in other scripts is the code of one of these characters.
      if (!signs.has(low!)) continue
      found.all++
      if (high === 0) found.nextToZero++
    }
    if (pairs < 2 || zeros.high < pairs * 0.04 || zeros.low > zeros.high / 20) return false
    if (found.nextToZero === 0 || found.nextToZero < found.all * 0.6) return false
    const text = utf16(name, () => undefined).write(head.subarray(0, 2 * pairs))
    return !/[^\P{C}\t\n\r\p{Cf}\p{Cs}]/u.test(text)
  })
}

/** Encodings that are decoded here, by the plain names that a pipeline may give them. */
const ownNames: ReadonlyMap<string, string> = new Map([
  ["utf8", "UTF-8"],
  ["utf16", "UTF-16LE"],
  ["utf16le", "UTF-16LE"],
  ["ucs2", "UTF-16LE"],
  ["utf16be", "UTF-16BE"],
])

/** Skips the bytes of the byte order mark. */
const afterMark = (mark: number, { end, write }: Decoder): Decoder => {
  let left = mark
  const rest = (bytes: Uint8Array) => {
    const from = Math.min(left, bytes.length)
    left -= from
    return bytes.subarray(from)
  }
  return { write: (bytes) => write(rest(bytes)), end }
}

/** Returns an encoding. `decodedAs` is its name here or in iconv-lite, and `mark` the length of its byte order mark in bytes. */
export const encodingOf = (name: string, because: string, decodedAs = name, mark = 0): Encoding => ({
  name,
  because,
  decoder: (damaged) =>
    afterMark(
      mark,
      decodedAs === "UTF-8"
        ? utf8(mark, damaged)
        : decodedAs === "UTF-16LE" || decodedAs === "UTF-16BE"
        ? utf16(decodedAs, damaged)
        : table(decodedAs),
    ),
})

/**
 * Returns a file's text encoding. A byte order mark determines it, or else the pipeline's `encoding`. Without either, it
 * is UTF-16 if every other byte is zero, and UTF-8 if not.
 *
 * @param head the file's first bytes
 * @param asked the pipeline's `encoding`
 */
export const chooseEncoding = (head: Uint8Array, asked: string | undefined): Encoding => {
  const mark = marks.find(({ bytes }) => bytes.every((byte, at) => head[at] === byte))
  if (mark !== undefined) return encodingOf(mark.name, "by its byte order mark", mark.name, mark.bytes.length)
  if (asked !== undefined) return encodingOf(asked, "as given", ownNames.get(plainName(asked)))
  const wide = unmarkedUtf16(head)
  return wide === undefined ? encodingOf("UTF-8", checkedUtf8) : encodingOf(wide, "by its zero bytes")
}
