import { Schema } from "effect"
import { expecting, optional, withRules } from "./annotated.ts"
import { Column, Expression } from "./scalars.ts"

const Texts = Schema.NonEmptyArray(Schema.String)
const OneOrMore = Schema.Union(Schema.String, Texts).annotations(expecting("a text, or a list of texts"))

const Tests = withRules(
  Schema.Struct({
    not: optional(OneOrMore, { description: "A cell that is none of these", examples: [["test", "spam"]] }),
    atLeast: optional(Schema.String, {
      description: "A number, or an ISO date or time, that the cell is not less than",
      examples: ["2024-01-01"],
    }),
    atMost: optional(Schema.String, {
      description:
        "A number, or an ISO date or time, that the cell is not more than; a day without a time counts to its end",
      examples: ["2024-12-31"],
    }),
    matches: optional(Expression, {
      description: "A regular expression (RE2) that is found in the cell",
      examples: ["@example\\.org$"],
    }),
    empty: optional(Schema.Boolean, { description: "Whether the cell holds nothing", examples: [false] }),
    format: optional(Schema.String, {
      description: "How dates of this column are written, in luxon's letters; ISO is always understood",
      examples: ["dd.MM.yyyy"],
    }),
  }),
  { atLeastOne: ["not", "atLeast", "atMost", "matches", "empty"] },
).annotations({
  ...expecting("what a cell must be"),
  identifier: "Tests",
  description: "What a cell must be; all of it must hold",
})

/** Columns and what their cells must be: a text, one of a list, or tests. */
export const Conditions = Schema.Record({
  key: Column,
  value: Schema.Union(Schema.String, Texts, Tests).annotations(
    expecting("a text, a list of texts, or tests such as { empty: false }"),
  ),
}).pipe(Schema.filter((all) => Object.keys(all).length > 0, { jsonSchema: { minProperties: 1 } }))
  .annotations(expecting("columns, and what their cells must be"))

export type ConditionsFile = Schema.Schema.Type<typeof Conditions>
