import { Schema } from "effect"
import { problemCodes } from "../domain/problem.ts"
import { expecting, needed, optional, withRules } from "./annotated.ts"
import type { Expected } from "./Pipeline.ts"
import { Column, Name } from "./scalars.ts"

const ExpectedSchema: Schema.Schema<Expected> = Schema.Union(
  Schema.String,
  Schema.Null,
  Schema.Array(Schema.suspend(() => ExpectedSchema)),
  Schema.Record({ key: Schema.String, value: Schema.suspend(() => ExpectedSchema) }),
).annotations({
  ...expecting("an answer: text, a list, members of an object, or null for no answer"),
  identifier: "Expected",
  description: "An answer as it is sent, text as written; null: no answer",
})

/** A test of a pipeline, run by `check`. */
export const ExampleSchema = withRules(
  Schema.Struct({
    row: needed(
      Schema.Record({ key: Column, value: Schema.NullOr(Schema.String) }).annotations(
        expecting("columns with their cells"),
      ),
      {
        description: "Cells by column, as written; a column that is left out is empty",
        examples: [{ Name: "Ada Lovelace" }],
      },
    ),
    gives: optional(Schema.Record({ key: Name, value: ExpectedSchema }).annotations(expecting("answers by question")), {
      description: "Answers by the name or id of what they fill; others are not looked at",
      examples: [{ "Full name": "Ada Lovelace" }],
    }),
    fails: optional(
      Schema.NonEmptyArray(Schema.Literal(...problemCodes)).annotations(expecting("a list of problem codes")),
      { description: "The codes of all problems that the row has", examples: [["not-an-email"]] },
    ),
  }),
  { exactlyOne: ["gives", "fails"] },
).annotations({ identifier: "Example" })
