import * as Schema from "effect/Schema"
import { ownTimes } from "../domain/item.ts"

const answers = Schema.Record({ key: Schema.String, value: Schema.String })
const columns = Schema.Array(Schema.Number)
const proposal = { key: Schema.Literal("empty", "where") }
/** A question's id. An entry that has no id is found by the question's name. */
const question = { question: Schema.String, name: Schema.optional(Schema.String) }
const time = { of: Schema.Literal(...ownTimes) }

/** A change that needs the form. Columns are positions that count from 1. `answers` settle what the previous result left open, by key. */
const FormEdit = Schema.Union(
  Schema.TaggedStruct("Map", { ...question, columns, answers }),
  Schema.TaggedStruct("MapTime", { ...time, answers }),
  Schema.TaggedStruct("LeaveUnanswered", question),
)
export type FormEdit = typeof FormEdit.Type
export type Answers = typeof answers.Type

/** A change that needs only the draft's text, so that it works even if the source or the form can't be read. */
const TextEdit = Schema.Union(
  Schema.TaggedStruct("Accept", question),
  Schema.TaggedStruct("Unmap", question),
  Schema.TaggedStruct("SetChoice", {
    ...question,
    choice: Schema.String,
    /** An option's name, which no other option has. Null: no answer. */
    option: Schema.NullOr(Schema.String),
    /** The kind of the question's answers, for an entry that doesn't name it: `values` needs it. */
    as: Schema.optional(Schema.String),
  }),
  /** No columns: all cells of a row are its key. */
  Schema.TaggedStruct("SetRowKey", { columns: Schema.Array(Schema.String) }),
  Schema.TaggedStruct("AcceptProposal", proposal),
  Schema.TaggedStruct("RejectProposal", proposal),
  Schema.TaggedStruct("IgnoreColumn", { column: Schema.String }),
)
export type TextEdit = typeof TextEdit.Type

/** A change of a draft's text, which keeps comments and order. */
export const Operation = Schema.Union(FormEdit, TextEdit)
export type Operation = typeof Operation.Type
