import { FileSystem } from "@effect/platform"
import { Effect } from "effect"
import type { Form } from "../domain/form.ts"
import { templateOf } from "../mapping/suggest/template.ts"
import { spreadsheetCsv } from "../report/csvFiles.ts"

/** Returns a workbook with the header, and a second sheet with the choices of each question that has some. */
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
 * Writes an empty file with a column for each question of a form, to be filled with rows. Fails if the file exists.
 *
 * @param file absolute; a workbook if its name ends in .xlsx, otherwise CSV
 */
export const writeTemplate = (form: Form, file: string) =>
  Effect.gen(function*() {
    const fs = yield* FileSystem.FileSystem
    const { columns, leftOut, rowKey } = templateOf(form)
    // Spreadsheets read UTF-8 only after a byte order mark.
    const content = /\.xlsx$/i.test(file)
      ? yield* workbook(form)
      : new TextEncoder().encode(`\uFEFF${spreadsheetCsv([[rowKey, ...columns.map(({ title }) => title)]])}`)
    yield* fs.writeFile(file, content, { flag: "wx" })
    return { columns: columns.map(({ title }) => title), leftOut: leftOut.map(({ name }) => name), rowKey }
  })
