import type * as FileSystem from "@effect/platform/FileSystem"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { Json } from "../domain/json.ts"
import { addedColumns } from "../domain/rejectedLine.ts"
import { maskedTitle } from "../domain/reportFields.ts"
import { listed } from "../domain/words.ts"
import { formToolNamed } from "../formtools/index.ts"
import type { SourceConfig } from "../project/Pipeline.ts"
import { gunzipped, workbookName, zipMember } from "./archive.ts"
import { asFormTool } from "./asFormTool.ts"
import { type Bytes, digestAhead, digestOf, type FileBytes, findBytes, worthAThread } from "./bytes.ts"
import { type Content, contentNames, contentOf, isPrintedTable, looksLikeJson } from "./fileContent.ts"
import { isFixed, rejectUnread } from "./fixed.ts"
import { noHeader, titlesBelow } from "./headerRow.ts"
import type { JsonSettings } from "./json/json.ts"
import { mapFiles, refusing, type Source, type SourceError } from "./Source.ts"
import { beginning, openCsv } from "./text/csv.ts"
import { type CsvSettings, fixedDelimiter } from "./text/header.ts"
import type { ExcelSettings } from "./workbook/excel.ts"

export interface FileOptions {
  /** Whether the file is a fixed rejected.csv. If not set, such a file is recognised by its columns. */
  readonly isFixed: boolean
  /** Whether the file is read instead of the pipeline's own source, so it may be a rejected.csv that was saved as a workbook. */
  readonly isOther: boolean
  /** Size of a block in bytes. */
  readonly blockSize: number
  /** Whether to start to compute the file's digest now. */
  readonly digestAhead?: boolean
  /** The file's name in messages and reports, if that is not its path. */
  readonly name?: string
  /** The format in which formferry itself wrote the file. The pipeline's settings for formats and encodings don't apply. */
  readonly written?: "csv" | "jsonl" | undefined
  /** The form tool's definition of the form, if it was pulled. */
  readonly definition?: Json | undefined
  /** Members that get columns in JSON lines even if no record has them. There may then be no record. */
  readonly members?: ReadonlyArray<string> | undefined
}

type Format = "csv" | "excel" | "json" | "jsonl"

interface Chosen {
  readonly format: Format
  readonly because: string
}

/** Returns the format that the pipeline names, if the content allows it. Otherwise detects the format from the content. */
const choose = (
  file: string,
  asked: Format | undefined,
  content: Content,
  text: "csv" | "json" | "jsonl",
): Effect.Effect<Chosen, SourceError> => {
  const refuse = refusing(file)
  const is = contentNames[content]
  if (content === "gzip" || content === "zip" || content === "tar" || content === "7z") {
    return refuse(`is ${is}. Unpack it, and give the path of the file inside.`)
  }
  if (content === "pointer") {
    return refuse(`is ${is}, not the file itself. Fetch the file with \`git lfs pull\`.`)
  }
  if (content === "pdf" || (content === "html" && asked === undefined)) {
    const hint = content === "html"
      ? " Most likely it is a sign-in page, or a table that is only named like a workbook: if a spreadsheet program opens it with all rows, save it there as .xlsx. Otherwise, export"
      : " Export"
    return refuse(`is ${is}, not a file with rows.${hint} the answers as CSV or as a workbook.`)
  }
  if (content === "xml" && asked === undefined) {
    return refuse(
      `is ${is}, which can't be read. Open it in a spreadsheet program and save it as a workbook, or export the answers as CSV.`,
    )
  }
  const isWorkbook = content === "workbook"
  if (asked !== undefined) {
    if ((asked === "excel") === isWorkbook) return Effect.succeed({ format: asked, because: "as given" })
    return refuse(
      `is ${isWorkbook ? "not text" : "not a workbook"} (\`format: ${asked}\`), but ${is}. Write \`format: ${
        isWorkbook ? "excel" : "csv"
      }\`, or name another file.`,
    )
  }
  if (!isWorkbook && workbookName.test(file)) {
    return refuse(
      `is named like a workbook, but it is not one: its content looks like ${is}. If it is delimited text, write \`format: csv\`. If a spreadsheet program opens it with all rows, save it there as .xlsx. Otherwise, export it again.`,
    )
  }
  return Effect.succeed({ format: isWorkbook ? "excel" : text, because: "by its content" })
}

/** Opens a rejected.csv. The settings that the pipeline has for its own source don't apply. */
const openFixed = (bytes: Bytes, expected: boolean) =>
  Effect.gen(function*() {
    const text = yield* expected
      ? beginning(bytes, undefined)
      // Text that can't be read is not a rejected.csv. The ordinary reading reports what is wrong with it.
      : Effect.orElseSucceed(beginning(bytes, undefined), () => "")
    const delimiter = fixedDelimiter(text)
    if (delimiter === undefined) {
      return expected
        ? yield* refusing(bytes.file)(
          `is not a rejected.csv: it lacks the columns ${
            listed(addedColumns)
          }. Use the file that the run wrote, and change only its rows.`,
        )
        : undefined
    }
    // formferry wrote the file, so quotes enclose its cells, whatever the lines inside them look like.
    return yield* openCsv(bytes, { encoding: undefined, delimiter, headerRow: 1, quoteChar: '"' })
  })

/** Opens the first sheet of a workbook if it was saved from a rejected.csv. The pipeline's places in its own workbook don't apply. */
const openFixedSheet = (bytes: Bytes, settings: FormatSettings) =>
  openAs("excel", bytes, { ...settings, sheet: undefined, range: undefined, headerRow: undefined }).pipe(
    // The ordinary reading reports what is wrong with it.
    Effect.orElseSucceed(() => undefined),
    Effect.map((source) => source !== undefined && (isMasked(source) || hasAddedColumns(source)) ? source : undefined),
  )

type Taken = Source["taken"]

/** @param others names of other files in the archive */
const withTaken = (source: Source, first: Taken, others: ReadonlyArray<string>): Source => ({
  ...source,
  taken: [...first, ...source.taken],
  files: others.length === 0 ? source.files : mapFiles(source.files, (file) => ({
    ...file,
    unread: [...file.unread ?? [], ...others.map((name) => ({ what: "file" as const, name }))],
  })),
})

/** How many nested archives are opened. */
const deepest = 3

/** Unpacks archives until the content is not an archive. */
const openArchives = (found: FileBytes, member: string | undefined, format: string | undefined) =>
  Effect.gen(function*() {
    const { file } = found
    const taken: Array<Taken[number]> = []
    let bytes: Bytes = found
    let content = yield* contentOf(bytes)
    let named = false
    let others: ReadonlyArray<string> = []
    let name = file
    for (let depth = 0; depth < deepest; depth++) {
      if (content === "gzip") {
        bytes = gunzipped(bytes)
        name = name.replace(/\.gz$/i, "")
        taken.push({ what: "archive", value: "gzip" })
      } else if (content === "zip" || (content === "workbook" && member !== undefined && !named && bytes === found)) {
        if (bytes !== found) {
          // A workbook may also start with an entry that is not typical of workbooks.
          if (workbookName.test(name)) {
            content = "workbook"
            break
          }
          return yield* refusing(file)(
            "contains a zip archive within another. Unpack it, and give the path of the file inside.",
          )
        }
        const inside = yield* zipMember(found, member)
        if (inside === undefined) return { bytes, missing: false, content: "workbook" as const, taken, others }
        named = true
        bytes = inside.bytes
        others = inside.others
        name = inside.name
        taken.push({ what: "archive", value: `zip, ${inside.name}${member === undefined ? "" : " (as given)"}` })
      } else break
      content = yield* contentOf(bytes)
    }
    return {
      bytes,
      missing: member !== undefined && !named,
      content: format === "excel" && content === "zip" ? "workbook" as const : content,
      taken,
      others,
    }
  })

/** Starts to compute a file's digest in a thread. If the file has changed when the digest is needed, computes it again. */
const digestFromNow = (found: FileBytes, path: string) =>
  Effect.map(digestAhead(path), (ahead) =>
    Effect.flatMap(
      Effect.zip(ahead, found.isUnchanged),
      ([sha256, isUnchanged]) =>
        sha256 !== undefined && isUnchanged ? Effect.succeed([{ file: found.file, sha256 }]) : digestOf(found),
    ))

/** Whether a file has most of the columns that a rejected.csv adds. */
const hasAddedColumns = ({ columns }: Source): boolean =>
  addedColumns.filter((name) => columns.some(({ title }) => title === name)).length >= addedColumns.length / 2

const isMasked = ({ columns }: Source): boolean => columns.some(({ title }) => title === maskedTitle)

/** Refuses a masked or incomplete file, and rejects the unreadable rows of a rejected.csv, in whichever format a spreadsheet program has saved it. */
const guarded = (file: string, source: Source): Effect.Effect<Source, SourceError> => {
  if (hasAddedColumns(source) && !isFixed(source.columns)) {
    return refusing(file)(
      "seems to be a rejected.csv whose columns from _id to _message were removed or moved, "
        + "so it is unknown which rows it replaces. Start again from the file that the run wrote, and leave these columns as they are.",
    )
  }
  if (!isMasked(source)) {
    return Effect.succeed(isFixed(source.columns) ? rejectUnread(source) : source)
  }
  return refusing(file)(
    "is a masked copy: its cells are digests, not answers, so nothing of it is imported. "
      + "Use a file with the answers: run the pipeline again without `--redact`.",
  )
}

/** The pipeline's settings for reading a file in any format. */
type FormatSettings = CsvSettings & ExcelSettings & JsonSettings

/** Opens a file in a format. Loads the readers of workbooks and of JSON only when they are used. */
const openAs = (format: Format, bytes: Bytes, settings: FormatSettings): Effect.Effect<Source, SourceError> => {
  switch (format) {
    case "csv":
      return openCsv(bytes, settings)
    case "excel":
      return Effect.flatMap(
        Effect.promise(() => import("./workbook/excel.ts")),
        ({ openExcel }) => openExcel(bytes, settings),
      )
    case "json":
    case "jsonl":
      return Effect.flatMap(
        Effect.promise(() => import("./json/json.ts")),
        ({ openJson }) => openJson(bytes, format, settings),
      )
  }
}

/** Opens one file: unpacks archives, detects the file's format and the form tool that wrote it, and reads its header. */
export const openFile = (
  fs: FileSystem.FileSystem,
  path: string,
  config: SourceConfig,
  options: FileOptions,
): Effect.Effect<Source, SourceError, Scope.Scope> =>
  Effect.gen(function*() {
    const found = yield* findBytes(fs, path, options.blockSize, options.name)
    const { file } = found
    const tool = formToolNamed(config.format)?.name
    // If the pipeline names a plain format, no form tool is detected.
    const plain = config.format !== undefined && tool === undefined
    if (found.size === 0 && (options.members ?? []).length === 0) {
      return yield* refusing(file)("is empty. Name a file that contains rows, with a header above them.")
    }
    if (tool !== undefined && config.headerRow === "none") {
      return yield* refusing(file)(
        `has a header if ${tool} wrote it (\`format: ${tool}\`), but \`headerRow: none\` says that it has none. Remove one of the two keys.`,
      )
    }
    const { bytes, content, missing, others, taken } = yield* openArchives(found, config.member, config.format)
    const digest = options.digestAhead === true && bytes === found && found.size >= worthAThread
      ? yield* digestFromNow(found, path)
      : digestOf(bytes)
    const fromTool = (source: Source, reopen: (headerRow: number) => Effect.Effect<Source, SourceError>) =>
      Effect.map(
        plain || config.headerRow === "none"
          ? Effect.succeed(source)
          : asFormTool(
            source,
            { file, asked: tool, headerRow: config.headerRow, definition: options.definition },
            reopen,
          ),
        (opened): Source => ({
          ...opened,
          files: mapFiles(opened.files, (file) => ({ ...file, taken: [...opened.taken, ...file.taken] })),
          changedAt: found.changedAt,
          digest,
        }),
      )
    const asFixed = (fixed: Source, format: Format) => {
      const how = { what: "format", value: `${format} (rejected rows of an earlier run)` }
      return Effect.flatMap(
        guarded(file, withTaken(fixed, [how, ...taken], others)),
        (source) => fromTool(source, () => Effect.succeed(source)),
      )
    }
    if ((content === "text" && options.written === undefined) || options.isFixed) {
      const fixed = yield* openFixed(bytes, options.isFixed)
      if (fixed !== undefined && isFixed(fixed.columns)) return yield* asFixed(fixed, "csv")
    }
    if (missing) {
      return yield* refusing(file)(
        `is not a zip archive, so it has no \`member: ${config.member}\`. Remove that line, or name the archive.`,
      )
    }
    const start = content === "text" && !plain && options.written === undefined
      ? yield* Effect.orElseSucceed(beginning(bytes, config.encoding), () => "")
      : ""
    if (config.format === undefined && isPrintedTable(start)) {
      return yield* refusing(file)(
        "is a table as a database client prints it for people. Let the client write delimited text instead, such as with `psql --csv` or `mysql --batch`. If it is delimited text already, write `format: csv`.",
      )
    }
    const chosen: Chosen = options.written !== undefined
      ? { format: options.written, because: options.written === "csv" ? "one row a line" : "one record a line" }
      // A name of the schema that is not a tool's is that of a format.
      : yield* choose(
        file,
        plain ? config.format as Format : undefined,
        content,
        looksLikeJson(start, file) ?? "csv",
      )
    const isPlaced = (config.sheet ?? config.range ?? config.headerRow) !== undefined
    if (options.isOther && isPlaced && chosen.format === "excel") {
      const fixed = yield* openFixedSheet(bytes, config)
      if (fixed !== undefined) return yield* asFixed(fixed, "excel")
    }
    const open = (headerRow: SourceConfig["headerRow"]) => {
      const settings = {
        ...config,
        headerRow,
        ...(options.written
          && {
            encoding: "utf-8",
            delimiter: ",",
            quoteChar: '"' as const,
            members: options.members,
            // The mapping may name a member that only a late record has.
            searchesAll: true,
          }),
      }
      const { because, format } = chosen
      const how = [{ what: "format", value: `${format} (${because})` }, ...taken]
      return Effect.flatMap(openAs(format, bytes, settings), (source) => guarded(file, withTaken(source, how, others)))
    }
    const source = yield* fromTool(yield* open(config.headerRow), open)
    // Further header rows of a form tool may contain the same texts.
    if (config.headerRow !== undefined || source.tool !== undefined || source.head === undefined) return source
    const none = noHeader(source.head)
    if (none !== undefined) return yield* refusing(file)(none)
    const titles = source.columns.map(({ title }) => title)
    return { ...source, warnings: [...source.warnings, ...titlesBelow(file, titles, source.head)] }
  })
