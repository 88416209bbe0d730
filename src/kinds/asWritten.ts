import { Schema } from "effect"

/**
 * Options whose scalars stand for cells or answers: they are text as written in the YAML (`007`, `yes` and `1.50` stay what they are),
 * except null under `values`.
 */
export const writtenAsText: ReadonlySet<string> = new Set(["options", "values", "true", "false", "use"])

/** A scalar of a YAML file that stands for a cell or an answer: editors may show it unquoted, we get its text. */
export const AsWritten = Schema.String.annotations({
  description: "Text as written: quotes are not needed for numbers or yes and no",
  jsonSchema: { type: ["string", "number", "boolean"] },
})
