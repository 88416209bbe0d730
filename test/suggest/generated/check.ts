// Checks the expected mapping of a pair: other libraries read the file, and its columns are compared with the drawn
// answers.
import Papa from "papaparse"
import XLSX from "xlsx"
import type { Pair } from "./drawPair.ts"
import type { Answer, Field } from "./fields.ts"
import type { Part } from "./sheet.ts"

/** Returns all records of a file as texts. */
const recordsOf = ({ file, sheet }: Pair): ReadonlyArray<ReadonlyArray<string>> => {
  const { dialect } = sheet
  if ("sheet" in dialect) {
    const found = XLSX.read(file.bytes).Sheets[dialect.sheet]
    if (found === undefined) throw new Error("the workbook has no such sheet")
    return XLSX.utils.sheet_to_json<ReadonlyArray<string>>(found, { header: 1, raw: false, defval: "" })
  }
  const text = new TextDecoder("utf-8", { fatal: true }).decode(file.bytes)
  const { data, errors } = Papa.parse<ReadonlyArray<string>>(text, { delimiter: dialect.delimiter })
  if (errors.length > 0) throw new Error(errors[0]?.message)
  return dialect.finalNewline ? data.slice(0, -1) : data
}

const numbersIn = (text: string): ReadonlyArray<number> => (text.match(/\d+/g) ?? []).map(Number)

/** Whether a cell has the meaning of an answer's text. */
const saysText = ({ kind }: Field, text: string, cell: string): boolean => {
  const numbers = numbersIn(cell)
  switch (kind) {
    case "date": {
      const [year = 0, month = 0, day = 0] = numbersIn(text)
      // A workbook may show only two digits of the year.
      return [year, month, day].every((part) => numbers.includes(part) || numbers.includes(part % 100))
    }
    case "time": {
      const [hours = 0, minutes = 0] = numbersIn(text)
      const shown = (numbers[0] ?? 0) % 12 + (/PM/.test(cell) || (numbers[0] ?? 0) >= 12 ? 12 : 0)
      return shown === hours && numbers[1] === minutes
    }
    case "number":
    case "scale":
      return Number(cell.replace(",", ".")) === Number(text)
    default:
      return cell.replace(/^'/, "") === text
  }
}

/** Whether a cell has the meaning of the answer, in a column that contains this part of the field. */
const says = (field: Field, part: Part, answer: Answer | undefined, cell: string, pair: Pair): boolean => {
  const { speech } = pair.sheet
  if (answer === undefined) return cell === "" || (part._tag === "Option" && /^(?:0|No|Unchecked)$/.test(cell))
  switch (answer._tag) {
    case "Text":
      return saysText(field, answer.text, cell)
    case "Boolean":
      return cell === (answer.yes ? speech.yes : speech.no)
    case "Rows":
      return part._tag === "Row" && cell === speech.option(field, answer.rows[part.row] ?? -1)
    case "Options": {
      const { options, other } = answer
      if (part._tag === "Other") return cell === (other ?? "")
      if (part._tag === "Option") {
        return options.includes(part.option)
          ? /^(?:1|Y|Yes|t|true|Checked)$/.test(cell) || cell === part.name || cell === speech.yes
          : /^(?:0|No|f|false|Unchecked)?$/.test(cell) || cell === speech.no
      }
      // Without the chosen options, only separators are left.
      const texts = options.map((option) =>
        option === field.other && speech.otherInCell ? other ?? "" : speech.option(field, option)
      )
      let rest = cell
      for (const text of texts.toSorted((a, b) => b.length - a.length)) {
        if (!rest.includes(text)) return false
        rest = rest.replace(text, "")
      }
      return /^[\s,;|]*$/.test(rest)
    }
  }
}

/**
 * Whether a column's part belongs to the part that a question asks for: the whole field, one of its rows, or the text
 * of the Other option.
 */
const isPartOf = (part: Part, asked: Part): boolean =>
  asked._tag === "Whole"
    ? true
    : part._tag === asked._tag && (part._tag !== "Row" || asked._tag !== "Row" || part.row === asked.row)

/** Returns errors in the expected mapping. There are none if each column that it names contains the drawn answers. */
export const wrongTruths = (pair: Pair): ReadonlyArray<string> => {
  const { asked, fields, responses, sheet } = pair
  const records = recordsOf(pair)
  const rows = records.slice(sheet.headerRows)
  const wrong: Array<string> = []
  if (rows.length !== responses) wrong.push(`${rows.length} records for ${responses} responses`)
  for (const { of, origins, question } of asked) {
    if (of === undefined) continue
    const needed = origins.flatMap(({ needs }) => [...needs].map((position) => sheet.columns[position]?.of?.part._tag))
    if (needed.length === 0 || (of.part._tag === "Whole" && needed.includes("Other"))) {
      wrong.push(`${question.id} has no column`)
    }
    for (const position of origins.flatMap(({ allows, needs }) => [...needs, ...allows])) {
      const column = sheet.columns[position]
      const title = records.slice(0, sheet.headerRows).map((record) => record[position] ?? "")
      if (
        column?.of === undefined || column.of.field !== of.field
        || title.some((text, at) => text !== (column.heads[at] ?? ""))
      ) {
        wrong.push(`${question.id} is not answered in column ${position + 1}`)
        continue
      }
      const { part } = column.of
      if (!isPartOf(part, of.part)) {
        wrong.push(`${question.id} is answered in a different part than column ${position + 1}`)
      }
      const at = of.field.answers.findIndex((answer, row) =>
        !says(of.field, part, answer, rows[row]?.[position] ?? "", pair)
      )
      if (at >= 0) wrong.push(`${question.id}: response ${at + 1} is not in column ${position + 1}`)
    }
  }
  // The expected mapping names every column of a field that the form asks for.
  const named = new Set(asked.flatMap(({ origins }) => origins.flatMap(({ allows, needs }) => [...needs, ...allows])))
  for (
    const field of fields.filter((field) => asked.some(({ of }) => of?.field === field && of.part._tag === "Whole"))
  ) {
    sheet.columns.forEach(({ of }, position) => {
      if (of?.field === field && of.part._tag !== "Other" && !named.has(position)) {
        wrong.push(`column ${position + 1} belongs to a question that does not name it`)
      }
    })
  }
  return wrong
}
