import { Schema } from "effect"
import iconv from "iconv-lite"
import { expecting, needed, optional } from "./annotated.ts"
import { Conditions } from "./conditionSchema.ts"
import { formToolNames } from "./formTools.ts"
import { Columns, Name, PositiveTime, whole } from "./scalars.ts"
import { SourceFile } from "./sourceFiles.ts"
import { quoted } from "./suggestion.ts"

const Character = Schema.String.pipe(Schema.pattern(/^[^"\r\n]$/u)).annotations(expecting("one character, such as `;`"))

const Encoding = Schema.String.pipe(
  Schema.filter((name) => iconv.encodingExists(name) || `There is no encoding called ${quoted(name)}.`, {
    jsonSchema: { minLength: 1 },
  }),
)

const Range = Schema.String.pipe(Schema.pattern(/^[A-Za-z]{1,3}[1-9]\d*:[A-Za-z]{1,3}[1-9]\d*$/))
  .annotations(expecting("a range such as `B3:H400`"))

const Alias = Schema.Union(
  Schema.Struct({
    header: needed(Name, { description: "The header, as several columns have it", examples: ["Why?"] }),
    nth: needed(whole(1), { description: "Which of them, from 1", examples: [2] }),
    of: needed(whole(1), {
      description: "How many columns have that header; another number than that is an error",
      examples: [2],
    }),
  }),
  Schema.Struct({ position: needed(whole(1), { description: "The column's place, from 1", examples: [14] }) }),
).annotations(expecting("{ header: TITLE, nth: 2, of: 2 } or { position: 14 }"))

export const source = Schema.Struct({
  file: needed(SourceFile, {
    description:
      "The file to read, relative to this one; several with one header, a pattern, or an https:// address. Archives (.gz, .zip) are opened",
    examples: ["../samples/contacts.csv", ["2023.csv", "2024.csv"], { glob: "kobo-*.csv", take: "newest" }],
  }),
  member: optional(Name, {
    description: "Which file of a zip archive; needed where several may hold rows",
    examples: ["answers.csv"],
  }),
  format: optional(Schema.Literal("csv", "excel", "json", "jsonl", ...formToolNames), {
    description: "csv, excel, json, jsonl, or the form tool that wrote the file; recognised, and said, when left out",
  }),
  records: optional(
    Schema.String.pipe(Schema.pattern(/^(?:\/|$)/)).annotations(expecting("a place such as `/items`")),
    {
      description:
        "Where the list of records stands in a JSON file, as a JSON pointer; found when left out and there is but one",
      examples: ["/items"],
    },
  ),
  encoding: optional(Encoding.annotations(expecting("an encoding such as `utf-8` or `windows-1252`")), {
    description: "When left out: the byte order mark, else strict UTF-8, else detected, and said",
    examples: ["windows-1252"],
  }),
  delimiter: optional(Character, {
    description: "What separates cells of a CSV file; detected when left out",
    examples: [";"],
  }),
  quoteChar: optional(Schema.Literal('"', "none"), {
    description:
      'What encloses cells of delimited text: `"`, or none where quotes are characters like any other; decided record by record, and said, when left out',
    examples: ["none"],
  }),
  raggedRows: optional(Schema.Literal("reject", "pad"), {
    description:
      "Records of delimited text without their last cells: `reject` names them as problems, `pad` reads the missing cells as empty",
    default: "reject",
  }),
  headerRow: optional(whole(1), { description: "The row that holds the header, from 1; rows above it are skipped" }),
  sheet: optional(Schema.Union(whole(1), Name).annotations(expecting("a sheet's name or number")), {
    description: "The sheet of a workbook, by name or number; the first visible one when left out",
    examples: ["Responses"],
  }),
  range: optional(Range, { description: "Narrows the sheet", examples: ["B3:H400"] }),
  rowKey: optional(
    Schema.Union(Schema.Literal("content"), Columns).annotations(expecting("a list of columns, or `content`")),
    {
      description:
        "What makes a row the same row tomorrow: columns, or `content` (the cells of the columns used at the first run, plus a number for "
        + "identical rows) for sources to which rows are only ever added. A form tool's own id when left out",
      examples: [["Customer No"]],
    },
  ),
  previousRowKey: optional(Columns, {
    description:
      "The columns of `rowKey` in earlier runs, in their order, where they have other names now: rows that were imported then are known",
    examples: [["Customer No"]],
  }),
  empty: optional(Schema.Array(Schema.String), {
    description: "Cells that mean: no answer. An empty cell always does",
    examples: [["", "N/A", "-"]],
    default: [""],
  }),
  columns: optional(
    Schema.Record({ key: Name, value: Alias }).annotations(expecting("names with the columns that they stand for")),
    {
      description: "Names for columns that the header can't name: repeated or empty titles",
      examples: [{ reason: { header: "Why?", nth: 2, of: 2 }, last: { position: 14 } }],
    },
  ),
  vanished: optional(Schema.Literal("report", "ignore"), {
    description:
      "Imported rows that the source does not hold any more: counted and listed, or not; `ignore` for an export that only holds the latest rows",
    default: "report",
  }),
  maxAge: optional(
    PositiveTime.annotations(expecting("a time above zero, such as `36 hours` or `3 days`")),
    {
      description:
        "How long ago the source's newest file may have been changed last: an older one is unusual (`stale-source`), and people are told",
    },
  ),
  where: optional(Conditions, {
    description: "Rows for which this does not hold are left out",
    examples: [{ Status: ["complete", "finished"] }],
  }),
})
