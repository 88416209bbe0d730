import { Effect } from "effect"
import * as zlib from "node:zlib"
import type { CellObject, ParsingOptions, WorkBook } from "xlsx"
import { SourceError } from "./Source.ts"
import { BadArchive, checkSizes, proveEntry, zipDirectory } from "./zip.ts"

/** One sheet of a workbook, and what is to be known of the others. */
export interface Sheet {
  readonly name: string
  readonly names: ReadonlyArray<string>
  readonly hidden: ReadonlyArray<string>
  readonly date1904: boolean
  /** By row and column, both from 0; with holes. */
  readonly cells: ReadonlyArray<ReadonlyArray<CellObject | undefined> | undefined>
  /** Whether a cell, by row and column from 0, has a formula whose value is not stored. */
  readonly uncalculated: (row: number, column: number) => boolean
}

const isZip = (bytes: Buffer) => bytes.readUInt16BE(0) === 0x504b

/** How a formula without a stored value looks in a sheet's XML. */
const withoutValue = ["</f></c>", "</f><v></v>", "</f><v/>", "</f><v />"]

/**
 * Unpacks every entry once, counting, before a reader does it that trusts the directory. Gives whether a sheet may have formulas without
 * stored values.
 */
const proveArchive = async (bytes: Buffer): Promise<boolean> => {
  const entries = zipDirectory(bytes)
  checkSizes(entries, bytes.length)
  let suspected = false
  for (const entry of entries) {
    const isSheet = entry.name.startsWith("xl/worksheets/")
    let tail = Buffer.alloc(0)
    await proveEntry(bytes, entry, (piece) => {
      if (!isSheet || suspected) return
      const text = Buffer.concat([tail, piece])
      suspected = withoutValue.some((pattern) => text.includes(pattern))
      tail = Buffer.from(text.subarray(-10))
    })
  }
  return suspected
}

const options: ParsingOptions = {
  type: "buffer",
  dense: true,
  cellNF: true,
  cellText: false,
  cellHTML: false,
  cellFormula: false,
}

const stored = (error: unknown) => error instanceof Error ? error.message : String(error)

/** Reads one sheet of a workbook: the asked one (name, or number from 1), else the first that is visible. */
export const readSheet = (
  file: string,
  bytes: Buffer,
  asked: string | number | undefined,
): Effect.Effect<Sheet, SourceError> =>
  Effect.gen(function*() {
    const refuse = (message: string, cause?: unknown) =>
      new SourceError({ file, message: `${file} ${message}`, ...(cause === undefined ? {} : { cause }) })
    const suspected = isZip(bytes) && (yield* Effect.tryPromise({
      try: () => proveArchive(bytes),
      catch: (error) =>
        refuse(`can't be opened. ${error instanceof BadArchive ? error.message : stored(error)}`, error),
    }))
    // Heavy, and not needed for text files: loaded when the first workbook comes.
    const xlsx = yield* Effect.promise(() => import("xlsx"))
    xlsx.CFB.utils.use_zlib(zlib)
    const read = (more: ParsingOptions): Effect.Effect<WorkBook, SourceError> =>
      Effect.try({
        try: () => xlsx.read(bytes, { ...options, ...more }),
        catch: (error) =>
          stored(error).includes("password")
            ? refuse("is protected by a password. Save it without one.", error)
            : refuse(
              `is no workbook that can be read (${
                stored(error)
              }). Open it in a spreadsheet program and save it again, or save its sheet as CSV.`,
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
    const formulas = suspected ? cellsOf(yield* read({ sheets: at, cellFormula: true }), name) : undefined
    return {
      name,
      names,
      hidden,
      date1904: book.Workbook?.WBProps?.date1904 === true,
      cells,
      uncalculated: (row, column) => formulas?.[row]?.[column]?.f !== undefined && cells[row]?.[column] === undefined,
    }
  })

/** Excel does not tell sheet names by case. */
const sheetNamed = (names: ReadonlyArray<string>, asked: string) => {
  const exactly = names.indexOf(asked)
  return exactly !== -1 ? exactly : names.findIndex((name) => name.toLowerCase() === asked.toLowerCase())
}

const cellsOf = (book: WorkBook, name: string): Sheet["cells"] | undefined => {
  const sheet = book.Sheets[name]
  return sheet === undefined || (sheet["!type"] ?? "sheet") !== "sheet" ? undefined : sheet["!data"] ?? []
}
