import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import type { CellObject, ParsingOptions, WorkSheet } from "xlsx"
import { type Cell, ErrorCell } from "../../domain/cell.ts"
import { count } from "../../domain/words.ts"
import { limits } from "../limits.ts"
import { type SourceChanged, SourceError } from "../Source.ts"
import { BadArchive, proveArchive } from "../zip.ts"
import { toCell } from "./cells.ts"
import { chooseSheet, type OpenSheet, type SheetRow } from "./Sheet.ts"
import { checkXls, type XlsCheck } from "./xls.ts"
import { BadRecords } from "./xlsSheet.ts"
import { endsWell, XmlAttributes, xmlScanner } from "./xml.ts"

const sheetsOfXlsb = /^xl\/worksheets\/[^/]+\.bin$/i

/** Facts about OpenDocument files that the library xlsx does not return. */
interface OfOds {
  /** Whether there are error cells, which xlsx reads as text. */
  readonly errors: boolean
  /** Whether rows or columns are hidden. */
  readonly hiddenParts: boolean
  /** Whether each sheet is hidden. */
  readonly hiddenSheets: ReadonlyArray<boolean>
}

/** Verifies that a zip archive matches its directory, and that its sheets are complete. Returns undefined if the archive is not OpenDocument. */
const prove = async (bytes: Buffer): Promise<OfOds | undefined> => {
  let content: Buffer | undefined
  let styles: Buffer | undefined
  await proveArchive(bytes, (name, entry) => {
    const whole = name === "content.xml" ? endsWell(entry) : !sheetsOfXlsb.test(name) || endOfSheet(entry)
    if (!whole) throw new BadArchive(`Its part ${name} is cut short or malformed. Fetch or export it again.`)
    if (name === "content.xml") content = entry
    else if (name === "styles.xml") styles = entry
  })
  return content && {
    errors: content.includes('value-type="error"'),
    hiddenParts: content.includes('table:visibility="collapse"') || content.includes('table:visibility="filter"'),
    hiddenSheets: hiddenOdsSheets(content, styles),
  }
}

const options: ParsingOptions = {
  type: "buffer",
  dense: true,
  cellNF: true,
  cellText: false,
  cellHTML: false,
  cellFormula: false,
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
 * Reads one sheet of an .xls, .xlsb or .ods workbook with xlsx, which keeps the whole workbook in memory. No library reads these formats in pieces.
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
    const refuse = (message: string, cause?: unknown) =>
      new SourceError({ file, message: `${file} ${message}`, ...(cause === undefined ? {} : { cause }) })
    const ods = isZip
      ? yield* Effect.tryPromise({
        try: () => prove(bytes),
        catch: (error) =>
          refuse(
            `can't be opened. ${error instanceof BadArchive ? error.message : "It is damaged or cut short."}`,
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
          : "can't be read: it is damaged. Fetch or export it again.",
        error,
      )
    const check = isZip ? undefined : yield* Effect.try({
      try: (): XlsCheck | undefined => checkXls(bytes, xlsx.CFB),
      catch: (error) => unsound(error, ""),
    })
    const read = (sheets: string | number) =>
      Effect.try({
        try: () =>
          silently(() => xlsx.read(check?.content ?? bytes, { ...options, cellStyles: ods === undefined, sheets })),
        catch: (error) =>
          error instanceof Error && error.message.includes("password")
            ? refuse("is protected by a password. Save it without one.", error)
            : refuse(
              "can't be read: it is damaged, or is not a known kind of workbook. Open it in a spreadsheet program and save it again, or save its sheet as CSV.",
              error,
            ),
      })

    let book = yield* read(typeof asked === "number" ? asked - 1 : asked ?? 0)
    const names = book.SheetNames
    const isHidden = (index: number) => ods?.hiddenSheets[index] ?? (book.Workbook?.Sheets?.[index]?.Hidden ?? 0) !== 0
    const hidden = names.filter((_, index) => isHidden(index))
    const at = chooseSheet(names, isHidden, asked)
    if (typeof at === "string") return yield* refuse(at)
    const name = names[at] ?? ""
    if (book.Sheets[name] === undefined) book = yield* read(at)
    const sheet = book.Sheets[name]
    const cells = gridOf(sheet)
    if (sheet === undefined || cells === undefined) {
      return yield* refuse(
        `has no rows in "${name}", which is not a sheet with cells. Name a different one: \`source.sheet\`.`,
      )
    }
    if (cells.length > limits.sheetRows) {
      return yield* refuse(
        `can't be read: its sheet "${name}" has row ${count(cells.length)}, and rows are numbered from 1 to ${
          count(limits.sheetRows)
        }. Open it in a spreadsheet program and save it again.`,
      )
    }
    const doubt = check && (yield* Effect.try({
      try: () => check.sheet(at, (row, column) => cells[row]?.[column] !== undefined),
      catch: (error) => unsound(error, ` in sheet "${name}"`),
    }))
    const date1904 = book.Workbook?.WBProps?.date1904 === true
    const rows = rowsOf(cells, date1904, ods?.errors === true)
    const notes = {
      hiddenRows: sheet["!rows"]?.filter((row) => row?.hidden === true).length ?? 0,
      hiddenColumns: sheet["!cols"]?.filter((column) => column?.hidden === true).length ?? 0,
      hiddenSomewhere: ods?.hiddenParts === true,
    }
    return {
      name,
      names,
      hidden,
      date1904,
      doubt,
      first: rows,
      merges: Effect.succeed((sheet["!merges"] ?? []).map(({ e, s }) => ({
        from: { row: s.r, column: s.c },
        to: { row: e.r, column: e.c },
      }))),
      rows: Stream.unwrap(Effect.as(proven, Stream.suspend(() => Stream.fromIterable(pieces(rows))))),
      notes: () => notes,
    }
  })

const pieceRows = 2048

function* pieces(rows: ReadonlyArray<SheetRow>): Generator<ReadonlyArray<SheetRow>> {
  for (let from = 0; from < rows.length; from += pieceRows) yield rows.slice(from, from + pieceRows)
}

/** Returns the rows, each cell with its type. */
const rowsOf = (cells: Grid, date1904: boolean, odsErrors: boolean): ReadonlyArray<SheetRow> => {
  const rows: Array<SheetRow> = []
  cells.forEach((found, row) => {
    if (found === undefined) return
    rows.push({ row, cells: Array.from(found, (cell) => odsError(toCell(cell, date1904), odsErrors)) })
  })
  return rows
}

/** LibreOffice's own errors have no names in other programs. */
const odsError = (cell: Cell, possible: boolean): Cell =>
  possible && typeof cell === "string" && /^Err:\d{3}$/.test(cell) ? new ErrorCell(cell) : cell

const gridOf = (sheet: WorkSheet | undefined): Grid | undefined =>
  sheet === undefined || (sheet["!type"] ?? "sheet") !== "sheet" ? undefined : sheet["!data"] ?? []

const attributesOf = (attributes: XmlAttributes, xml: Buffer, from: number, to: number): Map<string, string> => {
  const found = new Map<string, string>()
  attributes.over(xml, from, to)
  while (attributes.next()) found.set(attributes.name, attributes.text)
  return found
}

/**
 * Returns whether each sheet of an OpenDocument workbook is hidden, in the order of the sheets. xlsx does not return
 * this. A sheet is hidden if its style, or the style that it is based on, says `table:display="false"` (OpenDocument
 * 1.3, part 3, section 19.598). Throws `BadSheet`.
 *
 * @param styles the part styles.xml, which may contain the base styles
 */
const hiddenOdsSheets = (content: Buffer, styles: Buffer | undefined): ReadonlyArray<boolean> => {
  const attributes = new XmlAttributes()
  const shown = new Map<string, boolean>()
  const basedOn = new Map<string, string>()
  const sheets: Array<string> = []
  const open: Array<string> = []
  let style = ""
  const scan = (part: Buffer) =>
    xmlScanner({
      open: (name, xml, from, to) => {
        if (name === "style") {
          const found = attributesOf(attributes, xml, from, to)
          style = found.get("style:family") === "table" ? found.get("style:name") ?? "" : ""
          const parent = found.get("style:parent-style-name")
          if (style !== "" && parent !== undefined) basedOn.set(style, parent)
        } else if (name === "table-properties" && style !== "") {
          const display = attributesOf(attributes, xml, from, to).get("table:display")
          if (display !== undefined) shown.set(style, display !== "false")
        } else if (name === "table") open.push(attributesOf(attributes, xml, from, to).get("table:style-name") ?? "")
      },
      // As in xlsx's list, a table inside a cell comes before the table that contains it.
      close: (name) => {
        if (name === "table") sheets.push(open.pop() ?? "")
      },
    }).write(part)
  if (styles !== undefined) scan(styles)
  sheets.length = 0
  scan(content)
  return sheets.map((named) => {
    const seen = new Set<string>()
    for (let at: string | undefined = named; at !== undefined && !seen.has(at); at = basedOn.get(at)) {
      seen.add(at)
      const said = shown.get(at)
      if (said !== undefined) return !said
    }
    return false
  })
}

/** The kind of the record that ends a sheet (MS-XLSB, section 2.4.443). */
const sheetEnd = 130

/**
 * Whether the records of a sheet in an .xlsb workbook end with the record for the sheet's end, and nothing follows it. A record's kind takes one or
 * two bytes, and its length one to four, with seven bits in each (MS-XLSB, section 2.1.4).
 */
const endOfSheet = (bytes: Buffer): boolean => {
  let last = -1
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
    last = number(2)
    const length = number(4)
    if (last === -1 || length === -1) return false
    at += length
  }
  return last === sheetEnd && at === bytes.length
}
