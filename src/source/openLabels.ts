import * as FileSystem from "@effect/platform/FileSystem"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import Papa from "papaparse"
import { cellText } from "../domain/cell.ts"
import { brief } from "../domain/problem.ts"
import type { Definition, DefinitionFormat, Labels } from "../formtools/Labels.ts"
import { limeSurveyStructure } from "../formtools/limeSurveyStructure.ts"
import { qualtricsSurvey } from "../formtools/qualtricsSurvey.ts"
import { redcapDictionary } from "../formtools/redcapDictionary.ts"
import { xlsForm } from "../formtools/xlsForm.ts"
import { type Bytes, findBytes } from "./bytes.ts"
import { contentOf } from "./fileContent.ts"
import { limits } from "./limits.ts"
import { changedWhileOpening, SourceError } from "./Source.ts"
import { beginning } from "./text/csv.ts"
import { openSheet } from "./workbook/excel.ts"
import { BadSheet, xmlScanner, xmlText } from "./workbook/xml.ts"

const formats: ReadonlyArray<DefinitionFormat> = [redcapDictionary, xlsForm, qualtricsSurvey, limeSurveyStructure]

const known =
  "It can be a REDCap data dictionary (.csv), an XLSForm (.xlsx or .csv), a Qualtrics survey (.qsf) or a LimeSurvey survey structure (.lss)."

/** What a form tool's own definition of a form says about the columns of its exports. */
export interface OpenedLabels {
  /** What kind of file it is, such as `REDCap data dictionary`. */
  readonly title: string
  readonly labels: Labels
}

/** Reads a form tool's definition. Fails with SourceError if the file can't be read or is not a definition. */
export const openLabels = (file: string): Effect.Effect<OpenedLabels, SourceError, FileSystem.FileSystem> =>
  Effect.gen(function*() {
    const fs = yield* FileSystem.FileSystem
    const wrong = (message: string) => new SourceError({ file, message })
    const bytes = yield* findBytes(fs, file, 64 * 1024)
    if (bytes.size > limits.definition) {
      return yield* wrong(`${file} is too large for the definition of a form. ${known}`)
    }
    const definition = yield* definitionIn(bytes)
    if (typeof definition === "string") return yield* wrong(`${file}: ${definition}`)
    for (const { read, title } of formats) {
      const labels = read(definition)
      if (typeof labels === "string") return yield* wrong(`${file}: ${labels}`)
      if (labels !== undefined) return { title, labels }
    }
    return yield* wrong(`${file} is not a form definition that formferry can read. ${known}`)
  })

/** Parses a file by its content. Returns a sentence if it is damaged. */
const definitionIn = (bytes: Bytes): Effect.Effect<Definition | string, SourceError> =>
  Effect.gen(function*() {
    const content = yield* contentOf(bytes)
    if (content === "workbook" || content === "zip") return yield* workbookIn(bytes)
    const text = (yield* beginning(bytes, undefined, bytes.size)).replace(/^\ufeff/, "")
    if (/^\s*[[{]/.test(text)) return jsonIn(text)
    if (/^\s*</.test(text)) return xmlIn(text)
    return tableIn(text)
  })

const workbookIn = (bytes: Bytes) =>
  Effect.gen(function*() {
    const sheets = new Map<string, ReadonlyArray<ReadonlyArray<string>>>()
    const first = yield* openSheet(bytes, 1, 1)
    for (const name of first.opened.names) {
      const key = name.trim().toLowerCase()
      if (key !== "survey" && key !== "choices" && key !== "settings") {
        sheets.set(key, [])
        continue
      }
      const { opened } = yield* openSheet(bytes, name, 1)
      const rows = yield* Stream.runCollect(opened.rows).pipe(changedWhileOpening)
      sheets.set(key, [...rows].flat().map(({ cells }) => Array.from(cells, (cell) => cellText(cell ?? null))))
    }
    return { _tag: "Sheets", sheets } satisfies Definition
  })

const jsonIn = (text: string): Definition | string => {
  try {
    return { _tag: "Json", value: JSON.parse(text) }
  } catch (error) {
    const at = /position (\d+)/.exec(String(error))?.[1]
    const line = at === undefined ? text.split("\n").length : text.slice(0, Number(at)).split("\n").length
    return `It starts like JSON, but line ${line} can't be read. Export it again.`
  }
}

/** Reads the tables of an XML document: `name` > `rows` > `row` > fields. */
const xmlIn = (text: string): Definition | string => {
  const tables = new Map<string, Array<Map<string, string>>>()
  const open: Array<string> = []
  let row: Map<string, string> | undefined
  const scanner = xmlScanner({
    open: (element) => {
      open.push(element)
      const [name = "", rows] = open.slice(-3)
      if (element !== "row" || rows !== "rows") return
      row = new Map()
      const table = tables.get(name) ?? []
      tables.set(name, table)
      table.push(row)
    },
    text: (xml, from, to, _whole, raw) => {
      const field = open.at(-1) ?? ""
      if (row !== undefined && open.at(-2) === "row") {
        row.set(field, (row.get(field) ?? "") + xmlText(xml, from, to, raw))
      }
    },
    close: () => {
      if (open.pop() === "row") row = undefined
    },
  })
  try {
    scanner.write(Buffer.from(text))
    scanner.end()
  } catch (error) {
    if (!(error instanceof BadSheet)) throw error
    return `It starts like XML, but it has ${error.message}. It has ${
      text.split("\n").length
    } lines; it may be cut off. Export it again.`
  }
  return { _tag: "Xml", tables }
}

const tableIn = (text: string): Definition | string => {
  const { data, errors } = Papa.parse<ReadonlyArray<string>>(text.trimEnd(), {
    delimitersToGuess: [",", ";", "\t"],
    skipEmptyLines: false,
  })
  const quotes = errors.find(({ type }) => type === "Quotes")
  if (quotes !== undefined) {
    return `Its record ${(quotes.row ?? 0) + 1} has quotes that can't be read (${
      brief(quotes.message)
    }). Export it again.`
  }
  return { _tag: "Table", records: data }
}
