// Computes a file's content independently of the reader, and compares it with what the reader returned.
import { Effect } from "effect"
import iconv from "iconv-lite"
import { expect } from "vitest"
import { cellText } from "../../../src/domain/cell.ts"
import { read } from "../opening.ts"

export type Reading = Effect.Effect.Success<ReturnType<typeof read>>

export const taken = (all: Reading) => new Map(all.files[0]!.file.taken.map(({ what, value }) => [what, value]))
const leftOut = (all: Reading, what: string) =>
  Number((taken(all).get(what) ?? "0").replace(/ .*/, "").replaceAll(",", ""))

const delimiters: Readonly<Record<string, string>> = { comma: ",", semicolon: ";", tab: "\t", pipe: "|" }

/**
 * Counts a text's records character by character. A quote opens at the start of a cell, and closes before a delimiter
 * or a line end.
 */
const recordsIn = (content: string, delimiter: string | undefined, quoted: boolean): number => {
  let records = 0
  let cellStart = true
  let inRecord = false
  for (let at = 0; at < content.length; at++) {
    inRecord = true
    if (cellStart && quoted && content[at] === '"') {
      for (at++;; at++) {
        if (at >= content.length) return -1
        if (content[at] !== '"') continue
        if (content[at + 1] === '"') {
          at++
          continue
        }
        let end = at + 1
        while (
          end < content.length && content[end] !== delimiter && !/[\r\n]/.test(content[end]!)
          && content[end]!.trim() === ""
        ) end++
        if (end >= content.length || content[end] === delimiter || /[\r\n]/.test(content[end]!)) break
      }
      cellStart = false
    } else if (content[at] === "\r" || content[at] === "\n") {
      if (content[at] === "\r" && content[at + 1] === "\n") at++
      records++
      cellStart = true
      inRecord = false
    } else cellStart = content[at] === delimiter
  }
  return records + (inRecord ? 1 : 0)
}

const lineEndsIn = (content: string): number => content.match(/\r\n|\r|\n/g)?.length ?? 0

/** Returns how often each letter and digit occurs in a text. */
const lettersIn = (content: string): string => {
  const times = new Map<string, number>()
  for (const letter of content.match(/[\p{L}\p{N}]/gu) ?? []) times.set(letter, (times.get(letter) ?? 0) + 1)
  return [...times].sort().map(([letter, count]) => `${letter}${count}`).join(" ")
}

const decoded = (content: Buffer, encoding: string) => {
  const name = encoding === "Shift_JIS" ? "cp932" : encoding === "EUC-KR" ? "cp949" : encoding
  // iconv-lite ignores half of a code unit at the end, which formferry reports.
  const half = encoding.startsWith("UTF-16") && content.length % 2 === 1 ? "\ufffd" : ""
  return iconv.decode(content, name, { stripBOM: true }) + half
}

/**
 * Checks that every record is returned, that every letter is in a title or a cell, and that rows and empty lines add up
 * to the records.
 */
export const checkText = (content: Buffer, all: Reading): void => {
  const said = taken(all)
  const plain = decoded(content, (said.get("encoding") ?? "").replace(/ \(.*/, "").replace(/^MacRoman$/, "macroman"))
  const delimiter = delimiters[(said.get("delimiter") ?? "").replace(/ \(.*/, "")]
  // A form tool's further header rows are below the first.
  const header = Number(/^line (\d+)/.exec(said.get("header") ?? "")?.[1]) + Number(said.get("header rows") ?? 1) - 1
  const line = /^[^\r\n]*/.exec(plain)?.[0] ?? ""
  // Bare quotes in a header don't show where it ends, so the header is the first line.
  const records = said.get("header")?.includes("bare quotes") === true
    ? 1 + recordsIn(plain.slice(line.length).replace(/^\r?\n|^\r/, ""), delimiter ?? ",", true)
    : recordsIn(plain, delimiter ?? ",", !said.has("quotes"))
  // If some quotes are characters, only lines show the number of records. Each record has one line, and one more for
  // each line end inside its cells.
  if (said.has("stray quotes") || records === -1) {
    const inside = all.rows.flat().reduce<number>((sum, cell) => sum + lineEndsIn(cellText(cell)), 0)
    const above = all.files[0]?.file.lines?.above ?? 0
    const lines = lineEndsIn(plain) + (/[^\r\n]$/.test(plain) ? 1 : 0)
    expect({ plain, lines }).toEqual({ plain, lines: above + all.rows.length + leftOut(all, "empty lines") + inside })
  } else {expect({ header, plain, rows: all.rows.length, empty: leftOut(all, "empty lines"), sum: records }).toEqual({
      plain,
      header,
      rows: records - header - leftOut(all, "empty lines"),
      empty: leftOut(all, "empty lines"),
      sum: records,
    })}
  const given = [
    ...(all.source.head?.records.slice(0, header) ?? []).flat().map((cell) => cellText(cell)),
    ...all.rows.flat().map((cell) => cellText(cell)),
  ]
  expect(lettersIn(given.join("\n"))).toBe(lettersIn(plain))
}

export const checkJson = (content: Buffer, all: Reading): void => {
  const elements: unknown = JSON.parse(decoded(content, (taken(all).get("encoding") ?? "").replace(/ \(.*/, "")))
  expect(all.rows.length + leftOut(all, "empty records")).toBe((elements as Array<unknown>).length)
}

/** Whether an object in valid JSON has two members of the same name. `JSON.parse` keeps only the last of them. */
const repeatsAMember = (json: string): boolean => {
  let kept = -1
  const named = json.match(/"(?:[^"\\]|\\.)*"\s*:?/g)?.filter((text) => text.endsWith(":")) ?? []
  JSON.parse(json, function(this: unknown, _, value: unknown) {
    if (!Array.isArray(this)) kept++
    return value
  })
  return kept !== named.length
}

export const checkLines = (content: Buffer, all: Reading): void => {
  const lines = decoded(content, (taken(all).get("encoding") ?? "").replace(/ \(.*/, "")).split("\n").filter((line) =>
    line.trim() !== ""
  )
  expect(all.rows.length + leftOut(all, "empty records")).toBe(lines.length)
  for (const [index, line] of lines.entries()) {
    let good = true
    try {
      const value: unknown = JSON.parse(line)
      good = typeof value === "object" && value !== null && !Array.isArray(value) && !repeatsAMember(line)
    } catch {
      good = false
    }
    if (leftOut(all, "empty records") === 0) expect(all.faults.has(index + 1)).toBe(!good)
  }
}

/** Whether a reading reports that something may be missing. */
export const doubts = (all: Reading): boolean =>
  all.source.warnings.some((warning) => warning.includes("may be damaged, so rows or cells may be missing"))

/** Checks that a file with checksums was read as it was written. */
export const checkSealed = (whole: Reading, all: Reading): void => {
  expect(all.source.columns).toEqual(whole.source.columns)
  expect(all.rows.map((cells) => cells.map(cellText))).toEqual(whole.rows.map((cells) => cells.map(cellText)))
}

/** Returns which cells of each row are filled. */
const places = (all: Reading) => all.rows.map((cells) => cells.flatMap((cell, at) => cell === null ? [] : [at]))

/** Checks that every row and cell is still present. A changed letter or number can't be detected. */
export const checkCells = (whole: Reading, all: Reading): void => {
  if (all.source.warnings.some((warning) => warning.includes("has hidden sheets that are not read"))) return
  expect(all.source.columns.length).toBe(whole.source.columns.length)
  expect(places(all)).toEqual(places(whole))
}
