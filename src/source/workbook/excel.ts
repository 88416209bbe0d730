import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { count, counted, listed, present } from "../../domain/words.ts"
import type { SourceConfig } from "../../project/Pipeline.ts"
import { damaged, inArchive } from "../archive.ts"
import type { Bytes } from "../bytes.ts"
import { toColumns } from "../columns.ts"
import { aboveHeader, emptyTaken, headerPlace } from "../headerRow.ts"
import { limits } from "../limits.ts"
import {
  changedWhileOpening,
  fileRead,
  type Fingerprint,
  readerVersion,
  refusing,
  type Source,
  SourceChanged,
  SourceError,
} from "../Source.ts"
import { zipDirectory } from "../zip.ts"
import { openWithLibrary, unknownKind } from "./library.ts"
import { odsSheet } from "./ods.ts"
import { openRows, type Packed, partName } from "./readRows.ts"
import {
  type CellRange,
  hasPassword,
  type OpenSheet,
  parseRange,
  type SheetNotes,
  type SheetRow,
  wholeSheet,
} from "./Sheet.ts"
import { countOutside, findTable, recordsOf, rowsToFind, type Table, underMerges } from "./table.ts"
import { bookPart, xlsxSheet } from "./xlsx.ts"

/** The part of a workbook that a pipeline reads. */
export type ExcelSettings = Partial<Pick<SourceConfig, "sheet" | "range" | "headerRow">>

const tooLarge = ({ file }: Bytes) =>
  refusing(file)(
    `has more than ${count(limits.workbook)} bytes, which is the limit for workbooks. Save its sheet as CSV.`,
  )

const readWhole = (bytes: Bytes) =>
  Effect.scoped(Effect.gen(function*() {
    const blocks = yield* bytes.blocks()
    // The content of an archive may be larger than the archive.
    let content = Buffer.allocUnsafe(bytes.size)
    let length = 0
    for (let block = yield* blocks.next; block !== undefined; block = yield* blocks.next) {
      if (length + block.length > limits.workbook) return yield* tooLarge(bytes)
      if (length + block.length > content.length) {
        content = Buffer.concat([content.subarray(0, length)], 2 * (length + block.length))
      }
      content.set(block, length)
      length += block.length
    }
    return { content: content.subarray(0, length), fingerprint: blocks.fingerprint() }
  }))

/** Compares all blocks with the fingerprint, and keeps none of them. */
const verify = (bytes: Bytes, fingerprint: Fingerprint): Effect.Effect<void, SourceError | SourceChanged> =>
  Effect.scoped(Effect.gen(function*() {
    const blocks = yield* bytes.blocks(fingerprint)
    while ((yield* blocks.next) !== undefined);
  }))

/** Describes what is hidden in a sheet, or returns "". Hidden cells are read like all others. Columns beyond the table are often hidden, and don't count. */
const hiddenIn = (
  { hiddenColumns, hiddenRows }: SheetNotes,
  { titles }: Table,
  { from: { column } }: CellRange,
): string => {
  const columns = hiddenColumns.map(([first, last]) =>
    Math.max(0, Math.min(last + 1, column + titles.length) - Math.max(first, column))
  ).reduce((sum, hidden) => sum + hidden, 0)
  return listed(present([
    hiddenRows > 0 && counted(hiddenRows, "hidden row"),
    columns > 0 && counted(columns, "hidden column"),
  ]))
}

/** Returns how many merged cells cover several rows below the header. */
const tallMergesIn = ({ merges, tallMerges }: SheetNotes, { headerRow }: Table): number =>
  tallMerges - merges.filter(({ from, to }) => from.row < to.row && from.row < headerRow).length

/** Opens a sheet. An .xlsx or .ods workbook is read row by row, any other workbook as a whole. */
export const openSheet = (
  bytes: Bytes,
  sheet: string | number | undefined,
  wanted: number,
): Effect.Effect<{ readonly opened: OpenSheet; readonly fingerprint: Fingerprint }, SourceError> =>
  Effect.gen(function*() {
    const { file } = bytes
    const { content, fingerprint } = yield* readWhole(bytes).pipe(changedWhileOpening)
    const isZip = content.length >= 2 && content.readUInt16BE(0) === 0x504b
    const entries = isZip ? yield* inArchive(file, () => zipDirectory(content)) : []
    const parts = new Map(entries.map((entry) => [partName(entry.name), entry]))
    // Of two parts with the same name, one would be lost.
    if (parts.size < entries.length) return yield* damaged(file)
    const packed: Packed = { bytes, content, fingerprint, parts }
    const book = yield* bookPart(packed)
    const ods = book === undefined ? parts.get("content.xml") : undefined
    if (parts.has("encrypted-package")) {
      return yield* refusing(file)(hasPassword)
    }
    // xlsx reads many more formats, but their cells are not verified in any way.
    if (isZip && book === undefined && ods === undefined) return yield* refusing(file)(unknownKind)
    const inXml = book?.endsWith(".xml") === true
      ? yield* xlsxSheet(packed, book, sheet)
      : ods && (yield* odsSheet(packed, ods, sheet))
    const opened = inXml === undefined
      ? yield* openWithLibrary(file, content, isZip, sheet, verify(bytes, fingerprint))
      : yield* openRows(packed, inXml, wanted)
    return { opened, fingerprint }
  })

/**
 * Opens a workbook. Each reading first verifies that the file still has the bytes with which it was opened. Fails if the file is too large or not a
 * workbook, or if there is no such sheet or range, or no header.
 */
export const openExcel = (bytes: Bytes, settings: ExcelSettings): Effect.Effect<Source, SourceError> =>
  Effect.gen(function*() {
    const { file } = bytes
    if (bytes.size > limits.workbook) return yield* tooLarge(bytes)
    const asked = settings.range === undefined ? undefined : parseRange(settings.range)
    if (settings.range !== undefined && asked === undefined) {
      const message = `${settings.range} is not a range of cells. Write \`source.range\` like B3:H400.`
      return yield* new SourceError({ file, message })
    }
    const range = asked ?? wholeSheet
    const { fingerprint, opened } = yield* openSheet(bytes, settings.sheet, rowsToFind(settings.headerRow, range))
    // JavaScript closures share the variables that any of them uses. So none of those below may use `opened`, which keeps the file's bytes in memory.
    const { date1904, doubt, hidden, name, names, notes, rows: sheetRows } = opened
    const place = (found: ReturnType<typeof findTable>) =>
      typeof found === "string"
        ? new SourceError({ file, message: `${file}, sheet "${name}": ${found}` })
        : Effect.succeed(found)
    const plain = yield* place(findTable(opened.first, settings.headerRow, range))
    // The merged cells of a large workbook come after all its rows, so they are read only if needed.
    const merges = plain.untitled ? yield* opened.merges : []
    const table = merges.length === 0 ? plain : yield* place(findTable(opened.first, settings.headerRow, range, merges))
    const titles = underMerges(table, merges, range)

    const others = names.length === 1 ? "the only one" : `of ${names.length}`
    const taken = [
      { what: "sheet", value: `${name} (${others}${hidden.includes(name) ? ", hidden" : ""})` },
      ...(settings.range === undefined ? [] : [{ what: "range", value: settings.range }]),
      { what: "header", value: headerPlace(settings.headerRow, `row ${table.headerRow}`, table.above) },
      ...(date1904 ? [{ what: "dates", value: "counted from 1904" }] : []),
    ]
    const visible = names.filter((one) => one !== name && !hidden.includes(one))
    const hiddenNow = hiddenIn(notes(), table, range)
    const mergedNow = tallMergesIn(notes(), table)
    const warnings = [
      ...(doubt === undefined ? [] : [
        `Sheet "${name}" of ${file} may be damaged, so rows or cells may be missing: ${doubt}. Compare it with the data from which it was made.`,
      ]),
      ...(hiddenNow === ""
        ? []
        : [`Sheet "${name}" of ${file} has ${hiddenNow}, which formferry reads like all others.`]),
      ...(mergedNow === 0 ? [] : [
        `Sheet "${name}" of ${file} has ${
          counted(mergedNow, "merged cell")
        } over several rows. Only the first of these rows has the value. `
        + "If it belongs to each of them, unmerge the cells in a spreadsheet program, and fill them in.",
      ]),
      ...aboveHeader(`Sheet "${name}" of ${file}`, "in row", table.headerRow, table.above),
    ]
    let files: Effect.Effect.Success<Source["files"]> = []

    const read = Stream.suspend(() => {
      const records = recordsOf(table, range)
      const outside = asked && countOutside(asked)
      const ended = Effect.sync(() => {
        const { belowEmpty, empty, rows } = records.counts()
        const hiddenParts = hiddenIn(notes(), table, range)
        const merged = tallMergesIn(notes(), table)
        const found = [
          ...emptyTaken("empty rows", empty, belowEmpty),
          ...(hiddenParts === "" ? [] : [{ what: "hidden", value: `${hiddenParts}, read like all others` }]),
          ...(merged === 0
            ? []
            : [{ what: "merged", value: `${counted(merged, "cell")} over several rows, read in the first of them` }]),
        ]
        const unread = [
          ...visible.map((name) => ({ what: "sheet" as const, name })),
          ...(outside?.areas() ?? []).map((area) => ({
            ...area,
            what: "outside" as const,
            name: `${name}!${area.name}`,
          })),
        ]
        files = fileRead(file, "excel", fingerprint, {
          rows,
          taken: found,
          ...(unread.length === 0 ? {} : { unread }),
        })
      })
      const take = (rows: ReadonlyArray<SheetRow>) => {
        outside?.take(rows)
        return records.take(rows)
      }
      return Stream.mapConcat(sheetRows, take).pipe(Stream.concat(Stream.execute(ended)))
    })
    return {
      dialect: { format: "excel", reader: readerVersion },
      columns: toColumns(titles),
      blocks: [],
      taken,
      format: "excel",
      head: {
        records: table.head.rows,
        header: table.headerRow - 1 - table.head.top,
        skipped: table.head.top,
        detectedRow: table.above === 0 ? undefined : table.headerRow,
        sheet: name,
        delimiter: undefined,
      },
      warnings,
      hiddenSheets: hidden.filter((one) => one !== name),
      read: (expected) => {
        const given = expected?.[0]
        const other = given !== undefined && given.sha256 !== fingerprint.sha256
        return other ? Stream.fail(new SourceChanged({ file })) : read
      },
      files: Effect.sync(() => files),
    }
  })
