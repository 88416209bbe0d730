// Files as disks, mail programs and people damage them: bytes flipped, files cut, quotes and line ends put in. Whatever happens, a source must not
// crash, hang, or lose a row without a word. What is in a mutated text is reckoned here again, by other means than the reader's.
import { Cause, Effect, Exit } from "effect"
import iconv from "iconv-lite"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { gzipSync } from "node:zlib"
import { describe, expect, it } from "vitest"
import { cellText } from "../../src/domain/cell.ts"
import { config, file, read, run } from "./opening.ts"
import { row, text, xlsx, zip } from "./workbooks.ts"

/** `MUTATED=1000 npx vitest run test/source/mutated.test.ts` for all of them: 12 to 30 seconds. */
const count = Number(process.env["MUTATED"] ?? 150)
const seed = Number(process.env["MUTATED_SEED"] ?? 20_261_120)

const random = (state: number) => () => {
  state = (state + 0x6d2b79f5) | 0
  let t = Math.imul(state ^ (state >>> 15), 1 | state)
  t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
  return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296
}

const table = [
  "id;Name;Bemerkung;Zahl",
  '1;Jürgen Müller;"über den Wolken; ""nie"" sagt er";12,5',
  "2;Ulrike Weiß;zwei Wörter;3",
  '3;Äpfel;"zwei\r\nZeilen";4',
  "4;Öl;;",
  ";;;",
  "5;Größe;groß;6",
].join("\r\n")

const people = Array.from(
  { length: 12 },
  (_, at) => ({ id: at, name: `Ada ${at}`, a: { mail: `a${at}@x.org`, list: [at, "x"] } }),
)
const libreOffice = (name: string) => readFileSync(join(import.meta.dirname, "libreoffice", name))

type Kind = "text" | "json" | "jsonl" | "sealed" | "workbook"
interface Sample {
  readonly name: string
  readonly extension: string
  readonly kind: Kind
  readonly bytes: Buffer
}

/** `sealed`: the format has check sums, so a change is noticed. */
const samples: ReadonlyArray<Sample> = [
  { name: "UTF-8", extension: "csv", kind: "text", bytes: Buffer.from(table) },
  { name: "UTF-8 with a mark", extension: "csv", kind: "text", bytes: Buffer.from(`\ufeff${table}`) },
  { name: "Windows-1252", extension: "csv", kind: "text", bytes: iconv.encode(table, "windows-1252") },
  { name: "UTF-16LE", extension: "csv", kind: "text", bytes: iconv.encode(table, "utf-16le", { addBOM: true }) },
  {
    name: "commas",
    extension: "csv",
    kind: "text",
    bytes: Buffer.from('a,b,c\n1,"x, y",z\n2,"it ""is""",\n3,,"l\nm"\n'.repeat(4)),
  },
  { name: "tabs", extension: "tsv", kind: "text", bytes: Buffer.from(table.replaceAll(";", "\t")) },
  { name: "LibreOffice's CSV", extension: "csv", kind: "text", bytes: libreOffice("sheet.macroman.csv") },
  { name: "JSON", extension: "json", kind: "json", bytes: Buffer.from(JSON.stringify(people)) },
  {
    name: "JSON lines",
    extension: "jsonl",
    kind: "jsonl",
    bytes: Buffer.from(people.map((one) => JSON.stringify(one)).join("\n")),
  },
  { name: "gzip", extension: "csv.gz", kind: "sealed", bytes: gzipSync(table) },
  { name: "zip", extension: "zip", kind: "sealed", bytes: zip({ "a.csv": table }) },
  {
    name: ".xlsx",
    extension: "xlsx",
    kind: "sealed",
    bytes: zip(
      xlsx([{
        name: "Rows",
        rows: row(1, text("id"), text("n")) + row(2, text("1"), "><v>2</v>") + row(3, text("2"), "><v>3</v>"),
      }]),
    ),
  },
  { name: "LibreOffice's .xlsx", extension: "xlsx", kind: "sealed", bytes: libreOffice("sheet.xlsx") },
  { name: "LibreOffice's .ods", extension: "ods", kind: "sealed", bytes: libreOffice("sheet.ods") },
  { name: "LibreOffice's .xls", extension: "xls", kind: "workbook", bytes: libreOffice("sheet.xls") },
]

const injected = ['"', "'", '""', "\n", "\r", "\r\n", ";", ",", "\t", "\0", "\\", "\x80", "\xff", "{", "]", "ä"]

/** One to three changes: a byte flipped, the end cut off, something put in, taken out, or doubled. */
const mutate = (bytes: Buffer, next: () => number): Buffer => {
  let changed = Buffer.from(bytes)
  for (let changes = 1 + Math.floor(next() * 3); changes > 0; changes--) {
    const at = Math.floor(next() * changed.length)
    const to = Math.min(changed.length, at + 1 + Math.floor(next() * 12))
    switch (Math.floor(next() * 6)) {
      case 0:
        if (changed.length > 0) changed[at]! ^= 1 << Math.floor(next() * 8)
        break
      case 1:
        changed = changed.subarray(0, at)
        break
      case 2:
      case 3: {
        const put = Buffer.from(injected[Math.floor(next() * injected.length)] ?? "", "latin1")
        changed = Buffer.concat([changed.subarray(0, at), put, changed.subarray(at)])
        break
      }
      case 4:
        changed = Buffer.concat([changed.subarray(0, at), changed.subarray(to)])
        break
      case 5:
        changed = Buffer.concat([changed.subarray(0, to), changed.subarray(at)])
    }
  }
  return changed
}

type Reading = Effect.Effect.Success<ReturnType<typeof read>>

/** Reads a file; gives the refusal's message instead. Anything else that goes wrong is a failure of the test. */
const attempt = async (content: Buffer, extension: string): Promise<Reading | string> => {
  const exit = await run(
    Effect.exit(Effect.timeout(read(config(file(content, extension)), { blockSize: 64 }), "10 seconds")),
  )
  if (Exit.isSuccess(exit)) return exit.value
  const failure = Cause.failureOption(exit.cause)
  if (failure._tag === "None" || failure.value._tag !== "SourceError") throw new Error(Cause.pretty(exit.cause))
  expect(failure.value.message).toMatch(/[.)]$/)
  return failure.value.message
}

const taken = (all: Reading) => new Map(all.files[0]!.file.taken.map(({ what, value }) => [what, value]))
const leftOut = (all: Reading, what: string) =>
  Number((taken(all).get(what) ?? "0").replace(/ .*/, "").replaceAll(",", ""))

const delimiters: Readonly<Record<string, string>> = { comma: ",", semicolon: ";", tab: "\t", pipe: "|" }

/** Records of a text, counted sign by sign: a quote opens at the start of a cell, and closes before a delimiter or a line end. */
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

/** How often each letter and digit stands in a text. */
const lettersIn = (content: string): string => {
  const times = new Map<string, number>()
  for (const letter of content.match(/[\p{L}\p{N}]/gu) ?? []) times.set(letter, (times.get(letter) ?? 0) + 1)
  return [...times].sort().map(([letter, count]) => `${letter}${count}`).join(" ")
}

const decoded = (content: Buffer, encoding: string) =>
  iconv.decode(content, encoding === "Shift_JIS" ? "cp932" : encoding === "EUC-KR" ? "cp949" : encoding, {
    stripBOM: true,
  })

/** Every record of the text is given out, every letter of it stands in a title or a cell, and rows and empty lines add up to the records. */
const checkText = (content: Buffer, all: Reading): void => {
  const said = taken(all)
  const plain = decoded(content, (said.get("encoding") ?? "").replace(/ \(.*/, "").replace(/^MacRoman$/, "macroman"))
  const delimiter = delimiters[(said.get("delimiter") ?? "").replace(/ \(.*/, "")]
  const header = Number(/^line (\d+)/.exec(said.get("header") ?? "")?.[1])
  const records = recordsIn(plain, delimiter ?? ",", !said.has("quotes"))
  expect({ header, plain, rows: all.rows.length, empty: leftOut(all, "empty lines"), sum: records }).toEqual({
    plain,
    header,
    rows: records - header - leftOut(all, "empty lines"),
    empty: leftOut(all, "empty lines"),
    sum: records,
  })
  const given = [
    ...(all.source.head?.records.slice(0, header) ?? []).flat().map((cell) => cellText(cell)),
    ...all.rows.flat().map((cell) => cellText(cell)),
  ]
  expect(lettersIn(given.join("\n"))).toBe(lettersIn(plain))
}

const checkJson = (content: Buffer, all: Reading): void => {
  const elements: unknown = JSON.parse(decoded(content, (taken(all).get("encoding") ?? "").replace(/ \(.*/, "")))
  expect(all.rows.length + leftOut(all, "empty records")).toBe((elements as Array<unknown>).length)
}

const checkLines = (content: Buffer, all: Reading): void => {
  const lines = decoded(content, (taken(all).get("encoding") ?? "").replace(/ \(.*/, "")).split("\n").filter((line) =>
    line.trim() !== ""
  )
  expect(all.rows.length + leftOut(all, "empty records")).toBe(lines.length)
  for (const [index, line] of lines.entries()) {
    let good = true
    try {
      const value: unknown = JSON.parse(line)
      good = typeof value === "object" && value !== null && !Array.isArray(value)
    } catch {
      good = false
    }
    if (leftOut(all, "empty records") === 0) expect(all.faults.has(index + 1)).toBe(!good)
  }
}

describe(`${count} mutated files, from seed ${seed},`, () => {
  const share = Math.ceil(count / samples.length)
  const refused: Array<string> = []

  it.each(samples)("never lose a row without a word: $name", async ({ bytes, extension, kind }) => {
    const whole = await attempt(bytes, extension)
    if (typeof whole === "string") throw new Error(whole)
    const next = random(seed + bytes.length)
    for (let at = 0; at < share; at++) {
      const content = mutate(bytes, next)
      const all = await attempt(content, extension)
      if (typeof all === "string") {
        refused.push(all)
        continue
      }
      expect(all.files.map((one) => one.file.rows)).toEqual([all.rows.length])
      const format = all.source.format
      // A change may make another thing of a file: JSON without its first bracket is a text.
      if (format === "csv" && !taken(all).has("archive")) checkText(content, all)
      else if (format === "json" && kind !== "sealed") checkJson(content, all)
      else if (format === "jsonl" && kind !== "sealed") checkLines(content, all)
      else if (kind === "sealed" && format === whole.source.format) {
        expect(all.rows.map((cells) => cells.map(cellText))).toEqual(whole.rows.map((cells) => cells.map(cellText)))
      }
    }
  }, 120_000)

  it("are refused with a sentence that says what to do, where they are refused", () => {
    expect(refused.length).toBeGreaterThan(0)
    for (const message of refused) expect(message).not.toMatch(/undefined|\[object|NaN/)
  })
})
