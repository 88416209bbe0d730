import type { YAMLError } from "yaml"
import type { Finding } from "./finding.ts"

const sentences: { readonly [Code in YAMLError["code"]]?: readonly [message: string, suggestion?: string] } = {
  BLOCK_AS_IMPLICIT_KEY: [
    "A second `: ` in one line can't be read.",
    "Put the value in quotes, or the inner mapping on a line of its own.",
  ],
  MULTIPLE_DOCS: ["The file holds several documents.", "One pipeline, one file: remove the `---` and what follows it."],
  TAB_AS_INDENT: ["A tab can't indent.", "Use spaces."],
  MISSING_CHAR: ["Something that was opened is not closed: a quote or a bracket, or a `:` is missing."],
  BAD_SCALAR_START: ["A value can't begin with this character.", "Put the value in quotes."],
  BAD_INDENT: ["This line is not indented as the lines around it ask for."],
  BAD_DQ_ESCAPE: [
    "This is no escape that double quotes know.",
    "In single quotes a backslash stands for itself.",
  ],
  TAG_RESOLVE_FAILED: ["Tags (`!name`) mean nothing here.", "Text that begins with `!` is written in quotes."],
  RESOURCE_EXHAUSTION: ["The file is nested too deeply to be read."],
}

/** A fault of syntax as a sentence of ours; where there is none, the library's. */
export const syntaxFinding = (error: YAMLError): Finding => {
  const [message, suggestion] = sentences[error.code] ?? [`This is not YAML: ${error.message}.`]
  return { offset: error.pos[0], message, suggestion }
}
