import type { DraftEntry, PipelineDraft } from "./PipelineDraft.ts"
import { commentText, entryLines, indented, memberLines, yamlText } from "./yamlLines.ts"

const comment = (text: string): string => `# ${commentText(text)}`

const listLines = (key: string, entries: ReadonlyArray<DraftEntry>): ReadonlyArray<string> => {
  if (entries.length === 0) return []
  const lines = entries.flatMap((entry) => entryLines(entry, true))
  // A key whose entries are all comments would be null.
  return entries.every(({ open }) => open)
    ? [`# ${key}:`, ...indented(lines, 2)]
    : [`${key}:`, ...indented(lines, 2)]
}

const mappingLines = (draft: PipelineDraft): ReadonlyArray<string> => {
  const { questions, urlParameters, own, ignore, notes } = draft
  const lines = [
    ...(questions.every(({ open }) => open)
      ? ["questions: []", ...questions.flatMap((entry) => entryLines(entry, true))]
      : listLines("questions", questions)),
    ...listLines("urlParameters", urlParameters),
    ...own.flatMap((entry) => memberLines(entry.of, entry)),
    ...(ignore === undefined
      ? []
      : [
        `# ${commentText(ignore.why)}`,
        `ignore: [${ignore.columns.map((column) => yamlText(column, true)).join(", ")}]`,
      ]),
    ...notes.map(comment),
  ]
  return lines
}

/** The text of a new pipeline file. */
export const pipelineText = (draft: PipelineDraft, schema: string): string =>
  [
    `# yaml-language-server: $schema=${schema}`,
    ...draft.about.map(comment),
    "",
    `pipeline: ${yamlText(draft.name)}`,
    "",
    "source:",
    ...indented(entryLines(draft.source, false), 2),
    "",
    "mapping:",
    ...indented(mappingLines(draft), 2),
    "",
    "sink:",
    `  service: ${yamlText(draft.service)}`,
    `  form: ${yamlText(draft.form)}`,
    "",
  ].join("\n")
