import { Effect } from "effect"
import type { CellObject, ParsingOptions, WorkBook } from "xlsx"
import { SourceError } from "./Source.ts"
import { BadArchive, unpackArchive } from "./zip.ts"

/** One sheet of a workbook, and what is to be known of the others. */
export interface Sheet {
  readonly name: string
  readonly names: ReadonlyArray<string>
  readonly hidden: ReadonlyArray<string>
  readonly date1904: boolean
  /** By row and column, both from 0; with holes. */
  readonly cells: ReadonlyArray<ReadonlyArray<CellObject | undefined> | undefined>
}

const isZip = (bytes: Buffer) => bytes.readUInt16BE(0) === 0x504b

/** How a formula without a stored value looks in a sheet's XML. */
const withoutValue = ["</f></c>", "</f><v></v>", "</f><v/>", "</f><v />"]

/** The workbook ready for the reader, and whether its sheets may have formulas without stored values. */
const prepare = async (bytes: Buffer): Promise<{ readonly content: Buffer; readonly suspected: boolean }> => {
  if (!isZip(bytes)) return { content: bytes, suspected: false }
  let suspected = false
  const content = await unpackArchive(bytes, (name, entry) => {
    suspected ||= name.startsWith("xl/worksheets/") && withoutValue.some((pattern) => entry.includes(pattern))
  })
  return { content, suspected }
}

const options: ParsingOptions = {
  type: "buffer",
  dense: true,
  cellNF: true,
  cellText: false,
  cellHTML: false,
  cellFormula: false,
}

const reason = (error: unknown) => error instanceof Error ? error.message : String(error)

/** Reads one sheet of a workbook: the asked one (name, or number from 1), else the first that is visible. */
export const readSheet = (
  file: string,
  bytes: Buffer,
  asked: string | number | undefined,
): Effect.Effect<Sheet, SourceError> =>
  Effect.gen(function*() {
    const refuse = (message: string, cause?: unknown) =>
      new SourceError({ file, message: `${file} ${message}`, ...(cause === undefined ? {} : { cause }) })
    const { content, suspected } = yield* Effect.tryPromise({
      try: () => prepare(bytes),
      catch: (error) =>
        refuse(`can't be opened. ${error instanceof BadArchive ? error.message : reason(error)}`, error),
    })
    // Heavy, and not needed for text files: loaded when the first workbook comes.
    const xlsx = yield* Effect.promise(() => import("xlsx"))
    const read = (more: ParsingOptions): Effect.Effect<WorkBook, SourceError> =>
      Effect.try({
        try: () => xlsx.read(content, { ...options, ...more }),
        catch: (error) =>
          reason(error).includes("password")
            ? refuse("is protected by a password. Save it without one.", error)
            : refuse(
              "is no workbook that can be read: it is damaged, or of a kind that is not known. Open it in a spreadsheet program and save it again, or save its sheet as CSV.",
              error,
            ),
      })

    let book = yield* read({ sheets: typeof asked === "number" ? asked - 1 : asked ?? 0 })
    const names = book.SheetNames
    const isHidden = (index: number) => (book.Workbook?.Sheets?.[index]?.Hidden ?? 0) !== 0
    const hidden = names.filter((_, index) => isHidden(index))
    const at = asked === undefined
      ? names.findIndex((_, index) => !isHidden(index))
      : typeof asked === "number"
      ? asked - 1
      : sheetNamed(names, asked)
    const name = names[at]
    if (name === undefined) {
      const all = names.map((each) => `"${each}"`).join(", ")
      return yield* asked === undefined
        ? refuse(`has no visible sheet. Name the one to read: \`source.sheet\`; there are ${all}.`)
        : refuse(`has no sheet ${JSON.stringify(asked)}. Correct \`source.sheet\`; there are ${all}.`)
    }
    if (book.Sheets[name] === undefined) book = yield* read({ sheets: at })
    const cells = cellsOf(book, name)
    if (cells === undefined) {
      return yield* refuse(`has no rows in "${name}", which is no sheet of cells. Name another one: \`source.sheet\`.`)
    }
    if (suspected) {
      nameUncalculated(cells, cellsOf(yield* read({ sheets: at, cellFormula: true, sheetStubs: true }), name) ?? [])
    }
    return {
      name,
      names,
      hidden,
      date1904: book.Workbook?.WBProps?.date1904 === true,
      cells,
    }
  })

/**
 * Formulas of which no value is stored: read without formulas they are not there at all. They would pass for empty cells, so they
 * become error cells.
 */
const nameUncalculated = (cells: Array<Array<CellObject | undefined> | undefined>, formulas: Sheet["cells"]) =>
  formulas.forEach((row, rowAt) =>
    row?.forEach((cell, column) => {
      if (cell?.f === undefined || cells[rowAt]?.[column] !== undefined) return
      const target = cells[rowAt] ??= []
      target[column] = { t: "e", v: "formula without a stored value" }
    })
  )

/** Excel does not tell sheet names by case. */
const sheetNamed = (names: ReadonlyArray<string>, asked: string) => {
  const exactly = names.indexOf(asked)
  return exactly !== -1 ? exactly : names.findIndex((name) => name.toLowerCase() === asked.toLowerCase())
}

const cellsOf = (book: WorkBook, name: string): Array<Array<CellObject | undefined> | undefined> | undefined => {
  const sheet = book.Sheets[name]
  return sheet === undefined || (sheet["!type"] ?? "sheet") !== "sheet" ? undefined : sheet["!data"] ?? []
}
