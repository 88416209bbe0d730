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

/** Sentences for faults whose code says too little, by how the library's message begins. */
const byMessage: ReadonlyArray<readonly [beginning: string, message: string, suggestion: string]> = [
  [
    "Flow sequence",
    "A list that begins with `[` is not closed, or not indented.",
    "Close it with `]`, indented like its text.",
  ],
  [
    "Flow map",
    "A mapping that begins with `{` is not closed, or not indented.",
    "Close it with `}`, indented like its text.",
  ],
]

/** The last character at or before `offset` that is there to be seen: what is missing at the end of a file is missed behind it. */
const visible = (text: string, offset: number): number => {
  if (/\S/.test(text.slice(offset, text.indexOf("\n", offset) + 1 || undefined))) return offset
  const before = text.slice(0, offset).trimEnd().length
  return Math.max(0, before - 1)
}

const findingOf = (error: YAMLError, text: string): Finding => {
  const told = byMessage.find(([beginning]) => error.message.startsWith(beginning))
  const [message, suggestion] = told !== undefined
    ? [told[1], told[2]]
    : sentences[error.code] ?? [`This is not YAML: ${error.message}.`]
  return { offset: visible(text, error.pos[0]), message, suggestion }
}

/**
 * Faults of syntax as sentences of ours; where there is none, the library's. What comes of an earlier fault is left out: tokens that were not
 * expected after it, and further faults of its line.
 * @param lineOf the line of an offset
 */
export const syntaxFindings = (
  errors: ReadonlyArray<YAMLError>,
  text: string,
  lineOf: (offset: number) => number,
): ReadonlyArray<Finding> => {
  const lines = new Set<number>()
  // A tab shifts what stands around it: the faults before and behind it may be none.
  const tabs = errors.filter((error) => error.code === "TAB_AS_INDENT")
  return (tabs.length > 0 ? tabs : errors).filter((error, index) => index === 0 || error.code !== "UNEXPECTED_TOKEN")
    .map((error) => findingOf(error, text))
    .filter(({ offset }) => !lines.has(lineOf(offset)) && lines.add(lineOf(offset)))
}
