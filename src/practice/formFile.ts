import { Schema } from "effect"
import type { Form } from "../domain/form.ts"

/**
 * A form's metadata written by hand, as the practice service's form files hold it: the shapes of wire.ts's FormMetadata, but exact. Lists may
 * be left out; an option may be a text alone.
 */

const absentIsEmpty = <A, I>(schema: Schema.Schema<A, I>) =>
  Schema.optionalWith(Schema.Array(schema), { default: () => [] })

const Element = Schema.Struct({ id: Schema.NonEmptyString, name: Schema.String })

const Option = Schema.Union(
  Schema.String,
  Schema.Struct({ value: Schema.String, label: Schema.optional(Schema.String) }),
)

/** A form file's content. */
export const FormFile = Schema.Struct({
  id: Schema.NonEmptyString,
  name: Schema.String,
  questions: Schema.Array(
    Schema.Struct({
      ...Element.fields,
      type: Schema.optional(Schema.NonEmptyString),
      options: Schema.optional(Schema.Array(Option)),
    }),
  ),
  calculations: absentIsEmpty(Element),
  urlParameters: absentIsEmpty(Element),
  scheduling: absentIsEmpty(Element),
  payments: absentIsEmpty(Element),
  quiz: Schema.optional(Schema.Struct({ enabled: Schema.optional(Schema.Boolean) })),
})

/** The form that a form file describes. */
export const toForm = (file: typeof FormFile.Type): Form => ({
  ...file,
  questions: file.questions.map(({ id, name, type, options }) => ({
    id,
    name,
    type,
    options: options?.map((option) =>
      typeof option === "string"
        ? { value: option, label: option }
        : { value: option.value, label: option.label ?? option.value }
    ),
  })),
  quiz: file.quiz?.enabled === undefined ? undefined : { enabled: file.quiz.enabled },
})
