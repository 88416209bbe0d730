import { type Cell, ErrorCell } from "../domain/cell.ts"
import type { CellTrap, Trap } from "../domain/inspectedColumn.ts"
import { cut } from "../domain/problem.ts"
import { count, counted } from "../domain/words.ts"
import { isNoAnswer } from "../profile/cellWords.ts"

/** The traps in cells. For each: the verb for one cell, the verb for several, and the rest of the sentence. */
const cellTraps: Readonly<Record<CellTrap, readonly [string, string, string]>> = {
  "excel-date": [
    "looks",
    "look",
    "like a month and a day or year: Excel turns options such as 6-25 or 1-5 into such dates. Map them to their options with `values`.",
  ],
  scientific: [
    "contains",
    "contain",
    "a number whose last digits are lost, because Excel shortens long numbers. This file can't restore them.",
  ],
  "rounded-digits": ["contains", "contain", "a long number that ends in zeros: Excel keeps only 15 digits."],
  spaces: ["has", "have", "white space at the beginning or end. It is removed."],
  "excel-error": ["contains", "contain", "a spreadsheet error."],
  guarded: [
    "has",
    "have",
    "an apostrophe before =, +, - or @: a guard against formulas, added by the tool or another program. It is sent as it is.",
  ],
  garbled: [
    "contains",
    "contain",
    "letters that were read in the wrong encoding, now or when the file was made. Check `source.encoding`.",
  ],
  "cut-off": ["has", "have", "exactly as many characters as Excel allows in a cell: the rest may have been cut off."],
  placeholder: ["says", "say", "xxxxx: most likely a placeholder from a survey link that was shared unchanged."],
  wrapped: [
    "is wrapped in",
    "are wrapped in",
    `="…", which stops spreadsheets from changing the text. Extract the text with \`extract: '^="?(.*?)"?$'\`.`,
  ],
  "no-answer": [
    "is",
    "are",
    "what programs write for no answer. If they mean that here, list them under `source.empty`. Otherwise they are sent.",
  ],
  markup: ["contains", "contain", "HTML such as &amp; or <br>, which is sent as it is."],
  escaped: [
    "is",
    "are",
    "written as databases do, with backslashes or between single quotes, which are sent as they are.",
  ],
  invisible: [
    "contains",
    "contain",
    "invisible characters, such as soft hyphens or control characters, which are sent as they are.",
  ],
}

const month = "(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)"

/** Matches the dates into which Excel converts `6-25` or `1-5` when it opens a CSV file. */
const excelDate = new RegExp(`^(?:${month}-\\d{2}|\\d{1,2}-${month})$`, "i")
const scientific = /^\d(?:[.,]\d+)?E\+?\d{2}$/i
const rounded = /^[1-9]\d{10,14}0{5,}$|^\d{15}0+$/
const errorText = /^#(?:N\/A|REF!|VALUE!|NAME\?|DIV\/0!|NULL!|NUM!|ERROR!)$/
/** Matches UTF-8 that was read as Windows-1252, and umlauts inside words for which CP850 was mistaken for Windows-1252, or the reverse. */
const garbled =
  /[\u0081„³÷▀](?<=(?!m)\p{L}.)\p{Ll}|Ã[\u0080-\u00bf¼¶¤Ÿ©¨±³­]|â€[\u0080-\u00ff™œ“”¦]|Â[\u00a0-\u00bf]|\ufffd|<U\+[0-9A-F]{4}>/u
const markup =
  /&(?:amp|lt|gt|quot|apos|nbsp|[a-z]+(?:uml|acute|grave|circ|cedil|tilde)|szlig|#\d+|#x[\da-f]+);|<(?:br\s*\/?|\/?(?:p|b|i|strong|em|div|span))>/i
const escaped = /\\[nrt"',;]|^'.+'$/s
const invisible = /(?![\t-\r])\p{Cc}|[\u00ad\u200b\u2060\ufeff]/u
/** Matches texts that the last four may match. Most texts are none, and this test is four times faster than all of them. */
const unusual = /[^\t-\r -%(-;=?-[\]-~]/

/** Dates that databases store if there is none. */
const storedForNone = ["0001-01-01", "1753-01-01", "1899-12-30", "1900-01-01", "9999-12-31"]
/** The same dates as texts. The separators are hyphens. */
const noDates: ReadonlySet<string> = new Set(
  storedForNone.flatMap((date) => {
    const [year = "", month = "", day = ""] = date.split("-")
    return [
      date,
      `${day}-${month}-${year}`,
      `${month}-${day}-${year}`,
      `${Number(month)}-${Number(day)}-${year}`,
      `${year}${month}${day}`,
    ]
  }),
)
/** Matches the years of these dates. Few other texts contain them, so few texts are looked up. */
const noYear = new RegExp(storedForNone.map((date) => date.slice(0, 4)).join("|"))

/** Whether a text is a date that databases store if there is none. It may have a time of 0:00. */
export const isNoDate = (text: string): boolean =>
  text.length <= 24 && noYear.test(text)
  && noDates.has(text.replace(/[ T]0?0:00(?::00(?:\.0+)?)?Z?$/, "").replaceAll(/[./]/g, "-"))

const longestOfExcel = 32_767

/** Returns the sentence about a trap that was found in this many cells. */
const cellTrapText = (code: CellTrap, cells: number): string => {
  const [one, many, what] = cellTraps[code]
  return `${counted(cells, `cell ${one}`, `cells ${many}`)} ${what}`
}

export const trap = (code: Trap["code"], message: string, count = 0, examples: Trap["examples"] = []): Trap => ({
  code,
  count,
  message,
  examples,
})

export const examplesKept = 3

/** The number of trap-free texts that are cached for each column. In a column whose texts hardly repeat, looking them up takes longer than checking them. */
const cached = 1_000

/** Matches titles of columns whose numbers may start with zeros. */
const numberedTitle =
  /\b(?:zip|postal|post ?code|plz|postleitzahl|code postal|cap|cep|phone|telephone|tel|mobile|mobil|handy|telefon|fax|ssn|iban|barcode|ean)\b/i

/** Finds traps in the cells of a column, as they are in the file. */
export class CellTraps {
  private readonly found = new Map<CellTrap, { count: number; readonly examples: Array<string> }>()
  private readonly numbered: boolean
  private noted = 0
  private digits = 0
  private zeroFirst = 0
  private readonly lengths = new Map<number, number>()
  /** Texts without a trap. Undefined if they hardly repeat. */
  private harmless: Set<string> | undefined = new Set()
  private repeated = 0

  /** @param title the column's title, which shows whether its numbers may start with zeros */
  constructor(title: string) {
    this.numbered = numberedTitle.test(title.replaceAll("_", " "))
  }

  /**
   * @param cell the cell as it is in the file
   * @param meant the cell without a guard character that the form tool adds, because such a guard is not a trap
   */
  add(cell: Cell, meant: Cell): void {
    if (cell instanceof ErrorCell) this.note("excel-error", cell.code)
    else if (typeof cell === "string") {
      if (this.harmless?.has(cell) === true) {
        this.repeated++
        return
      }
      const before = this.noted
      this.addText(cell, cell === meant)
      if (this.noted !== before || this.harmless === undefined || this.harmless.size >= cached) return
      this.harmless.add(cell)
      if (this.harmless.size === cached && this.repeated < cached) this.harmless = undefined
    }
  }

  private addText(cell: string, asItStands: boolean): void {
    const text = cell.trim()
    if (text.length !== cell.length) this.note("spaces", cell)
    const first = text.charCodeAt(0)
    if (first === 39 && /^'[=+@-]/.test(text)) {
      if (asItStands) this.note("guarded", text)
    } else if (first === 61 && /^="[^"]*"$/.test(text)) this.note("wrapped", text)
    else if (first === 35 && errorText.test(text)) this.note("excel-error", text)
    else if (text.length <= 24 && /\d/.test(text)) this.look(text)
    else if (text === "xxxxx") this.note("placeholder", text)
    if (text.length >= longestOfExcel && cell.length === longestOfExcel) this.note("cut-off", text)
    if (isNoAnswer(text) || isNoDate(text)) this.note("no-answer", text)
    if (!unusual.test(text)) return
    if (garbled.test(text)) this.note("garbled", text)
    if (markup.test(text)) this.note("markup", text)
    if (escaped.test(text)) this.note("escaped", text)
    if (invisible.test(text)) this.note("invisible", text)
  }

  traps(): ReadonlyArray<Trap> {
    const list = [...this.found].map(([code, { count, examples }]) =>
      trap(code, cellTrapText(code, count), count, examples)
    )
    const zeros = this.lostZeros()
    return [...list, ...(zeros === undefined ? [] : [zeros])]
  }

  private look(text: string): void {
    if (excelDate.test(text)) this.note("excel-date", text)
    else if (scientific.test(text)) this.note("scientific", text)
    else if (/^\d+$/.test(text)) {
      if (rounded.test(text)) this.note("rounded-digits", text)
      if (!this.numbered) return
      this.noted++
      this.digits++
      if (text.startsWith("0") && text.length > 1) this.zeroFirst++
      this.lengths.set(text.length, (this.lengths.get(text.length) ?? 0) + 1)
    }
  }

  private note(code: CellTrap, text: string): void {
    this.noted++
    const known = this.found.get(code) ?? { count: 0, examples: [] }
    known.count++
    const example = cut(text, 40)
    if (known.examples.length < examplesKept && !known.examples.includes(example)) known.examples.push(example)
    this.found.set(code, known)
  }

  /** Finds numbers that may have lost leading zeros: most have the same length, some are shorter, none starts with 0, and the title names such numbers. */
  private lostZeros(): Trap | undefined {
    if (this.digits < 3 || this.zeroFirst > 0) return undefined
    const [usual = 0, times = 0] = [...this.lengths].toSorted((a, b) => b[1] - a[1])[0] ?? []
    const shorter = [...this.lengths].reduce((sum, [length, count]) => (length < usual ? sum + count : sum), 0)
    if (usual < 4 || times < this.digits / 2 || shorter === 0) return undefined
    const message = `${count(shorter)} of its numbers ${
      shorter === 1 ? "is" : "are"
    } shorter than the usual ${usual} digits, and none begins with 0. Leading zeros may be lost.`
    return trap("lost-zeros", message, shorter)
  }
}
