import { isUtf8 } from "node:buffer"
import { count } from "../../domain/words.ts"
import { limits } from "../limits.ts"

/** XML that is malformed, or that should be a sheet but is not. The message ends a sentence such as "its sheet has …". */
export class BadSheet extends Error {}

/** Returns the name of an element or attribute without its namespace prefix. */
export const localName = (name: string): string => name.slice(name.indexOf(":") + 1)

/** Whether an attribute's value is true (XML Schema, part 2, section 3.2.2). */
export const isTrue = (value: string): boolean => value === "1" || value === "true"

/** Functions that a scanner calls, in the order of the document. Attributes, and the bytes of `xml`, are valid only during the call. */
export interface XmlEvents {
  /** Called at the start of an element. `name` has no prefix. */
  readonly open?: (name: string, attributes: XmlAttributes) => void
  /**
   * Called with text as written (`xmlText`).
   *
   * @param whole whether it is the element's whole content
   * @param raw whether it is CDATA, in which an ampersand has no special meaning
   */
  readonly text?: (xml: Buffer, from: number, to: number, whole: boolean, raw: boolean) => void
  readonly close?: (name: string) => void
}

const signs = {
  tag: 0x3c,
  end: 0x3e,
  slash: 0x2f,
  question: 0x3f,
  exclamation: 0x21,
  quote: 0x22,
  apostrophe: 0x27,
  equals: 0x3d,
  colon: 0x3a,
}

/** Names of one byte, indexed by this byte. */
const letters = Array.from({ length: 128 }, (_, code) => String.fromCharCode(code))

/** Names of up to four bytes, indexed by these bytes as one number. So an element that occurs a million times needs no new string. */
const short = new Map(
  ["is", "si", "row", "rPh", "col", "sst"].map((
    name,
  ) => [[...Buffer.from(name)].reduce((all, byte) => all << 8 | byte, 0), name]),
)

/** Returns the offset of the `>` that ends the tag, ignoring quoted values. Returns -1 if that has not arrived yet. */
const tagEnd = (xml: Buffer, from: number): number => {
  for (let at = from; at < xml.length; at++) {
    const byte = xml[at]
    if (byte === signs.end) return at
    if (byte === signs.quote || byte === signs.apostrophe) {
      do at++
      while (at < xml.length && xml[at] !== byte)
    } else if (byte === signs.tag) throw new BadSheet("a tag that does not end")
  }
  return -1
}

/** Returns the text that ends the comment, instruction, declaration or CDATA at `at`. Undefined if too little text has arrived. */
const otherClose = (xml: Buffer, at: number): string | undefined => {
  if (xml[at + 1] === signs.question) return "?>"
  if (at + 2 >= xml.length) return undefined
  return xml[at + 2] === 0x2d ? "-->" : xml[at + 2] === 0x5b ? "]]>" : ">"
}

const cdata = "<![CDATA["

const nothing = () => undefined

/**
 * Scans an XML document in UTF-8 that arrives in pieces, without making unnecessary strings. Throws `BadSheet` if
 * elements are not nested as XML requires. Entities are decoded only in text that is read, and document types are
 * ignored.
 */
export const xmlScanner = ({ close = nothing, open = nothing, text = nothing }: XmlEvents) => {
  /** The open elements: their names, and hashes of the names as written, including the prefix. */
  const names: Array<string> = []
  const hashes: Array<number> = []
  const attributes = new XmlAttributes()
  let rest = Buffer.alloc(0)
  /** Whether the innermost element has no content yet. */
  let bare = false
  let rooted = false

  const begin = (xml: Buffer, from: number, end: number) => {
    let local = from
    let packed = 0
    let hash = 0
    let at = from
    for (; at < end; at++) {
      const byte = xml[at]!
      if (byte <= 0x20 || byte === signs.slash) break
      hash = Math.imul(hash, 31) + byte | 0
      if (byte === signs.colon) {
        local = at + 1
        packed = 0
      } else packed = packed << 8 | byte
    }
    const length = at - local
    if (length === 0) throw new BadSheet("a tag without a name")
    if (names.length === 0 && rooted) throw new BadSheet("something after its end")
    rooted = true
    const name = (length === 1 ? letters[packed] : length <= 4 ? short.get(packed) : undefined)
      ?? xml.toString("utf8", local, at)
    const empty = xml[end - 1] === signs.slash
    attributes.over(xml, at, empty ? end - 1 : end)
    open(name, attributes)
    if (empty) close(name)
    else {
      names.push(name)
      hashes.push(hash)
    }
    bare = !empty
  }

  const finish = (xml: Buffer, from: number, end: number) => {
    let hash = 0
    for (let at = from; at < end && xml[at]! > 0x20; at++) hash = Math.imul(hash, 31) + xml[at]! | 0
    const name = names.pop()
    if (name === undefined || hashes.pop() !== hash) throw new BadSheet("elements that do not end where they should")
    close(name)
    bare = false
  }

  /** Returns the offset after the comment, instruction, declaration or CDATA at `tag`. Returns -1 if its end has not arrived yet. */
  const pass = (xml: Buffer, from: number, tag: number): number => {
    const ends = otherClose(xml, tag)
    const end = ends === undefined ? -1 : xml.indexOf(ends, tag + 2)
    if (ends === undefined || end === -1) return -1
    if (tag > from) text(xml, from, tag, false, false)
    if (xml.toString("latin1", tag, tag + cdata.length) === cdata) text(xml, tag + cdata.length, end, false, true)
    bare = false
    return end + ends.length
  }

  /** Scans from the start of `xml` up to something incomplete. Returns the offset at which to continue. */
  const scan = (xml: Buffer): number => {
    let at = 0
    for (;;) {
      let tag = at
      while (tag < xml.length && xml[tag] !== signs.tag) tag++
      if (tag + 1 >= xml.length) return at
      const next = xml[tag + 1]
      if (next === signs.exclamation || next === signs.question) {
        const after = pass(xml, at, tag)
        if (after === -1) return at
        at = after
        continue
      }
      const closing = next === signs.slash
      const end = tagEnd(xml, tag + 1)
      if (end === -1) return at
      if (tag > at) text(xml, at, tag, bare && closing, false)
      if (closing) finish(xml, tag + 2, end)
      else begin(xml, tag + 1, end)
      at = end + 1
    }
  }

  return {
    write: (piece: Uint8Array): void => {
      const xml = rest.length === 0
        ? Buffer.from(piece.buffer, piece.byteOffset, piece.length)
        : Buffer.concat([rest, piece])
      const at = scan(xml)
      // The scanned part ends with a tag, so it does not split a character.
      if (!isUtf8(xml.subarray(0, at))) throw new BadSheet("bytes that are not valid UTF-8")
      if (xml.length - at > limits.record) {
        throw new BadSheet(`a text or a tag of more than ${count(limits.record)} bytes`)
      }
      rest = Buffer.from(xml.subarray(at))
    },
    /** Throws if an element is still open, or if there was no element. */
    end: (): void => {
      if (!rooted || names.length > 0 || /\S/.test(rest.toString("latin1"))) throw new BadSheet("no end")
    },
  }
}

const entities: Readonly<Record<string, string>> = { amp: "&", apos: "'", gt: ">", lt: "<", quot: '"' }

/**
 * Replaces entities by the characters that they stand for. Some programs write a character as two references, to the halves of a surrogate pair. Throws
 * `BadSheet` for a number that no character has.
 */
const withoutEntities = (text: string): string =>
  text.replaceAll(/&(?:#x([\dA-Fa-f]+)|#(\d+)|(amp|apos|gt|lt|quot));/g, (reference, hex, decimal, name) => {
    if (name !== undefined) return entities[name] ?? reference
    const code = hex === undefined ? Number(decimal) : Number.parseInt(hex, 16)
    if (code === 0 || code > 0x10ffff) {
      throw new BadSheet(`a reference to a character that does not exist, ${reference}`)
    }
    return String.fromCodePoint(code)
  })

/** Returns the XML text between two offsets. Line ends become line feeds. Entities are decoded, unless the text is raw. */
export const xmlText = (xml: Buffer, from: number, to: number, raw = false): string => {
  let text = xml.toString("utf8", from, to)
  if (text.includes("\r")) text = text.replaceAll(/\r\n?/g, "\n")
  return !raw && text.includes("&") ? withoutEntities(text) : text
}

const zero = 0x30

/** How many digits a double can always represent exactly. */
const exactDigits = 15

/** These powers are also exact, so one division rounds in the same way as parsing the text. */
const powers = Array.from({ length: exactDigits + 1 }, (_, exponent) => 10 ** exponent)

/** Returns the number that a text is in decimal notation. NaN for other texts, such as blanks, which `Number` would read as 0. */
export const decimal = (text: string): number => /^\s*[-+.\de]+\s*$/i.test(text) ? Number(text) : Number.NaN

/** Returns the number between two offsets, as `decimal` reads it. Short numbers, which most are, need no string. */
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
    else return decimal(xmlText(xml, from, to))
  }
  if (digits === 0 || digits > exactDigits) return decimal(xmlText(xml, from, to))
  const value = point === -1 ? whole : whole / powers[digits - point]!
  return start === from ? value : -value
}

/** Iterates over the attributes of a tag. One instance serves many tags. */
export class XmlAttributes {
  private xml: Buffer = Buffer.alloc(0)
  private start = 0
  private at = 0
  private to = 0
  private nameFrom = 0
  private nameTo = 0
  /** Where the current attribute's value is. */
  from = 0
  end = 0

  /** Starts with the attributes of a tag. */
  over(xml: Buffer, from: number, to: number): void {
    this.xml = xml
    this.start = from
    this.at = from
    this.to = to
  }

  /** Moves to the next attribute. Returns false if there is none. */
  next(): boolean {
    const { to, xml } = this
    let at = this.at
    while (at < to && xml[at]! <= 0x20) at++
    if (at >= to) return false
    this.nameFrom = at
    while (at < to && xml[at] !== signs.equals && xml[at]! > 0x20) at++
    this.nameTo = at
    while (at < to && xml[at]! <= 0x20) at++
    const equals = xml[at++] === signs.equals
    while (at < to && xml[at]! <= 0x20) at++
    const quote = xml[at++]
    this.from = at
    while (at < to && xml[at] !== quote) at++
    if (!equals || at >= to || (quote !== signs.quote && quote !== signs.apostrophe)) {
      throw new BadSheet("an attribute without a value")
    }
    this.end = at
    this.at = at + 1
    return true
  }

  /** The bytes to which `from` and `end` refer. */
  get bytes(): Buffer {
    return this.xml
  }

  get name(): string {
    const letter = this.nameTo - this.nameFrom === 1 ? letters[this.xml[this.nameFrom]!] : undefined
    return letter ?? this.xml.toString("utf8", this.nameFrom, this.nameTo)
  }

  get text(): string {
    return xmlText(this.xml, this.from, this.end)
  }

  /** Returns the attribute's value as a number. An empty value is 0. */
  get number(): number {
    return this.from === this.end ? 0 : xmlNumber(this.xml, this.from, this.end)
  }

  /** Returns a function for all attributes of the tag, by their names without prefix. It returns "" for an attribute that is missing. */
  byName(): (name: string) => string {
    const found = new Map<string, string>()
    this.at = this.start
    while (this.next()) found.set(localName(this.name), this.text)
    return (name) => found.get(name) ?? ""
  }
}
