import * as Schema from "effect/Schema"
import type { YamlPath } from "../domain/diagnostic.ts"
import { Column, type ColumnName, Expression, filled } from "./fields.ts"
import { becoming, expecting, oneOfThese, optional, section } from "./section.ts"

const Text = becoming(Schema.String, (text): ReadonlyArray<string> => [text])
const Texts = Schema.NonEmptyArray(Schema.String)

const Tests = section({
  not: optional(oneOfThese(Text, Texts).annotations(expecting("a text, or a list of texts")), {
    description: "A cell with any value except these",
    examples: [["test", "spam"]],
  }),
  atLeast: optional(Schema.String, {
    description: "The smallest number or percentage, or the earliest ISO date or time, allowed in the cell",
    examples: ["2024-01-01"],
  }),
  atMost: optional(Schema.String, {
    description:
      "The largest number or percentage, or the latest ISO date or time, allowed in the cell. A day without a time includes the whole day",
    examples: ["2024-12-31"],
  }),
  matches: optional(Expression, {
    description: "A regular expression (RE2) that matches anywhere in the cell",
    examples: ["@example\\.org$"],
  }),
  empty: optional(Schema.Boolean, { description: "Whether the cell is empty", examples: [false] }),
  format: optional(Schema.String, {
    description: "How dates of this column are written, such as dd.MM.yyyy. ISO is always accepted",
    examples: ["dd.MM.yyyy"],
  }),
}, { rules: { atLeastOne: ["not", "atLeast", "atMost", "matches", "empty"] } }).annotations({
  ...expecting("what a cell must be"),
  identifier: "Tests",
  description: "Tests of a cell, all of which must be met",
})

/** A condition on a row's cell. All given tests must be met. */
export interface Condition extends Partial<typeof Tests.Type> {
  readonly column: ColumnName
  /** The path of the column's test. */
  readonly path: YamlPath
  readonly is?: ReadonlyArray<string> | undefined
}

const Is = oneOfThese(Text, Texts)

/** Columns and the conditions on their cells: a string, one of a list of strings, or tests. */
export const Conditions = becoming(
  filled(
    Column,
    oneOfThese(becoming(Is, (is): Partial<Condition> => ({ is })), Tests).annotations(
      expecting("a text, a list of texts, or tests such as { empty: false }"),
    ),
  ),
  (all, path) =>
    Object.entries(all).map(([name, test]): Condition => ({
      column: { name, path: [...path, name], at: "key" },
      path: [...path, name],
      ...test,
    })),
).annotations(expecting("columns, and what their cells must be"))
