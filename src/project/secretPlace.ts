import { Schema } from "effect"
import { expecting, optional, withRules } from "./annotated.ts"
import { Path } from "./scalars.ts"
import { isVariableName } from "./secretsInText.ts"

/**
 * Where a secret is: an environment variable or a file, never the YAML itself.
 *
 * @param words what it is, and examples
 */
export const secretPlace = (
  words: { readonly what: string; readonly variable: string; readonly file: string },
) =>
  withRules(
    Schema.Struct({
      env: optional(
        Schema.String.pipe(Schema.filter(isVariableName, { jsonSchema: { pattern: "^[A-Za-z_][A-Za-z0-9_]*$" } }))
          .annotations(expecting("the name of an environment variable")),
        {
          description: `The environment variable that holds ${words.what}; a .env file beside config/ is read too`,
          examples: [words.variable],
        },
      ),
      file: optional(Path, { description: `A file that holds ${words.what}`, examples: [words.file] }),
    }),
    { exactlyOne: ["env", "file"] },
  ).annotations(expecting("{ env: NAME } or { file: PATH }"))
