import * as Effect from "effect/Effect"
import type { Form } from "../domain/form.ts"
import { templateOf } from "../kinds/template.ts"
import { createFile } from "../project/disk.ts"
import { spreadsheetCsv } from "../report/csv.ts"

/** Returns a workbook with the header in its first sheet, and the choices of each question in a second sheet. */
const workbook = (form: Form) =>
  Effect.promise(async () => {
    const { utils, write } = await import("xlsx")
    const { columns, rowKey } = templateOf(form)
    const choices = columns.flatMap(({ question: { options = [] }, title }) =>
      options.length === 0 ? [] : [[title, ...options.map(({ label, value }) => label.trim() === "" ? value : label)]]
    )
    const longest = choices.reduce((most, { length }) => Math.max(most, length), 0)
    const book = utils.book_new()
    utils.book_append_sheet(book, utils.aoa_to_sheet([[rowKey, ...columns.map(({ title }) => title)]]), "Rows")
    if (choices.length > 0) {
      const rows = Array.from({ length: longest }, (_, row) => choices.map((column) => column[row] ?? null))
      utils.book_append_sheet(book, utils.aoa_to_sheet(rows), "Choices")
    }
    return write(book, { type: "buffer", bookType: "xlsx" }) as Uint8Array
  })

/**
 * Writes a file with a column for each question of a form and no rows, for a person to fill in. Fails if the file exists.
 *
 * @param file the absolute path; a workbook if the name ends in .xlsx, otherwise CSV
 */
export const writeTemplate = (form: Form, file: string) =>
  Effect.gen(function*() {
    const { columns, leftOut, rowKey } = templateOf(form)
    // Spreadsheets need a byte order mark to recognise UTF-8.
    const content = /\.xlsx$/i.test(file)
      ? yield* workbook(form)
      : new TextEncoder().encode(`\uFEFF${spreadsheetCsv([[rowKey, ...columns.map(({ title }) => title)]])}`)
    yield* createFile(file, (append) => append(content))
    return { columns: columns.map(({ title }) => title), leftOut: leftOut.map(({ name }) => name), rowKey }
  })
