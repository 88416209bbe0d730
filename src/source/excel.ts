import { Effect, Option, Stream } from "effect"
import type { Scope } from "effect"
import type { RowChunk } from "../domain/row.ts"
import type { Bytes } from "./bytes.ts"
import { toColumns } from "./columns.ts"
import { parseRange, toTable } from "./excelTable.ts"
import { limits, thousands } from "./limits.ts"
import { SourceChanged, SourceError } from "./Source.ts"
import type { Fingerprint, Source } from "./Source.ts"
import { readSheet } from "./workbook.ts"

/** Which part of a workbook a pipeline reads. */
export interface ExcelSettings {
  /** Name, or number from 1 counting hidden sheets too. */
  readonly sheet: string | number | undefined
  readonly range: string | undefined
  readonly headerRow: number | undefined
}

const chunkRows = 2048

const noFaults: RowChunk["faults"] = new Map()

const readWhole = (bytes: Bytes, expected?: Fingerprint) =>
  Effect.scoped(Effect.gen(function*() {
    const blocks = yield* bytes.blocks(expected)
    const parts: Array<Uint8Array> = []
    for (let block = yield* blocks.next; block !== undefined; block = yield* blocks.next) parts.push(block.slice())
    return { content: Buffer.concat(parts), fingerprint: blocks.fingerprint() }
  }))

/** Reads all blocks against the fingerprint, keeping none. */
const verify = (
  bytes: Bytes,
  fingerprint: Fingerprint,
): Effect.Effect<void, SourceError | SourceChanged, Scope.Scope> =>
  Effect.gen(function*() {
    const blocks = yield* bytes.blocks(fingerprint)
    while ((yield* blocks.next) !== undefined);
  })

/**
 * Opens a workbook. A workbook can't be read in pieces: its sheet's rows are held from here on, and each reading first proves that the file
 * still has the bytes that they were taken from. Errors: too large, no workbook, no such sheet or range, no header.
 */
export const openExcel = (bytes: Bytes, settings: ExcelSettings): Effect.Effect<Source, SourceError> =>
  Effect.gen(function*() {
    const { file } = bytes
    if (bytes.size > limits.workbook) {
      const message = `${file} has ${thousands(bytes.size)} bytes, more than the ${
        thousands(limits.workbook)
      } that are read of a workbook. Save its sheet as CSV.`
      return yield* new SourceError({ file, message })
    }
    const range = settings.range === undefined ? undefined : parseRange(settings.range)
    if (settings.range !== undefined && range === undefined) {
      const message = `${settings.range} is no range of cells. Write \`source.range\` as in B3:H400.`
      return yield* new SourceError({ file, message })
    }
    const { content, fingerprint } = yield* readWhole(bytes).pipe(
      Effect.catchTag("SourceChanged", ({ message }) => new SourceError({ file, message })),
    )
    const sheet = yield* readSheet(file, content, settings.sheet)
    const table = toTable(sheet, settings.headerRow, range)
    if (typeof table === "string") {
      return yield* new SourceError({ file, message: `${file}, sheet "${sheet.name}": ${table}` })
    }

    const others = sheet.names.length === 1 ? "the only one" : `of ${sheet.names.length}`
    const taken = [
      { what: "sheet", value: `${sheet.name} (${others}${sheet.hidden.includes(sheet.name) ? ", hidden" : ""})` },
      ...(settings.range === undefined ? [] : [{ what: "range", value: settings.range }]),
      { what: "header", value: `row ${table.headerRow}` },
      ...(sheet.date1904 ? [{ what: "dates", value: "counted from 1904" }] : []),
      ...(table.empty === 0 ? [] : [{ what: "empty rows", value: `${thousands(table.empty)} left out` }]),
    ]
    const unread = sheet.hidden.filter((name) => name !== sheet.name)
    const warnings = unread.length === 0
      ? []
      : [
        `${file} has hidden sheets that are not read: ${unread.join(", ")}. Name one with \`source.sheet\` to read it.`,
      ]
    const result = {
      file: {
        file,
        format: "excel",
        bytes: fingerprint.bytes,
        sha256: fingerprint.sha256,
        rows: table.rows.length,
        taken,
      },
      fingerprint,
    }
    let files: ReadonlyArray<typeof result> = []

    const chunks = Stream.unfold(0, (from) => {
      const rows = table.rows.slice(from, from + chunkRows)
      const chunk: RowChunk = { firstRow: from + 1, rows, faults: noFaults }
      return rows.length === 0 ? Option.none() : Option.some([chunk, from + chunkRows] as const)
    })
    return {
      columns: toColumns(table.titles),
      blocks: [],
      taken,
      format: "excel",
      head: {
        records: table.head.rows,
        header: table.headerRow - 1 - table.head.top,
        skipped: table.head.top,
        sheet: sheet.name,
        delimiter: undefined,
      },
      warnings,
      read: (expected) => {
        const given = expected?.[0]
        const other = given !== undefined && given.sha256 !== fingerprint.sha256
        const proven = other ? new SourceChanged({ file }) : verify(bytes, fingerprint)
        const ended = Stream.execute(Effect.sync(() => void (files = [result])))
        return Stream.unwrapScoped(Effect.as(proven, Stream.concat(chunks, ended)))
      },
      files: Effect.sync(() => files),
    }
  })
