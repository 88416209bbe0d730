// Draws a delimited text as programs and people write it, well-formed or with faults, together with its intended
// content.
import iconv from "iconv-lite"
import type { SourceConfig } from "../../../src/project/Pipeline.ts"
import { Draws } from "../../faults/Draws.ts"

/** A record as intended. */
export interface TrueRecord {
  readonly cells: ReadonlyArray<string>
  /** The numbers of the record's lines in the file, counting from 1. */
  readonly from: number
  readonly to: number
  /**
   * The damage that prevents the record from being read as intended. The record must be reported, or the reading must
   * stop.
   */
  readonly broken?: "undoubled" | "ragged" | "damaged" | "cut"
}

export interface DrawnText {
  readonly bytes: Buffer
  readonly config: Partial<SourceConfig>
  readonly records: ReadonlyArray<TrueRecord>
  readonly wellFormed: boolean
  /** Whether a well-formed record may also be several records with stray quotes, so that the reading may stop. */
  readonly doubtful: boolean
  /** The properties of the text, which are counted in the figures. */
  readonly met: ReadonlyArray<string>
}

const words = [
  "Native",
  "report",
  "über",
  "color",
  "two",
  "Straße",
  "fine",
  "maybe",
  "42",
  "rather",
  "é",
  "done",
] as const

const syllables = ["Ba", "Ce", "Di", "Fo", "Gu", "Ha", "Je", "Ki", "Lo", "Mu", "Ne", "Pi"] as const

/** Returns a unique name for each number. The first seven names are plain, and later names have any shape. */
const nameOf = (at: number): string => {
  const digits = [...at.toString(12)].map((digit) => parseInt(digit, 12))
  const name = digits.map((digit) => syllables[digit] ?? "").join("").toLowerCase()
  const plain = name.charAt(0).toUpperCase() + name.slice(1)
  const shapes = [plain, `Jean-${plain}`, `O'${plain}`, `Dr. ${plain}`, `${plain} van Dijk`]
  return at < 7 ? plain : shapes[(at * 7) % 5] ?? plain
}

/** Keys as in real files, by the record's number, and whether they have digits. */
const keys = [
  { digits: true, of: (at: number) => `C-${String(at).padStart(6, "0")}` },
  { digits: true, of: (at: number) => String(1000 + at) },
  {
    digits: true,
    of: (at: number) => `2024-03-${String(10 + at % 20)} 10:${String(at % 60).padStart(2, "0")}:${String(at)}`,
  },
  { digits: true, of: (at: number) => `${10 + at % 20}.${1 + at % 12}.2024 ${at}` },
  { digits: true, of: (at: number) => `p${at}@example.org` },
  { digits: true, of: (at: number) => `R_${(at * 7919 + 1_000_003).toString(36)}9` },
  { digits: false, of: nameOf },
  { digits: false, of: (at: number) => `${nameOf(at).toLowerCase().replaceAll(/[^a-z]+/g, ".")}@example.org` },
] as const

/** Encodings of one byte for each character, which the pipeline must name. */
const pageEncodings = ["windows-1252", "macroman", "iso-8859-15"] as const

/** Stands for a byte that is not valid in UTF-8, until the text is encoded. */
const wrongByte = "\u0001"
/** Stands for half of a surrogate pair that is encoded like a character of UTF-8. */
const half = "\u0002"

/** Damaged characters by encoding. Encodings of one byte have none. */
const damages: ReadonlyMap<string, readonly [string, ...ReadonlyArray<string>]> = new Map([
  ["utf-8", [wrongByte, half]],
  ["utf-16le mark", ["\ud83d"]],
  ["utf-16be mark", ["\udc00"]],
])

type Fault = "stray" | "pair" | "lone" | "undoubled" | "ragged" | "damaged" | "cut"

/** @param fixed whether the text has the columns and keys of the pipeline for whole runs */
export const drawText = (seed: number, fixed = false): DrawnText => {
  const draws = new Draws(seed)
  const met = new Set<string>()
  const delimiter = draws.pick([",", ";", "\t", "|"])
  const encoding: string = draws.pick([
    "utf-8",
    "utf-8",
    "utf-8",
    "utf-8 mark",
    "utf-16le mark",
    "utf-16be mark",
    "utf-16le",
    ...pageEncodings,
  ])
  const isPage = pageEncodings.some((one) => one === encoding)
  const literal = draws.chance(0.08)
  const faults = new Set<Fault>()
  if (!literal && draws.chance(0.7)) {
    for (const fault of ["stray", "stray", "pair", "pair", "lone", "undoubled", "ragged", "damaged", "cut"] as const) {
      if (draws.chance(0.3) && (fault !== "damaged" || damages.has(encoding))) faults.add(fault)
    }
  }
  const pad = faults.has("ragged") && draws.chance(0.3)
  const ascii = isPage ? /[^\p{ASCII}üßéÜ]/gu : /[^\s\S]/g
  const word = () => draws.pick(words)
  const phrase = (least: number, most: number) =>
    Array.from({ length: draws.int(least, most) }, word).join(" ").replaceAll(ascii, "")
  const lineEnd = draws.pick(["\n", "\r\n", "\r", "mixed", "\n", "\r\n", "mostly"])
  met.add(`line ends ${JSON.stringify(lineEnd)}`).add(`encoding ${encoding}`).add(
    `delimiter ${JSON.stringify(delimiter)}`,
  )
  const end = () =>
    lineEnd === "mixed"
      ? draws.pick(["\n", "\r\n", "\r"])
      : lineEnd === "mostly"
      ? draws.pick(["\n", "\n", "\n", "\r\n"])
      : lineEnd
  const width = fixed ? 3 : draws.pick([2, 3, 4, 5, 6, 7, 2, 3])
  const key = fixed ? 0 : draws.chance(0.8) ? 0 : draws.int(0, width - 1)
  const { digits, of: keyOf } = draws.pick(keys)
  met.add(digits ? "keys with digits" : "keys without digits")
  /** The share of blank lines. `spacy` is the share of unquoted cells that begin with a space. */
  const blank = draws.pick([0.04, 0.04, 0.3])
  const spacy = draws.chance(0.3) ? 0.2 : 0
  /**
   * Whether each row ends with a delimiter, and so has one more empty cell than titles. The header may also end with
   * one.
   */
  const trailing = !fixed && draws.chance(0.1) ? draws.pick(["rows", "all"]) : undefined
  if (trailing !== undefined) met.add(`delimiter at the end of ${trailing}`)

  /**
   * Draws a paragraph with delimiters and doubled quotes, as in prose. A few lines are lists without spaces, or begin
   * with a number.
   */
  const paragraph = () =>
    Array.from({ length: draws.int(2, 5) }, () => {
      if (draws.chance(0.15)) return ""
      const parts = Array.from({ length: draws.int(1, width + 1) }, () => phrase(1, 4))
      if (draws.chance(0.1)) parts[0] = `${draws.int(1, 3000)} ${parts[0]}`
      if (draws.chance(0.04)) return parts.join(delimiter)
      return parts.join(draws.chance(0.7) ? `${delimiter} ` : " ") + (draws.chance(0.2) ? ` "${word()}" ${word()}` : "")
    }).join(draws.pick(["\n", "\r\n", "\n\n", "\n\n\n"]))
  const meant = (): string => {
    const share = draws.int(0, 99)
    if (draws.chance(spacy)) return draws.pick([" ", ` ${phrase(1, 2)}`])
    if (share < 12) return ""
    if (share < 50) return phrase(1, 1)
    if (share < 70) return phrase(2, 5)
    if (share < 78) return String(draws.int(0, 99_999))
    if (literal) return `${word()}" ${word()}`
    if (share < 84) return `${phrase(1, 2)}${delimiter} ${phrase(1, 2)}`
    if (share < 90) return `${word()} "${phrase(1, 2)}" ${word()}`
    return paragraph()
  }
  /** Draws a cell that begins with a quote intended as a character, and that can't also be a quoted cell. */
  const strayCell = () =>
    draws.pick([
      () => `"${word()}" ${phrase(1, 3)}`,
      () => `"${phrase(1, 3)}`,
      () => `"${word()} "${word()}" ${word()}`,
    ])()

  const quoting = draws.pick(["needed", "all", "some"])
  if (draws.chance(0.1)) {
    faults.clear()
    faults.add("pair")
  }
  met.add(`quotes around ${quoting}`)
  const written = (cell: string): string => {
    if (literal) return cell
    const isNeeded = cell.includes(delimiter) || /["\r\n]/.test(cell) || (spacy === 0 && /^\s|\s$/.test(cell))
    return isNeeded || quoting === "all" || (quoting === "some" && draws.chance(0.4))
      ? `"${cell.replaceAll('"', '""')}"`
      : cell
  }

  const titles = fixed ? ["No", "Name", "Mail"] : Array.from({ length: width }, (_, at) => `Title ${"ABCDEFG"[at]}`)
  let text = titles.map(written).join(delimiter) + (trailing === "all" ? delimiter : "") + end()
  let line = 2
  const records: Array<TrueRecord> = []
  let filler = draws.chance(0.12) ? draws.int(1500, 4000) : 0
  if (filler > 0) met.add("after the first 64 KB")
  const count = draws.int(3, 60) + filler
  const linesIn = (part: string) => part.match(/\r\n|\r|\n/g)?.length ?? 0
  const sound = encoding === "utf-8" ? 6 : 0
  /**
   * A stray quote that a later quote will close: the last record of the pair, the column, and whether there are no
   * quotes in between.
   */
  let pair: { readonly until: number; readonly place: number; readonly calm: boolean } | undefined
  let doubtful = false
  /**
   * Whether the lines of a well-formed cell, together with the cells next to it, also look like records to a person.
   */
  const isDoubtful = (parts: ReadonlyArray<string>, place: number): boolean => {
    const after = parts.slice(place + 1).map((part) => `${delimiter}${part}`).join("").split(/[\r\n]/)[0] ?? ""
    const [, ...inner] = `${parts[place]}${after}`.split(/\r\n|\r|\n/).filter((one) => one !== "")
    const alike = inner.map((one) => one.split(delimiter)).filter((one) => {
      const own = (one[key] ?? "").trim()
      const isKey = digits ? /\d/.test(own) : own !== ""
      return one.length === parts.length && (isKey || one.slice(1).some((cell) => /^\S/.test(cell)))
    })
    return alike.length > 0 && 2 * alike.length >= inner.length
  }

  for (let at = 0; at < count; at++) {
    const plain = filler > 0
    if (plain) filler--
    if (!plain && draws.chance(blank)) {
      const filling = draws.chance(0.5) || blank > 0.1 ? "" : delimiter.repeat(width - 1)
      // After a carriage return, a line feed would only complete the previous line end.
      text += filling + (filling === "" && text.endsWith("\r") && lineEnd === "mixed" ? "\r" : end())
      line++
      continue
    }
    const cells = Array.from({ length: width }, (_, position) =>
      position === key
        ? keyOf(at)
        : fixed && position === 2
        ? `m${at}@example.org`
        : at < sound
        ? "größer für Äpfel"
        : plain
        ? phrase(1, 4)
        : pair?.calm === true
        ? draws.chance(spacy) ? ` ${word()}` : phrase(0, 3)
        : meant())
    let parts = pair?.calm === true ? [...cells] : cells.map(written)
    let broken: TrueRecord["broken"]
    const open = cells.flatMap((_, position) => position === key || (fixed && position === 2) ? [] : [position])
    const place = open[draws.int(0, open.length - 1)] ?? 0
    const drawn = plain || at < sound || !draws.chance(0.15) ? undefined : [...faults][draws.int(0, faults.size - 1)]
    const fault = pair === undefined ? drawn : pair.until === at ? "closing" : pair.calm ? undefined : drawn
    const literally = (position: number, cell: string) => {
      cells[position] = cell
      parts[position] = cell
    }
    if (fault === "stray") {
      literally(place, strayCell())
    } else if (fault === "pair") {
      literally(place, `"${phrase(0, 2)}`)
      const length = draws.chance(0.1) ? draws.int(9, 60) : draws.int(1, 6)
      pair ??= {
        until: at + length,
        place: draws.chance(0.7) ? place : open[draws.int(0, open.length - 1)] ?? place,
        calm: draws.chance(0.8),
      }
    } else if (fault === "closing" || fault === "lone") {
      literally(
        pair?.place ?? place,
        draws.pick([`${phrase(1, 2)}"`, `${phrase(1, 2)}"`, `5" ${word()}`, `${word()} "${word()}"`]),
      )
      if (fault === "closing") pair = undefined
    } else if (fault === "undoubled") {
      const inner = `${word()} "${word()}" ${draws.chance(0.5) ? phrase(1, 3) : paragraph().replaceAll('"', "")}`
      cells[place] = inner
      parts[place] = `"${inner}"`
      broken = "undoubled"
    } else if (fault === "ragged" && key < width - 1) {
      const from = draws.int(key + 1, width - 1)
      if (draws.chance(0.6)) parts = parts.slice(0, from)
      else parts.push(...(trailing === "all" ? ["more", "more"] : ["more"]))
      const isShort = parts.length < width
      if (isShort) cells.fill("", from)
      if (!(isShort && pad)) broken = "ragged"
    } else if (fault === "damaged") {
      const bad = draws.pick(damages.get(encoding) ?? [wrongByte])
      cells[place] = `${word()} ${bad} ${word()}`
      parts[place] = cells[place]
      met.add(bad === wrongByte ? "a byte that is not UTF-8" : "half of a surrogate pair")
      broken = "damaged"
    }
    if (fault !== undefined) met.add(`fault ${fault}`)
    if (cells.some((cell) => /[\r\n]/.test(cell))) met.add("paragraphs")
    if (trailing !== undefined && (broken === undefined)) parts.push("")
    if (trailing === "all") cells.push("")
    const record = parts.join(delimiter)
    if (fault === undefined && parts.some((_, position) => isDoubtful(parts, position))) doubtful = true
    const inside = linesIn(record)
    records.push({ cells, from: line, to: line + inside, ...(broken === undefined ? {} : { broken }) })
    text += record + end()
    line += inside + 1
  }
  if (faults.has("cut") && records.length > 3) {
    // The text is cut somewhere in the last record. The rest of the record must not be sent as if it were whole and
    // quoted.
    const last = records.pop()
    const length = text.length - text.lastIndexOf(last?.cells[key] ?? "")
    text = text.slice(0, -draws.int(1, Math.min(12, length - 1)))
    if (last !== undefined) records.push({ ...last, broken: "cut" })
    met.add("fault cut")
  } else if (draws.chance(0.3)) text = text.replace(/(?:\r\n|\r|\n)$/, "")

  const name = encoding.replace(" mark", "")
  let bytes = iconv.encode(text, name, { addBOM: encoding.endsWith("mark") })
  if (encoding === "utf-8") {
    bytes = Buffer.from(
      bytes.toString("latin1").replaceAll(wrongByte, "\xe4").replaceAll(half, "\xed\xa0\xbd"),
      "latin1",
    )
  }
  const wellFormed = records.every(({ broken }) => broken === undefined)
    && ![...met].some((what) => what.startsWith("fault"))
  return {
    bytes,
    config: {
      ...(isPage ? { encoding: name } : {}),
      ...(literal ? { quoteChar: "none" as const } : {}),
      ...(pad ? { raggedRows: "pad" as const } : {}),
      ...(key === 0 ? {} : { rowKey: [{ name: titles[key] ?? "", path: ["source"] }] }),
      ...(draws.chance(0.3) ? { delimiter } : {}),
    },
    records,
    wellFormed,
    doubtful,
    met: [...met],
  }
}
