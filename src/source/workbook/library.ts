import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import type { CellObject, CFB, ParsingOptions, WorkSheet } from "xlsx"
import type { Cell } from "../../domain/cell.ts"
import { count } from "../../domain/words.ts"
import { limits } from "../limits.ts"
import { refusing, type SourceChanged, type SourceError } from "../Source.ts"
import { BadArchive, damagedNote, proveArchive } from "../zip.ts"
import { commonFormat, toCell, uncalculated } from "./cells.ts"
import { chooseSheet, hasPassword, type OpenSheet, SheetNotes, type SheetRow, withoutRows } from "./Sheet.ts"
import { checkXls, UnknownText, type XlsCheck } from "./xls.ts"
import { BadRecords } from "./xlsSheet.ts"

/** Why a file that is not a workbook is refused, as the end of a sentence. */
export const unknownKind =
  "can't be read: it is damaged, or is not a known kind of workbook. Open it in a spreadsheet program and save it again, or save its sheet as CSV."

const sheetsOfXlsb = /^xl\/worksheets\/[^/]+\.bin$/i
const stylesOfXlsb = "xl/styles.bin"

/**
 * Verifies that a zip archive matches its directory, and that its sheets are complete. Returns the styles of an .xlsb workbook with common number
 * formats, if it has formats that xlsx does not know.
 */
const prove = async (bytes: Buffer): Promise<Buffer | undefined> => {
  let styles: Buffer | undefined
  await proveArchive(bytes, (name, entry) => {
    if (sheetsOfXlsb.test(name) && !isWhole(entry)) {
      throw new BadArchive(`Its part ${name} is cut short or malformed. Fetch or export it again.`)
    }
    if (name.toLowerCase() === stylesOfXlsb) styles = withCommonFormats(entry)
  })
  return styles
}

const options: ParsingOptions = {
  type: "buffer",
  dense: true,
  cellNF: true,
  cellText: false,
  cellHTML: false,
  cellFormula: false,
  cellStyles: true,
}

/** Runs a function, and suppresses what xlsx writes to the console. What matters there is detected and reported elsewhere. */
const silently = <A>(read: () => A): A => {
  const { console: screen } = globalThis
  const { error } = screen
  screen.error = () => undefined
  try {
    return read()
  } finally {
    screen.error = error
  }
}

type Grid = Array<Array<CellObject | undefined> | undefined>

/**
 * Reads one sheet of an .xls or .xlsb workbook with xlsx, which keeps the whole workbook in memory. No library reads these formats in pieces.
 *
 * @param asked the pipeline's `sheet`
 * @param proven fails if the file has changed
 */
export const openWithLibrary = (
  file: string,
  bytes: Buffer,
  isZip: boolean,
  asked: string | number | undefined,
  proven: Effect.Effect<void, SourceError | SourceChanged>,
): Effect.Effect<OpenSheet, SourceError> =>
  Effect.gen(function*() {
    const refuse = refusing(file)
    const styles = isZip
      ? yield* Effect.tryPromise({
        try: () => prove(bytes),
        catch: (error) =>
          refuse(
            `can't be opened. ${error instanceof BadArchive ? error.message : damagedNote}`,
            error,
          ),
      })
      : undefined
    // Loaded here, because xlsx is slow to load and needed only for these formats.
    const xlsx = yield* Effect.promise(() => import("xlsx"))
    const unsound = (error: unknown, name: string) =>
      refuse(
        error instanceof BadRecords
          ? `is damaged${name}: it contains ${error.message}. Fetch or export it again; or open it in a spreadsheet program, check its rows, and save it again.`
          : error instanceof UnknownText
          ? `has texts ${error.message}, so they would be garbled. Open it in a spreadsheet program, check its texts, and save it as .xlsx.`
          : "can't be read: it is damaged. Fetch or export it again.",
        error,
      )
    const check = isZip ? undefined : yield* Effect.try({
      try: (): XlsCheck | undefined => checkXls(bytes, xlsx.CFB),
      catch: (error) => unsound(error, ""),
    })
    const content = check?.content ?? (styles === undefined ? bytes : withStyles(bytes, styles, xlsx.CFB))
    const read = (sheets: string | number) =>
      Effect.try({
        try: () => silently(() => xlsx.read(content, { ...options, sheets })),
        catch: (error) =>
          error instanceof Error && error.message.includes("password")
            ? refuse(hasPassword, error)
            : refuse(unknownKind, error),
      })

    let book = yield* read(typeof asked === "number" ? asked - 1 : asked ?? 0)
    const decode = check?.decode ?? ((text) => text)
    const names = yield* Effect.try({ try: () => book.SheetNames.map(decode), catch: (error) => unsound(error, "") })
    const isHidden = (index: number) => (book.Workbook?.Sheets?.[index]?.Hidden ?? 0) !== 0
    const chosen = yield* chooseSheet(file, names, isHidden, asked)
    const { at, name } = chosen
    const storedName = book.SheetNames[at]!
    if (book.Sheets[storedName] === undefined) book = yield* read(at)
    const sheet = book.Sheets[storedName]
    const cells = gridOf(sheet)
    if (sheet === undefined || cells === undefined) return yield* withoutRows(file, name)
    if (cells.length > limits.sheetRows) {
      return yield* refuse(
        `can't be read: its sheet "${name}" has row ${count(cells.length)}, and rows are numbered from 1 to ${
          count(limits.sheetRows)
        }. Open it in a spreadsheet program and save it again.`,
      )
    }
    const checked = check && (yield* Effect.try({
      try: () => check.sheet(at, (row, column) => cells[row]?.[column] !== undefined),
      catch: (error) => unsound(error, ` in sheet "${name}"`),
    }))
    const date1904 = book.Workbook?.WBProps?.date1904 === true
    const cellOf = (cell: CellObject | undefined, row: number, column: number): Cell => {
      if (checked?.isUncalculated(row, column) === true) return uncalculated
      const typed = toCell(cell, date1904)
      return typeof typed === "string" && cell?.t === "s" ? decode(typed) : typed
    }
    const notes = new SheetNotes(cells.length)
    const rows = yield* Effect.try({ try: () => rowsOf(cells, cellOf), catch: (error) => unsound(error, "") })
    notes.hiddenRows = sheet["!rows"]?.filter((row) => row?.hidden === true).length ?? 0
    for (const [at, column] of (sheet["!cols"] ?? []).entries()) {
      if (column?.hidden === true) notes.hiddenColumns.push([at, at])
    }
    for (const { e, s } of sheet["!merges"] ?? []) {
      notes.addMerge({ from: { row: s.r, column: s.c }, to: { row: e.r, column: e.c } })
    }
    return {
      ...chosen,
      date1904,
      doubt: checked?.doubt,
      first: rows,
      merges: Effect.succeed(notes.merges),
      rows: Stream.unwrap(Effect.as(proven, Stream.suspend(() => Stream.fromIterable(pieces(rows))))),
      notes: () => notes,
    }
  })

const pieceRows = 2048

function* pieces(rows: ReadonlyArray<SheetRow>): Generator<ReadonlyArray<SheetRow>> {
  for (let from = 0; from < rows.length; from += pieceRows) yield rows.slice(from, from + pieceRows)
}

/** Returns the rows, each cell with its type. */
const rowsOf = (
  cells: Grid,
  cellOf: (cell: CellObject | undefined, row: number, column: number) => Cell,
): ReadonlyArray<SheetRow> => {
  const rows: Array<SheetRow> = []
  cells.forEach((found, row) => {
    if (found === undefined) return
    rows.push({ row, cells: Array.from(found, (cell, column) => cellOf(cell, row, column)) })
  })
  return rows
}

const gridOf = (sheet: WorkSheet | undefined): Grid | undefined =>
  sheet === undefined || (sheet["!type"] ?? "sheet") !== "sheet" ? undefined : sheet["!data"] ?? []

/** Kinds of records in an .xlsb workbook: the end of a sheet or of its index, a number format, and a cell's format (MS-XLSB, section 2.3). */
const kind = { sheetEnd: 130, indexEnd: 277, numberFormat: 44, format: 47 } as const

interface XlsbRecord {
  readonly kind: number
  readonly from: number
  readonly to: number
}

/**
 * Returns the records of a part of an .xlsb workbook. The last one has the kind -1 if it is cut short. A record's kind takes one or two bytes, and its
 * length one to four, with seven bits in each (MS-XLSB, section 2.1.4).
 */
function* recordsOf(bytes: Buffer): Generator<XlsbRecord> {
  let at = 0
  const number = (most: number): number => {
    let value = 0
    for (let index = 0; index < most; index++) {
      const byte = bytes[at++]
      if (byte === undefined) return -1
      value += (byte & 0x7f) * 128 ** index
      if (byte < 0x80) break
    }
    return value
  }
  while (at < bytes.length) {
    // The high bit remains in the first byte of a kind, where it distinguishes kinds.
    const type = number(2)
    const length = number(4)
    const from = at
    at += length
    const isWhole = type !== -1 && length !== -1 && at <= bytes.length
    yield { kind: isWhole ? type : -1, from, to: at }
    if (!isWhole) return
  }
}

/** Whether the records of a sheet in an .xlsb workbook, or of the index that Excel adds to it, end with the record for its end, and nothing follows it. */
const isWhole = (bytes: Buffer): boolean => {
  let last = -1
  for (const record of recordsOf(bytes)) last = record.kind
  return last === kind.sheetEnd || last === kind.indexEnd
}

/** Returns the styles of an .xlsb workbook with common number formats. Undefined if it has no others. */
const withCommonFormats = (styles: Buffer): Buffer | undefined => {
  const own = new Set<number>()
  const changed = Buffer.from(styles)
  for (const { from, kind: type, to } of recordsOf(styles)) {
    if (type === kind.numberFormat && to - from >= 2) own.add(styles.readUInt16LE(from))
    else if (type === kind.format && to - from >= 4) {
      const id = styles.readUInt16LE(from + 2)
      if (!own.has(id)) changed.writeUInt16LE(commonFormat(id), from + 2)
    }
  }
  return changed.equals(styles) ? undefined : changed
}

/** Returns an .xlsb workbook with different styles. */
const withStyles = (bytes: Buffer, styles: Buffer, files: typeof CFB): Buffer => {
  const archive = files.read(bytes, { type: "buffer" })
  files.find(archive, `/${stylesOfXlsb}`).content = styles
  return files.write(archive, { type: "buffer", fileType: "zip" }) as Buffer
}
