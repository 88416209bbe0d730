import { Parser } from "htmlparser2"

/** A sheet's XML that is no sheet. */
export class BadSheet extends Error {}

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

/** The name of an element without its namespace's prefix. */
export const localName = (name: string): string => {
  const at = name.indexOf(":")
  return at === -1 ? name : name.slice(at + 1)
}

/** Reads sharedStrings.xml, which comes in pieces. */
export const sharedStringsReader = () => {
  let bytes = Buffer.allocUnsafe(64 * 1024)
  let used = 0
  let ends = new Uint32Array(1024)
  let count = 0
  let ended = false
  let text = ""
  let inText = false
  /** Depth of phonetic hints, which are no part of a text. */
  let hints = 0

  const keep = () => {
    const plain = plainText(text)
    // A character takes three bytes at most.
    if (used + plain.length * 3 > bytes.length) {
      const larger = Buffer.allocUnsafe(Math.max(bytes.length * 2, used + plain.length * 3))
      bytes.copy(larger, 0, 0, used)
      bytes = larger
    }
    used += bytes.write(plain, used, "utf8")
    if (count === ends.length) {
      const larger = new Uint32Array(ends.length * 2)
      larger.set(ends)
      ends = larger
    }
    ends[count++] = used
    text = ""
  }

  const parser = new Parser({
    onopentagname: (name) => {
      const local = localName(name)
      if (local === "rPh") hints++
      else if (local === "t") inText = hints === 0
    },
    ontext: (piece) => {
      if (inText) text += piece
    },
    onclosetag: (name) => {
      const local = localName(name)
      if (local === "sst") ended = true
      if (local === "t") inText = false
      else if (local === "rPh") hints--
      else if (local === "si") keep()
    },
  }, { xmlMode: true })

  return {
    write: (piece: string) => parser.write(piece),
    /** Throws when the texts do not end where their XML does. */
    end: (): SharedStrings => {
      if (!ended) throw new BadSheet("texts that break off")
      parser.end()
      return {
        at: (index) =>
          index >= 0 && index < count
            ? bytes.toString("utf8", index === 0 ? 0 : ends[index - 1], ends[index])
            : undefined,
      }
    },
  }
}
