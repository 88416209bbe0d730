// Draws a delimited text as programs and people write them, well-formed or with faults, next to the truth.
import iconv from "iconv-lite"
import type { SourceConfig } from "../../../src/project/Pipeline.ts"
import { Draws } from "../../faults/Draws.ts"

/** One record as it was meant. */
export interface TrueRecord {
  readonly cells: ReadonlyArray<string>
  /** Its lines in the file, from 1. */
  readonly from: number
  readonly to: number
  /** What was done to it, by which it can't be read as it was meant: it has to be named, or the reading has to stop. */
  readonly broken?: "undoubled" | "ragged" | "damaged" | "cut"
}

export interface DrawnText {
  readonly bytes: Buffer
  readonly config: Partial<SourceConfig>
  readonly records: ReadonlyArray<TrueRecord>
  readonly wellFormed: boolean
  /** What was drawn, for the figures. */
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

type Fault = "stray" | "undoubled" | "ragged" | "damaged" | "cut"

/** @param fixed columns and keys of the pipeline that the whole run is tried with */
export const drawText = (seed: number, fixed = false): DrawnText => {
  const draws = new Draws(seed)
  const met = new Set<string>()
  const delimiter = draws.pick([",", ";", "\t", "|"])
  const encoding = fixed
    ? "utf-8"
    : draws.pick(["utf-8", "utf-8", "utf-8 mark", "utf-16le mark", "windows-1252", "utf-8"])
  const literal = draws.chance(0.08)
  const faults = new Set<Fault>()
  if (!literal && draws.chance(0.7)) {
    for (const fault of ["stray", "stray", "undoubled", "ragged", "damaged", "cut"] as const) {
      if (draws.chance(0.3) && (fault !== "damaged" || encoding === "utf-8")) faults.add(fault)
    }
  }
  const pad = faults.has("ragged") && draws.chance(0.3)
  const ascii = encoding === "windows-1252" ? /[^\p{ASCII}üßéÜ]/gu : /[^\s\S]/g
  const word = () => draws.pick(words)
  const phrase = (least: number, most: number) =>
    Array.from({ length: draws.int(least, most) }, word).join(" ").replaceAll(ascii, "")
  const lineEnd = draws.pick(["\n", "\r\n", "\r", "mixed", "\n", "\r\n"])
  met.add(`line ends ${JSON.stringify(lineEnd)}`).add(`encoding ${encoding}`).add(
    `delimiter ${JSON.stringify(delimiter)}`,
  )
  const end = () => lineEnd === "mixed" ? draws.pick(["\n", "\r\n", "\r"]) : lineEnd
  const width = fixed ? 3 : draws.int(2, 7)
  const key = fixed ? 0 : draws.chance(0.8) ? 0 : draws.int(0, width - 1)
  const keyOf = draws.pick([
    (at: number) => `C-${String(at).padStart(6, "0")}`,
    (at: number) => String(1000 + at),
    (at: number) => `2024-03-${String(10 + at % 20)} 10:${String(at % 60).padStart(2, "0")}:${String(at)}`,
    (at: number) => `p${at}@example.org`,
    (at: number) => `R_${(at * 7919 + 1_000_003).toString(36)}9`,
  ])

  /** A paragraph, with delimiters and doubled quotes as prose has them. */
  const paragraph = () =>
    Array.from({ length: draws.int(2, 5) }, () => {
      if (draws.chance(0.15)) return ""
      const parts = Array.from({ length: draws.int(1, width + 1) }, () => phrase(1, 4))
      return parts.join(draws.chance(0.7) ? `${delimiter} ` : " ") + (draws.chance(0.2) ? ` "${word()}" ${word()}` : "")
    }).join(draws.pick(["\n", "\r\n", "\n\n"]))
  const meant = (): string => {
    const share = draws.int(0, 99)
    if (share < 12) return ""
    if (share < 50) return phrase(1, 1)
    if (share < 70) return phrase(2, 5)
    if (share < 78) return String(draws.int(0, 99_999))
    if (literal) return `${word()}" ${word()}`
    if (share < 84) return `${phrase(1, 2)}${delimiter} ${phrase(1, 2)}`
    if (share < 90) return `${word()} "${phrase(1, 2)}" ${word()}`
    return paragraph()
  }
  /** A cell that begins with a quote which was meant as a character; never one that could as well be a quoted cell. */
  const strayCell = () =>
    draws.pick([
      () => `"${word()}" ${phrase(1, 3)}`,
      () => `"${phrase(1, 3)}`,
      () => `"${word()} "${word()}" ${word()}`,
    ])()

  const quoting = draws.pick(["needed", "all", "some"])
  met.add(`quotes around ${quoting}`)
  const written = (cell: string): string => {
    if (literal) return cell
    const isNeeded = cell.includes(delimiter) || /["\r\n]/.test(cell) || /^\s|\s$/.test(cell)
    return isNeeded || quoting === "all" || (quoting === "some" && draws.chance(0.4))
      ? `"${cell.replaceAll('"', '""')}"`
      : cell
  }

  const titles = fixed ? ["No", "Name", "Mail"] : Array.from({ length: width }, (_, at) => `Title ${"ABCDEFG"[at]}`)
  let text = titles.map(written).join(delimiter) + end()
  let line = 2
  const records: Array<TrueRecord> = []
  let filler = draws.chance(0.12) ? draws.int(1500, 4000) : 0
  if (filler > 0) met.add("behind the first 64 KB")
  const count = draws.int(3, 60) + filler
  const linesIn = (part: string) => part.match(/\r\n|\r|\n/g)?.length ?? 0
  const sound = encoding === "utf-8" ? 6 : 0

  for (let at = 0; at < count; at++) {
    const plain = filler > 0
    if (plain) filler--
    if (!plain && draws.chance(0.04)) {
      const blank = draws.chance(0.5) ? "" : delimiter.repeat(width - 1)
      // A line feed here would only complete the line end before.
      text += blank + (blank === "" && text.endsWith("\r") && lineEnd === "mixed" ? "\r" : end())
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
        : meant())
    let parts = cells.map(written)
    let broken: TrueRecord["broken"]
    const open = cells.flatMap((_, position) => position === key || (fixed && position === 2) ? [] : [position])
    const place = open[draws.int(0, open.length - 1)] ?? 0
    const fault = plain || at < sound || !draws.chance(0.15) ? undefined : [...faults][draws.int(0, faults.size - 1)]
    if (fault === "stray") {
      cells[place] = strayCell()
      parts = cells.map((cell, position) => position === place ? cell : written(cell))
    } else if (fault === "undoubled") {
      const inner = `${word()} "${word()}" ${draws.chance(0.5) ? phrase(1, 3) : paragraph().replaceAll('"', "")}`
      cells[place] = inner
      parts[place] = `"${inner}"`
      broken = "undoubled"
    } else if (fault === "ragged" && key < width - 1) {
      const from = draws.int(key + 1, width - 1)
      if (draws.chance(0.6)) parts = parts.slice(0, from)
      else parts.push("more")
      const isShort = parts.length < width
      if (isShort) cells.fill("", from)
      if (!(isShort && pad)) broken = "ragged"
    } else if (fault === "damaged") {
      cells[place] = `${word()} \u0001 ${word()}`
      parts[place] = cells[place]
      broken = "damaged"
    }
    if (fault !== undefined) met.add(`fault ${fault}`)
    if (cells.some((cell) => /[\r\n]/.test(cell))) met.add("paragraphs")
    const record = parts.join(delimiter)
    const inside = linesIn(record)
    records.push({ cells, from: line, to: line + inside, ...(broken === undefined ? {} : { broken }) })
    text += record + end()
    line += inside + 1
  }
  if (faults.has("cut") && records.length > 3) {
    // Somewhere in the last record: what is left of it may be anything but sent as if it were whole and quoted.
    const last = records.pop()
    const length = text.length - text.lastIndexOf(last?.cells[key] ?? "")
    text = text.slice(0, -draws.int(1, Math.min(12, length - 1)))
    if (last !== undefined) records.push({ ...last, broken: "cut" })
    met.add("fault cut")
  } else if (draws.chance(0.3)) text = text.replace(/(?:\r\n|\r|\n)$/, "")

  const name = encoding.replace(" mark", "")
  let bytes = iconv.encode(text, name, { addBOM: encoding.endsWith("mark") })
  // A byte that is no character in UTF-8.
  if (encoding === "utf-8") bytes = Buffer.from(bytes.map((byte) => (byte === 1 ? 0xe4 : byte)))
  const wellFormed = records.every(({ broken }) => broken === undefined) && !met.has("fault stray")
    && !met.has("fault ragged")
  return {
    bytes,
    config: {
      ...(name === "windows-1252" ? { encoding: name } : {}),
      ...(literal ? { quoteChar: "none" as const } : {}),
      ...(pad ? { raggedRows: "pad" as const } : {}),
      ...(key === 0 ? {} : { rowKey: [{ name: titles[key] ?? "", path: ["source"] }] }),
      ...(draws.chance(0.3) ? { delimiter } : {}),
    },
    records,
    wellFormed,
    met: [...met],
  }
}
