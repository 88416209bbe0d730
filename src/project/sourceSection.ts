import * as Schema from "effect/Schema"
import iconv from "iconv-lite"
import { present } from "../domain/words.ts"
import { formTools } from "../formtools/index.ts"
import { isAtAddress, loopbackHosts, scheme } from "./address.ts"
import { Conditions } from "./conditions.ts"
import type { Connection } from "./connection.ts"
import { decodeYaml } from "./decodeYaml.ts"
import { type ColumnName, Columns, Name, Path, placed, PositiveTime, whole } from "./fields.ts"
import { type Pull, pullFindings, pullKeys } from "./pull.ts"
import { becoming, expecting, lazily, needed, oneOfThese, optional, section } from "./section.ts"
import { quoted } from "./suggestion.ts"
import { parseYaml } from "./yamlText.ts"

// Files

const File = Schema.String.pipe(
  Schema.pattern(
    new RegExp(`^(?:https://[^/\\s]|http://${loopbackHosts}(?::\\d+)?/|(?!${scheme})[^])`),
  ),
).annotations(expecting("a path, relative to this file, or an https:// address"))

const Pattern = section({
  glob: needed(Path, { description: "A pattern of paths, relative to this file", examples: ["kobo-*.csv"] }),
  take: optional(Schema.Literal("all", "newest"), {
    description:
      "All files that match, one after the other, or only the newest. The newest is determined by the date in the names (2026-11-20, 20261120) if all have one, otherwise by modification time",
    default: "all",
  }),
})

const Files = oneOfThese(File, Schema.NonEmptyArray(File).annotations(expecting("a list of paths")), Pattern)
  .annotations(expecting("a path, an https:// address, a list of them, or { glob: PATTERN, take: newest }"))

/** The place of a source's rows: a path or an address, several files with the same header, files that match a pattern, or a connection. */
export type SourceFiles =
  | string
  | ReadonlyArray<string>
  | (typeof Pattern.Type & {
    /** The absolute path of the folder that the pattern is relative to. */
    readonly folder?: string
  })
  | Pull

/** Whether a source's rows are pulled from a connection. */
export const isPull = (where: SourceFiles): where is Pull => typeof where === "object" && "connection" in where

/** Returns the texts that mean "no answer", apart from the empty text. Spaces around them don't count. */
export const emptyTexts = ({ empty }: Pick<SourceConfig, "empty">): ReadonlyArray<string> => [
  ...new Set(empty.map((text) => text.trim()).filter((text) => text !== "")),
]

/** Returns the columns of a row key. Empty without a row key, and for `rowKey: content`. */
export const keyColumns = ({ rowKey }: Pick<SourceConfig, "rowKey">): ReadonlyArray<ColumnName> =>
  rowKey === undefined || rowKey === "content" ? [] : rowKey

// Columns without a usable header

/** A name for a column that its header can't identify. */
export interface ColumnAlias extends ColumnName {
  readonly column:
    | { readonly _tag: "Header"; readonly header: string; readonly nth: number; readonly of: number }
    /** The position, where 1 is the first column. */
    | { readonly _tag: "Position"; readonly position: number }
}

const Alias = oneOfThese(
  becoming(
    section({
      header: needed(Name, { description: "The header that several columns share", examples: ["Why?"] }),
      nth: needed(whole(1), { description: "Which of these columns, counting from 1", examples: [2] }),
      of: needed(whole(1), {
        description: "The number of columns with that header. Any other number is an error",
        examples: [2],
      }),
    }),
    (column): ColumnAlias["column"] => ({ _tag: "Header", ...column }),
  ),
  becoming(
    section({ position: needed(whole(1), { description: "The column's position, counting from 1", examples: [14] }) }),
    (column): ColumnAlias["column"] => ({ _tag: "Position", ...column }),
  ),
).annotations(expecting("{ header: TITLE, nth: 2, of: 2 } or { position: 14 }"))

const Aliases = becoming(
  Schema.Record({ key: Name, value: Alias }),
  (aliases, path) =>
    Object.entries(aliases).map(([name, column]): ColumnAlias => ({ name, path: [...path, name], column })),
).annotations(expecting("names with the columns that they stand for"))

const Sheet = oneOfThese(whole(1), Name).annotations(expecting("a sheet's name or number"))

// Records that belong together

const KeyColumns = Schema.NonEmptyArray(Name).annotations(expecting("a list of columns"))

const With = section({
  file: optional(File, {
    description: "The file, relative to this one (default: the source's own file, if there is only one)",
  }),
  sheet: optional(Sheet, { description: "The sheet of a workbook (default: the first visible one)" }),
  by: needed(KeyColumns, {
    description: "The columns that contain the cells of `combine.by`, in the same order",
    examples: [["_parent_index"]],
  }),
  as: needed(Name, { description: "The prefix for the names of these columns", examples: ["visit"] }),
  repeats: optional(Schema.Boolean, {
    description:
      "Whether a row may have several of these records. The columns of the first record then have names such as `visit.1.weight`",
    default: false,
  }),
})

const Combine = section({
  by: needed(KeyColumns, {
    description: "The columns that records of one row have in common",
    examples: [["record_id"]],
  }),
  name: optional(Schema.Array(Name).annotations(expecting("a list of columns")), {
    description:
      "The columns that distinguish the records of a row. Their cells become the prefix of the other columns' names: `baseline.weight`",
    examples: [["redcap_event_name"]],
    absent: [],
  }),
  with: optional(Schema.Array(With), {
    description: "Other files or sheets that contain more data for the same rows",
    examples: [[{ sheet: "visits", by: ["_parent_index"], as: "visit", repeats: true }]],
    absent: [],
  }),
  places: optional(Schema.Array(Name), {
    description: "Prefixes whose columns exist even if no record has them yet",
    examples: [["baseline", "follow_up"]],
    absent: [],
  }),
}).annotations(expecting("{ by: [COLUMN], name: [COLUMN] }"))

// The section

const Character = Schema.String.pipe(Schema.pattern(/^[^"\r\n]$/u)).annotations(expecting("one character, such as `;`"))

/** Matches what iconv-lite calls an encoding, but is none of a text file. */
const notOfText = /^(?:hex|base64|binary|(?:unicode11)?utf7(?:imap)?)$/

const isEncoding = (name: string): boolean =>
  iconv.encodingExists(name) && !notOfText.test(name.toLowerCase().replaceAll(/[^a-z0-9]/g, ""))

const Encoding = Schema.String.pipe(
  Schema.filter(
    (name) =>
      isEncoding(name)
      || `There is no encoding called ${
        quoted(name)
      }. Encodings are, for example, utf-8, windows-1252 and iso-8859-15.`,
    {
      jsonSchema: { minLength: 1 },
    },
  ),
)

/** Matches a range of cells. Its groups are the letters and the number of each end, of which the numbers may be missing. */
export const cellRange = /^\$?([A-Za-z]{1,3})\$?([1-9]\d*)?:\$?([A-Za-z]{1,3})\$?([1-9]\d*)?$/

const Range = Schema.String.pipe(Schema.pattern(cellRange))
  .annotations(expecting("a range such as `B3:H400`"))

const sourceKeys = section({
  file: optional(Files, {
    description:
      "The file to read, relative to this one. It can also be a list of files with the same header, a pattern, or an https:// address. Archives (.gz, .zip) are opened",
    examples: ["../samples/contacts.csv", ["2023.csv", "2024.csv"], { glob: "kobo-*.csv", take: "newest" }],
  }),
  ...pullKeys,
  member: optional(Name, {
    description: "Which file of a zip archive to read. Needed if several may contain rows",
    examples: ["answers.csv"],
  }),
  format: optional(Schema.Literal("csv", "excel", "json", "jsonl", ...formTools.map(({ name }) => name)), {
    description:
      "csv, excel, json, jsonl, or the form tool that wrote the file. By default, the format is detected and reported",
  }),
  records: optional(
    Schema.String.pipe(Schema.pattern(/^(?:\/|$)/)).annotations(expecting("a place such as `/items`")),
    {
      description:
        "The place of the list of records in a JSON file or page, as a JSON pointer. By default, this is the only list of records in a file, or the top level of a page",
      examples: ["/items"],
    },
  ),
  encoding: optional(Encoding.annotations(expecting("an encoding such as `utf-8` or `windows-1252`")), {
    description:
      "The encoding. Default: that of the byte order mark, otherwise strict UTF-8, otherwise detected and reported",
    examples: ["windows-1252"],
  }),
  delimiter: optional(Character, {
    description: "The separator between cells of a CSV file (default: detected)",
    examples: [";"],
  }),
  quoteChar: optional(Schema.Literal('"', "none"), {
    description:
      'The quote around cells of delimited text: `"`, or none if quotes are ordinary characters. By default, this is decided for each record and reported',
    examples: ["none"],
  }),
  raggedRows: optional(Schema.Literal("reject", "pad"), {
    description:
      "Records of delimited text whose last cells are missing: `reject` reports them as problems, `pad` reads the missing cells as empty",
    default: "reject",
  }),
  headerRow: optional(
    oneOfThese(Schema.Literal("none"), whole(1)).annotations(expecting("a whole number, 1 or more, or `none`")),
    {
      description:
        "The number of the header row, counting from 1. Rows above it are skipped. With `none`, the file has no header, and its columns are called `column 1`, `column 2` and so on",
      examples: [3],
    },
  ),
  sheet: optional(Sheet, {
    description: "The name or number of the sheet to read from a workbook (default: the first visible sheet)",
    examples: ["Responses"],
  }),
  range: optional(Range, {
    description: "The range of the sheet to read. `B3:H` reads to the last row, and `B:H` reads all rows",
    examples: ["B3:H400"],
  }),
  combine: optional(Combine, {
    description: "Joins records that belong together into one row, such as those of a REDCap record's events",
    examples: [{ by: ["record_id"], name: ["redcap_event_name"] }],
  }),
  rowKey: optional(
    oneOfThese(Schema.Literal("content"), becoming(Columns, placed))
      .annotations(expecting("a list of columns, or `content`")),
    {
      description:
        "What identifies a row from one run to the next: columns, or `content` (the cells of the columns used in the first run, plus a number for "
        + "identical rows) for sources to which rows are only ever added. The default is the form tool's own id",
      examples: [["Customer No"]],
    },
  ),
  previousRowKey: optional(KeyColumns, {
    description:
      "Earlier names of the `rowKey` columns, in order, if they were renamed. Rows imported under those names count as imported. If such a column also gives an answer, name it under `columns` instead, because the rows count as changed otherwise",
    examples: [["Customer No"]],
  }),
  empty: optional(
    becoming(Schema.Array(Schema.String), (texts): ReadonlyArray<string> => [...new Set(["", ...texts])]),
    {
      description: "Texts of cells that mean no answer. An empty cell always means no answer",
      examples: [["", "N/A", "-"]],
      default: [""],
    },
  ),
  columns: optional(Aliases, {
    description: "Names for columns that the header can't identify: repeated or empty titles",
    examples: [{ reason: { header: "Why?", nth: 2, of: 2 }, last: { position: 14 } }],
    absent: [],
  }),
  vanished: optional(Schema.Literal("report", "ignore"), {
    description:
      "Whether to count and list imported rows that are no longer in the source. Use `ignore` for an export that contains only the latest rows, with columns as `rowKey`",
    default: "report",
  }),
  maxAge: optional(
    PositiveTime.annotations(expecting("a time above zero, such as `36 hours` or `3 days`")),
    {
      description:
        "The maximum time since the source's newest file was modified. An older file is reported as an anomaly (`stale-source`)",
    },
  ),
  where: optional(Conditions, {
    description:
      "Rows that don't meet these conditions are skipped. Texts must be equal, including their case; only truth values of workbooks and JSON have no case. In a fixed rejected.csv, TRUE also meets `true`",
    examples: [{ Status: ["complete", "finished"] }],
    absent: [],
  }),
}, {
  rules: {
    exactlyOne: ["file", "connection"],
    needs: Object.fromEntries(
      ["form", "variables", "request", "labels", "page", "success", "since", "job"].map((key) => [key, ["connection"]]),
    ),
    // The answer of a connection is as old as the request.
    excludes: { connection: ["maxAge"], job: ["labels", "page", "success", "since"], since: ["combine"] },
  },
})

/** The section that describes the source. */
export const source = becoming(sourceKeys, (keys) => {
  const { connection, file = [], form, job, labels, page, request, since, success, variables, ...rest } = keys
  const records = rest.records ?? ""
  const where: SourceFiles = connection === undefined
    ? file
    // Without the project file, the request of a preset is unknown. Nothing is pulled then.
    : { connection, form, variables, request: request ?? { path: "/" }, labels, page, success, since, job, records }
  return { ...rest, file: where }
})

export interface SourceConfig extends Omit<typeof source.Type, "file" | "format"> {
  readonly file: SourceFiles
  /** The name of a format. */
  readonly format?: string | undefined
}

/** Makes the paths of a source absolute, and adds the connection that it names. */
export const resolved = (
  { combine, file, ...rest }: SourceConfig,
  resolve: (path: string) => string,
  connections: ReadonlyMap<string, Connection>,
): SourceConfig => {
  const one = (path: string) => isAtAddress(path) ? path : resolve(path)
  return {
    ...rest,
    file: typeof file === "string"
      ? one(file)
      : isPull(file)
      ? { ...file, account: connections.get(file.connection) }
      : "glob" in file
      ? { ...file, folder: resolve("") }
      : file.map(one),
    combine: combine && {
      ...combine,
      with: combine.with.map((other) => other.file === undefined ? other : { ...other, file: one(other.file) }),
    },
  }
}

/** Returns the values that the decoded section has if a pipeline sets only the place of the rows. */
export const sourceDefaults = lazily((): Omit<SourceConfig, "file"> =>
  Schema.decodeUnknownSync(source)({ file: "rows.csv" })
)

/** A source of one file. */
export interface FileSource extends SourceConfig {
  readonly file: string
}

/** The keys of the section that say how a file is read. The command line has an option for each. */
export const readKeys = ["format", "encoding", "delimiter", "quoteChar", "headerRow", "sheet", "range"] as const

export type ReadKey = (typeof readKeys)[number]

/** Where a source's rows are, as the command line names it. */
type PlaceKeys =
  | { readonly file: string }
  | {
    readonly connection: string
    readonly form: string | undefined
    readonly variables?: Readonly<Record<string, string>>
  }

/**
 * Decodes the section for one file or one connection. If a key is wrong, returns the first such key and what it expects.
 *
 * @param connections the project's connections
 */
export const decodeSource = (
  place: PlaceKeys,
  given: { readonly [K in ReadKey]?: string | number | undefined },
  connections: ReadonlyMap<string, Connection> = new Map(),
): SourceConfig | { readonly key: string; readonly message: string } => {
  const keys = Object.entries({ ...place, ...given }).flatMap(([key, value]) =>
    value === undefined ? [] : [{ key, value }]
  )
  // Writes each key on a separate line, so that a mistake's line identifies the key.
  const text = `source:\n${keys.map(({ key, value }) => `  ${key}: ${JSON.stringify(value)}`).join("\n")}`
  const yaml = parseYaml("", text)
  const apis = new Map([...connections].map(([name, { api }]) => [name, api]))
  const read = decodeYaml(
    yaml,
    section({ source: needed(source, { description: "The source" }) }),
    "The source",
    (value) => pullFindings(yaml, value, apis),
  )
  if (read._tag === "Read") return resolved(read.value.source, (path) => path, connections)
  const [{ message, offset, suggestion } = { message: "", offset: 0 }] = read.findings
  const at = text.slice(0, offset).split("\n").length - 2
  return { key: keys[at]?.key ?? "", message: present([message, suggestion]).join(" ") }
}
