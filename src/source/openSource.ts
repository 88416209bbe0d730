import { FileSystem } from "@effect/platform"
import { Effect } from "effect"
import type { SourceConfig } from "../project/Pipeline.ts"
import { findBytes } from "./bytes.ts"
import type { Bytes } from "./bytes.ts"
import { isMended } from "./columns.ts"
import { beginning, openCsv } from "./csv.ts"
import { mendedDelimiter } from "./csvHeader.ts"
import { openExcel } from "./excel.ts"
import { asFormTool } from "./formtools/asFormTool.ts"
import { formToolNamed } from "./formtools/index.ts"
import { contentNames, contentOf, namedAsWorkbook } from "./recognise.ts"
import type { Content } from "./recognise.ts"
import { SourceError } from "./Source.ts"
import type { Source } from "./Source.ts"

/** Bytes of a block: one read, one digest, one piece of text, one chunk of rows or a few. */
const defaultBlockSize = 256 * 1024

export interface OpenOptions {
  /** The file is a mended rejected.csv; without it that is recognised by its columns. */
  readonly mended?: boolean
  /** In bytes; for tests. */
  readonly blockSize?: number
}

type Chosen = { readonly format: "csv" | "excel"; readonly because: string } | { readonly refusal: string }

/** The format the pipeline names, if the content does not forbid it; else by the content. */
const choose = (file: string, asked: string | undefined, content: Content): Chosen => {
  const is = contentNames[content]
  if (asked !== undefined && asked !== "csv" && asked !== "excel") {
    return { refusal: `There is no format "${asked}". Correct \`source.format\`: csv or excel.` }
  }
  if (content === "zip" && asked === "excel") return { format: "excel", because: "as the pipeline says" }
  if (content === "zip" || content === "gzip") {
    return { refusal: `${file} is ${is}. Unpack it, and name the file inside.` }
  }
  if (content === "pdf") {
    return { refusal: `${file} is ${is}, which has no rows. Export the answers as CSV or as a workbook.` }
  }
  const fits = content === "workbook" ? "excel" : "csv"
  if (asked !== undefined && asked !== fits) {
    const said = asked === "excel" ? "no workbook" : "no text"
    return {
      refusal:
        `${file} is ${said}, as \`format: ${asked}\` says, but ${is}. Say \`format: ${fits}\`, or name another file.`,
    }
  }
  if (asked === undefined && fits === "csv" && namedAsWorkbook(file)) {
    return {
      refusal:
        `${file} is named as a workbook, but it is no workbook: its content looks like ${is}. If it is delimited text, say \`format: csv\`; else export it again.`,
    }
  }
  return { format: fits, because: asked === undefined ? "by its content" : "as the pipeline says" }
}

/** A rejected.csv is read as what it is, whatever the pipeline says of its own source. */
const openMended = (bytes: Bytes, expected: boolean) =>
  Effect.gen(function*() {
    const { file } = bytes
    const text = yield* expected
      ? beginning(bytes, undefined)
      // Text in another encoding is no rejected.csv: the ordinary way says what is wrong with it, if anything.
      : Effect.orElseSucceed(beginning(bytes, undefined), () => "")
    const delimiter = mendedDelimiter(text)
    if (delimiter === undefined) {
      const message =
        `${file} is no rejected.csv: its last columns are not _row, _key, _code, _column and _message. Give the file as the run wrote it, with only its rows mended.`
      return expected ? yield* new SourceError({ file, message }) : undefined
    }
    return yield* openCsv(bytes, { encoding: undefined, delimiter, headerRow: 1 })
  })

const withTaken = (source: Source, what: string, value: string): Source => ({
  ...source,
  taken: [{ what, value }, ...source.taken],
  files: Effect.map(
    source.files,
    (files) =>
      files.map(({ file, fingerprint }) => ({
        file: { ...file, taken: [{ what, value }, ...file.taken] },
        fingerprint,
      })),
  ),
})

/**
 * Opens a pipeline's source: finds the file, recognises its format, reads its header. Nothing stays open: each `read` opens the file for as
 * long as its stream lasts.
 *
 * Errors say what is wrong with the file or with the pipeline's `source`, and what to do about it.
 */
export const openSource = (
  config: SourceConfig,
  options: OpenOptions = {},
): Effect.Effect<Source, SourceError, FileSystem.FileSystem> =>
  Effect.gen(function*() {
    const fs = yield* FileSystem.FileSystem
    const { file } = config
    const tool = config.format === undefined ? undefined : formToolNamed(config.format)?.name
    // A pipeline that names a plain format wants the file as it stands.
    const plain = config.format !== undefined && tool === undefined
    const fromTool = (source: Source, reopen: (headerRow: number) => Effect.Effect<Source, SourceError>) =>
      plain ? Effect.succeed(source) : asFormTool(source, { file, asked: tool, headerRow: config.headerRow }, reopen)
    const bytes = yield* findBytes(fs, file, options.blockSize ?? defaultBlockSize)
    if (bytes.size === 0) {
      return yield* new SourceError({
        file,
        message: `${file} is empty. Give the file that holds the rows, with a header above them.`,
      })
    }
    const content = contentOf(yield* bytes.head(512))
    if (content === "text" || options.mended === true) {
      const mended = yield* openMended(bytes, options.mended === true)
      if (mended !== undefined && isMended(mended.columns)) {
        return yield* fromTool(withTaken(mended, "format", "csv (rejected rows of an earlier run)"), () =>
          Effect.succeed(mended))
      }
    }
    const chosen = choose(file, tool === undefined ? config.format : undefined, content)
    if ("refusal" in chosen) {
      return yield* new SourceError({ file, message: chosen.refusal })
    }
    const open = (headerRow: number | undefined) => {
      const settings = { ...config, headerRow }
      return (chosen.format === "csv" ? openCsv(bytes, settings) : openExcel(bytes, settings)).pipe(
        Effect.map((source) =>
          withTaken(source, "format", `${chosen.format} (${chosen.because})`)
        ),
      )
    }
    return yield* fromTool(yield* open(config.headerRow), open)
  })
