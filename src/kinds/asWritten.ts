import { Schema } from "effect"

/**
 * A scalar of a YAML file that stands for a cell or an answer: text as written (`007`, `yes` and `1.50` stay what they are), which editors may
 * show unquoted.
 */
export const AsWritten = Schema.String.annotations({
  description: "Text as written: quotes are not needed for numbers or yes and no",
  jsonSchema: { type: ["string", "number", "boolean"] },
})
