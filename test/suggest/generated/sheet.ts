// The columns of an export, and the file that contains them.
import XLSX from "xlsx"
import type { Draws } from "../../faults/Draws.ts"
import type { Answer, Field } from "./fields.ts"
import type { Language } from "./topics.ts"

/**
 * The part of a field that a column contains: the whole answer, one option, one row of a grid, or the text of the Other
 * option. `name` is the option's name in the header.
 */
export type Part =
  | { readonly _tag: "Whole" }
  | { readonly _tag: "Option"; readonly option: number; readonly name: string }
  | { readonly _tag: "Row"; readonly row: number }
  | { readonly _tag: "Other" }

export interface SheetColumn {
  /** A text for each header row. */
  readonly heads: ReadonlyArray<string>
  readonly cells: ReadonlyArray<string>
  /** The field and its part, or undefined for one of the tool's own columns. */
  readonly of: { readonly field: Field; readonly part: Part } | undefined
}

/** How a file is written. */
export interface Dialect {
  readonly file: string
  readonly delimiter: string
  readonly newline: string
  readonly mark: boolean
  readonly quoteAll: boolean
  readonly finalNewline: boolean
}

export interface Sheet {
  readonly columns: ReadonlyArray<SheetColumn>
  readonly headerRows: number
  readonly speech: Speech
  readonly dialect: Dialect | { readonly file: string; readonly sheet: string }
}

/** How a tool writes cells. */
export interface Speech {
  readonly option: (field: Field, option: number) => string
  /** The text between several choices in one cell, and after the last. */
  readonly join: { readonly between: string; readonly after: string }
  readonly yes: string
  readonly no: string
  readonly date: (year: string, month: string, day: string) => string
  readonly time: (hours: number, minutes: string) => string
  readonly number: (text: string) => string
  readonly phone: (text: string) => string
  /** Whether the entered text replaces the Other option in the cell. */
  readonly otherInCell: boolean
}

const yesNo: Readonly<Record<Language, readonly [yes: string, no: string]>> = {
  en: ["Yes", "No"],
  de: ["Ja", "Nein"],
  fr: ["Oui", "Non"],
  es: ["Sí", "No"],
  pt: ["Sim", "Não"],
}

/** Words for yes and no in a language. */
export const wordsFor = (language: Language) => yesNo[language]

/** Returns a date as it is usually written in a language. */
export const localDate = (language: Language): Speech["date"] => (year, month, day) =>
  language === "en"
    ? `${Number(month)}/${Number(day)}/${year}`
    : language === "de"
    ? `${day}.${month}.${year}`
    : `${day}/${month}/${year}`

/** Writes cells as most tools do: labels and ISO dates. */
export const plainSpeech = (language: Language): Speech => ({
  option: (field, option) => field.options[option]?.label ?? "",
  join: { between: ", ", after: "" },
  yes: yesNo[language][0],
  no: yesNo[language][1],
  date: (year, month, day) => `${year}-${month}-${day}`,
  time: (hours, minutes) => `${String(hours).padStart(2, "0")}:${minutes}`,
  number: (text) => text,
  phone: (text) => text,
  otherInCell: false,
})

const textCell = ({ kind }: Field, text: string, speech: Speech): string => {
  if (kind === "date") {
    const [year = "", month = "", day = ""] = text.split("-")
    return speech.date(year, month, day)
  }
  if (kind === "time") {
    const [hours = "", minutes = ""] = text.split(":")
    return speech.time(Number(hours), minutes)
  }
  return kind === "number" ? speech.number(text) : kind === "phone" ? speech.phone(text) : text
}

const cellOf = (field: Field, answer: Answer, speech: Speech): string => {
  switch (answer._tag) {
    case "Text":
      return textCell(field, answer.text, speech)
    case "Boolean":
      return answer.yes ? speech.yes : speech.no
    case "Options": {
      const texts = answer.options.map((option) =>
        option === field.other && speech.otherInCell ? answer.other ?? "" : speech.option(field, option)
      )
      return field.kind === "choices" ? `${texts.join(speech.join.between)}${speech.join.after}` : texts[0] ?? ""
    }
    case "Rows":
      return ""
  }
}

const column = (
  field: Field,
  part: Part,
  heads: ReadonlyArray<string>,
  cell: (answer: Answer) => string,
  unanswered = "",
): SheetColumn => ({
  heads,
  cells: field.answers.map((answer) => answer === undefined ? unanswered : cell(answer)),
  of: { field, part },
})

/** Makes the column with whole answers. */
export const whole = (field: Field, heads: ReadonlyArray<string>, speech: Speech): SheetColumn =>
  column(field, { _tag: "Whole" }, heads, (answer) => cellOf(field, answer, speech))

/** Makes a column for each option, with the option's name in the header. */
export const ticks = (
  field: Field,
  options: {
    readonly name: (option: number) => string
    readonly heads: (name: string, option: number) => ReadonlyArray<string>
    readonly ticked: string | ((name: string) => string)
    readonly unticked?: string
    readonly unanswered?: string
    readonly withOther?: boolean
  },
): ReadonlyArray<SheetColumn> =>
  field.options.flatMap((_, option) => {
    if (option === field.other && options.withOther === false) return []
    const name = options.name(option)
    const ticked = typeof options.ticked === "string" ? options.ticked : options.ticked(name)
    const cell = (answer: Answer) =>
      answer._tag === "Options" && answer.options.includes(option) ? ticked : options.unticked ?? ""
    return [column(field, { _tag: "Option", option, name }, options.heads(name, option), cell, options.unanswered)]
  })

/** Makes the column with the texts of the Other option, if the field has this option. */
export const otherText = (field: Field, heads: ReadonlyArray<string>): ReadonlyArray<SheetColumn> =>
  field.other === undefined
    ? []
    : [column(field, { _tag: "Other" }, heads, (answer) => answer._tag === "Options" ? answer.other ?? "" : "")]

/** Makes a column for each row of a grid. */
export const gridRows = (
  field: Field,
  heads: (row: number) => ReadonlyArray<string>,
  speech: Speech,
): ReadonlyArray<SheetColumn> =>
  field.rows.map((_, row) =>
    column(
      field,
      { _tag: "Row", row },
      heads(row),
      (answer) => answer._tag === "Rows" ? speech.option(field, answer.rows[row] ?? 0) : "",
    )
  )

/** Makes one of the tool's own columns. */
export const own = (
  heads: string | ReadonlyArray<string>,
  responses: number,
  cell: (response: number) => string,
): SheetColumn => ({
  heads: typeof heads === "string" ? [heads] : heads,
  cells: Array.from({ length: responses }, (_, response) => cell(response)),
  of: undefined,
})

const token = (draws: Draws, letters: string, length: number): string =>
  Array.from({ length }, () => letters[draws.int(0, letters.length - 1)] ?? "").join("")

export const lower = "abcdefghijklmnopqrstuvwxyz0123456789"
export const hex = "0123456789abcdef"
export const mixed = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"

/** Makes a random id. */
export const idOf = (draws: Draws, letters: string, length: number): string => token(draws, letters, length)

const escaped = (text: string, { delimiter, quoteAll }: Dialect): string =>
  quoteAll || text.includes(delimiter) || /["\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text

/** Returns all records of a sheet, header rows first. */
const recordsOf = ({ columns, headerRows }: Sheet): ReadonlyArray<ReadonlyArray<string>> => {
  const responses = columns[0]?.cells.length ?? 0
  return [
    ...Array.from({ length: headerRows }, (_, row) => columns.map(({ heads }) => heads[row] ?? "")),
    ...Array.from({ length: responses }, (_, row) => columns.map(({ cells }) => cells[row] ?? "")),
  ]
}

/** Makes a cell of a workbook, with dates and numbers stored as numbers. */
const workbookCell = ({ of }: SheetColumn, text: string): XLSX.CellObject | null => {
  if (text === "") return null
  const kind = of?.field.kind
  const [, year, month, day, time] = /^(\d{4})-(\d\d)-(\d\d)(?: ([\d:]+))?$/.exec(text) ?? []
  if (year !== undefined && (kind === undefined || kind === "date")) {
    const at = Date.parse(`${year}-${month}-${day}T${time ?? "00:00:00"}Z`)
    return { t: "n", v: at / 86_400_000 + 25_569, z: time === undefined ? "m/d/yyyy" : "m/d/yyyy h:mm:ss" }
  }
  const isNumber = (kind === "number" || kind === "scale") && /^-?\d+(?:\.\d+)?$/.test(text)
  return isNumber ? { t: "n", v: Number(text) } : { t: "s", v: text }
}

/** Returns the file of a sheet. */
export const fileOf = (sheet: Sheet): { readonly name: string; readonly bytes: Uint8Array } => {
  const { dialect } = sheet
  const records = recordsOf(sheet)
  if ("sheet" in dialect) {
    const rows = records.map((record, at) =>
      record.map((text, position) => {
        const column = sheet.columns[position]
        return at < sheet.headerRows || column === undefined
          ? (text === "" ? null : { t: "s" as const, v: text })
          : workbookCell(column, text)
      })
    )
    const book = XLSX.utils.book_new()
    XLSX.utils.book_append_sheet(book, XLSX.utils.aoa_to_sheet(rows), dialect.sheet)
    return { name: dialect.file, bytes: XLSX.write(book, { type: "buffer", bookType: "xlsx" }) as Uint8Array }
  }
  const lines = records.map((record) => record.map((text) => escaped(text, dialect)).join(dialect.delimiter))
  const text = lines.join(dialect.newline) + (dialect.finalNewline ? dialect.newline : "")
  return { name: dialect.file, bytes: Buffer.from(`${dialect.mark ? "\ufeff" : ""}${text}`, "utf8") }
}
