import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as AST from "effect/SchemaAST"
import Papa from "papaparse"
import { differenceWord } from "../domain/comparison.ts"
import { fateWords, rejectedFates, verdicts, verdictWords } from "../domain/fate.ts"
import { type Json, valueText } from "../domain/json.ts"
import { cut, type Problem, type ProblemCode, problemCodes, withoutValue } from "../domain/problem.ts"
import { addedColumns } from "../domain/rejectedLine.ts"
import { Difference, Replacement, type RunReport } from "../domain/report.ts"
import { Count, Digested, type Mask, maybe, Text } from "../domain/reportFields.ts"
import { isWebAddress, visible } from "../domain/visible.ts"
import { type CsvLine, faithfulCsv, spreadsheetCsv, withoutApostrophe } from "./csv.ts"
import { redacter } from "./reportFile.ts"

/** A row for rejected.csv, with its own cells as text, in the order of the source's columns. */
export interface RejectedRow {
  /** Identifies the row's content in the ledger. `id` and `key` are those of the first rejection, if the row was fixed and is rejected again. */
  readonly id: string
  readonly row: number
  readonly key: string | undefined
  readonly fate: (typeof rejectedFates)[number]
  readonly problems: ReadonlyArray<Problem>
  readonly cells: ReadonlyArray<string>
  /** False if nothing is lost: a duplicate with the same content, or a change that the pipeline ignores. */
  readonly needsReview: boolean
}

/** A row for in-doubt.csv. */
const InDoubtRow = Schema.Struct({
  row: Count("the row's number in the source of the run that sent it"),
  key: Digested("the row key"),
  batch: Count("the number of the batch in which the row was sent"),
  sentAt: Text("when the row was sent"),
  reason: Text("why the outcome is unknown"),
  cells: Schema.Array(Digested("the row's cells, in the order of the source's columns")),
})
export type InDoubtRow = typeof InDoubtRow.Type

/** A row for imported.csv. */
const ImportedRow = Schema.Struct({
  row: Count("the row's number in the source, counting from 1"),
  key: Digested("the row key"),
  submissionId: Text("the id of the row's submission"),
  verdict: Schema.Literal(...verdicts).annotations({
    description: "the verdict: `verified`, `differing`, `missing` or `unread`",
  }),
  submissionTime: maybe(Text("the submission time that the service returned, if any")),
  replaces: maybe(Text("the id of the earlier submission, if the row changed and was imported again")),
})
export type ImportedRow = typeof ImportedRow.Type

/** A row for vanished.csv, which was imported but is no longer in the source. */
const VanishedRow = Schema.Struct({
  row: Count("the row's number in the source of the run that sent it"),
  key: Digested("the row key"),
  submissionId: maybe(Text("the id of the row's submission, which stays in the form")),
  missingSince: maybe(Text("the start of the first run whose source lacked the row; empty for a dry run")),
  run: maybe(Text("the id of that run")),
})
export type VanishedRow = typeof VanishedRow.Type

/** A submission for whole-form.csv. */
const UnmatchedSubmission = Schema.Struct({
  submissionId: Text("the id of the submission"),
  standing: Schema.Literal("unknown", "missing").annotations({
    description:
      "`unknown`: in the form, but not in the ledger; `missing`: required by the ledger, but not in the form",
  }),
  submissionTime: maybe(Text("the submission time of an unknown submission, if the service returned one")),
})
export type UnmatchedSubmission = typeof UnmatchedSubmission.Type

/** A finding about a row that a person may want to review. */
export interface AttentionEntry {
  readonly row: number
  readonly key: string
  /** A fate, a verdict, or the verdict on an answer. */
  readonly what: string
  /** The column or question. */
  readonly where: string
  readonly detail: string
  readonly submissionId: string
  readonly editLink: string
}

const shownValue = 160
const shownMessage = 400

/** Returns an entry whose strings are safe to show. */
const entry = (
  { key = "", row }: { readonly row: number; readonly key?: string | undefined },
  about: { readonly [N in keyof AttentionEntry]?: AttentionEntry[N] | undefined } & { readonly what: string },
): AttentionEntry => ({
  row,
  key: visible(cut(key, shownValue)),
  what: about.what,
  where: visible(cut(about.where ?? "", shownValue)),
  detail: visible(about.detail ?? ""),
  submissionId: visible(about.submissionId ?? ""),
  editLink: about.editLink !== undefined && isWebAddress(about.editLink) ? about.editLink : "",
})

const shown = (value: Json | undefined): string => value == null ? "nothing" : cut(valueText(value), shownValue)

/** A CSV file of a run: how its lines are made from rows, and how they are read again for a masked copy. */
export interface CsvFile<A> {
  readonly name: string
  /** A description of the file's content. */
  readonly holds: string
  /** The titles of formferry's own columns. */
  readonly titles: ReadonlyArray<string>
  /** Descriptions of these columns, for the reference page. */
  readonly about: ReadonlyArray<string>
  /** Whether lines start with the source's own cells. Such a file preserves the cells exactly and isn't protected from formulas. */
  readonly hasCells: boolean
  readonly own: (row: A) => CsvLine
  readonly read: (own: CsvLine, cells: CsvLine) => A
  readonly redact: (row: A, mask: Mask) => A
  /** Returns the entry about a row, if a person may want to review the row. */
  readonly entryOf: (report: RunReport) => (row: A) => AttentionEntry | undefined
}

/** Returns the description of a field, which may be optional. */
const described = (field: AST.AST): string =>
  Option.getOrElse(
    AST.getDescriptionAnnotation(field),
    () => AST.isUnion(field) ? field.types.map(described).find((one) => one !== "") ?? "" : "",
  )

/** Declares a file with a column for each field of a row's schema. The field `cells` means the columns of the source. */
const asDeclared = <A extends object, I>(
  schema: Schema.Schema<A, I>,
  file: Pick<CsvFile<A>, "name" | "holds" | "entryOf">,
): CsvFile<A> => {
  const type = AST.typeAST(schema.ast)
  const all = AST.isTypeLiteral(type) ? type.propertySignatures : []
  const fields = all.filter(({ name }) => name !== "cells")
  const hasCells = fields.length < all.length
  const decode = Schema.decodeUnknownSync(schema)
  const valueOf = (field: AST.AST, cell: string): unknown =>
    AST.isNumberKeyword(field) ? Number(cell) : AST.isUnion(field) && cell === "" ? undefined : cell
  return {
    ...file,
    titles: fields.map(({ name }) =>
      (hasCells ? "_" : "") + String(name).replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
    ),
    about: fields.map(({ type: field }) => described(field)),
    hasCells,
    own: (row) => fields.map(({ name }) => valueText((row as Readonly<Record<PropertyKey, Json | undefined>>)[name])),
    read: (own, cells) =>
      decode({
        ...Object.fromEntries(
          fields.map(({ name, type: field }, at) => {
            const cell = own[at] ?? ""
            return [name, valueOf(field, hasCells ? cell : withoutApostrophe(cell))]
          }),
        ),
        cells,
      }),
    redact: redacter(schema),
  }
}

const differences = asDeclared(Difference, {
  name: "differences.csv",
  holds: "answers that came back differently",
  entryOf: ({ findings }) => {
    const tolerated = new Set(findings.flatMap((one) => one.tolerated === undefined ? [] : [one.question]))
    return ({ name, returned, sent, verdict, ...row }) =>
      // Nothing was compared, so there is nothing to review.
      verdict === "not comparable" ? undefined : entry(row, {
        ...row,
        what: differenceWord(verdict, tolerated.has(row.question)).title,
        where: name,
        detail: `${shown(sent)} → ${shown(returned)}`,
      })
  },
})

const imported = asDeclared(ImportedRow, {
  name: "imported.csv",
  holds: "submissions by row",
  // Only created submissions that can't be read need a review.
  entryOf: () => ({ submissionId, verdict, ...row }) =>
    verdict !== "missing" && verdict !== "unread" ? undefined : entry(row, {
      what: verdictWords[verdict].title,
      detail: verdictWords[verdict].meaning,
      submissionId,
    }),
})

const replaced = asDeclared(Replacement, {
  name: "replaced.csv",
  holds: "rows that changed and were imported again, and what they replace",
  // The earlier submission stays in the form unless a person removes it.
  entryOf: () => (row) =>
    entry(row, {
      what: "replaced",
      detail: `changed, and imported again as ${row.submissionId}; the earlier submission stays in the form`,
      submissionId: row.replaces,
      editLink: row.editLink,
    }),
})

const vanished = asDeclared(VanishedRow, {
  name: "vanished.csv",
  holds: "rows imported earlier that are no longer in the source",
  // Rows that earlier runs reported are omitted.
  entryOf: (report) => ({ run = report.run, submissionId, ...row }) =>
    run !== report.run ? undefined : entry(row, {
      what: "vanished",
      detail: "imported earlier; no longer in the source",
      submissionId,
    }),
})

const wholeForm = asDeclared(UnmatchedSubmission, {
  name: "whole-form.csv",
  holds: "submissions that only the form or only the ledger has",
  // A missing submission of the pipeline is in imported.csv, too. An unknown one needs no review.
  entryOf: () => () => undefined,
})

const inDoubt = asDeclared(InDoubtRow, {
  name: "in-doubt.csv",
  holds: "rows that were sent with an unknown outcome",
  entryOf: () => ({ reason, sentAt, ...row }) =>
    entry(row, { what: fateWords.inDoubt.title, detail: `${cut(reason, shownMessage)} (sent ${sentAt})` }),
})

/** Separates several problems of one row. */
export const joint = " · "

/** The code for a row that is rejected only because of its fate. */
const codeOfFate: { readonly [F in RejectedRow["fate"]]: ProblemCode | "" } = {
  refused: "refused",
  duplicate: "duplicate-key",
  changed: "changed",
  invalid: "",
}

/**
 * Has as many parts in `_code`, `_column` and `_message` as the row has problems, in the same order. The part in `_column` is empty for a problem without a column. If no problem has a column,
 * `_column` is empty.
 */
const rejected: CsvFile<RejectedRow> = {
  name: "rejected.csv",
  holds: "rows that were not imported, and why. Fix them and import the file",
  titles: addedColumns,
  about: [
    "identifies the row that was rejected; don't change it",
    "the row's number in the source, counting from 1",
    "the row key; to acknowledge a row without a key, use `--all`",
    "the codes of the row's problems, joined by `·`",
    "the column of each problem, in the order of the codes",
    "a sentence about each problem, in the order of the codes",
  ],
  hasCells: true,
  own: ({ fate, id, key, problems, row }) => {
    const columns = problems.map(({ column }) => column ?? "")
    return [
      id,
      String(row),
      key ?? "",
      problems.length === 0 ? codeOfFate[fate] : problems.map(({ code }) => code).join(joint),
      columns.every((column) => column === "") ? "" : columns.join(joint),
      problems.map(({ message }) => message).join(joint),
    ]
  },
  read: ([id = "", row = "", key = "", code = "", column = ""], cells) => {
    const codes = code.split(joint).flatMap((text) => problemCodes.filter((one) => one === text))
    const columns = column.split(joint)
    return {
      id,
      row: Number(row),
      key: key === "" ? undefined : key,
      fate: rejectedFates.find((fate) => codes.some((one) => one === codeOfFate[fate])) ?? "invalid",
      // The message is omitted, because it repeats the value.
      problems: codes.map((code, at) => ({ code, column: columns[at] === "" ? undefined : columns[at], message: "" })),
      cells,
      needsReview: true,
    }
  },
  redact: (row, mask) => ({
    ...row,
    key: row.key === undefined ? undefined : mask(row.key),
    cells: row.cells.map(mask),
    problems: row.problems.map((problem) => ({
      ...problem,
      value: problem.value === undefined ? undefined : mask(problem.value),
      message: withoutValue(problem),
    })),
  }),
  entryOf: () => ({ fate, needsReview, problems, ...row }) =>
    !needsReview ? undefined : entry(row, {
      what: fateWords[fate].title,
      where: [...new Set(problems.flatMap(({ column }) => column ?? []))].join(", "),
      detail: cut(problems.map(({ message }) => message).join(joint), shownMessage),
    }),
}

/** The CSV files of a run, in the order in which the page lists their rows. Differences come first, because no other file contains them. */
export const csvFiles = { differences, imported, replaced, vanished, wholeForm, inDoubt, rejected }

/** The type of the rows in each file. */
export type CsvRows = {
  readonly [N in keyof typeof csvFiles]: (typeof csvFiles)[N] extends CsvFile<infer A> ? A : never
}

/** Reads a file again. Returns its titles, its lines, and where formferry's own columns start, which follow the source's. That is -1 if it has none. */
export const readCsv = <A>({ titles: [first = ""] }: CsvFile<A>, text: string) => {
  const [titles = [], ...lines] = Papa.parse<Array<string>>(text, { skipEmptyLines: true }).data
  return { titles, lines, own: titles.lastIndexOf(first) }
}

/** Returns the lines of a file, protected from being read as formulas unless they repeat the source. */
export const csvText = <A>({ hasCells }: CsvFile<A>, lines: ReadonlyArray<CsvLine>): string =>
  (hasCells ? faithfulCsv : spreadsheetCsv)(lines)

/**
 * Returns the cells of a line. Pads a row that has fewer cells than the source has columns. Cells beyond the header
 * follow formferry's columns, so that nothing is lost or shifted. When the file is imported, such a line is rejected
 * again until a person fixes it.
 */
export const lineOf = <A extends object>(file: CsvFile<A>, row: A, columns: number): CsvLine => {
  const own = file.own(row)
  if (!file.hasCells) return own
  const cells = "cells" in row ? row.cells as CsvLine : []
  return [...Array.from({ length: columns }, (_, at) => cells[at] ?? ""), ...own, ...cells.slice(columns)]
}
