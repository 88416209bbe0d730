import { isMap, isScalar, isSeq, type Node, type Pair, parse, parseDocument, type YAMLMap } from "yaml"
import { unseen, visible } from "../domain/visible.ts"
import { oneLine } from "../domain/words.ts"
import { start, written } from "./yamlFaults.ts"

/** A value to be written to a pipeline file. Strings are not converted. */
export type DraftValue =
  | string
  | number
  | boolean
  | ReadonlyArray<DraftValue>
  | { readonly [key: string]: DraftValue }

export interface DraftKey {
  readonly key: string
  readonly value: DraftValue
  /** A comment after the value. */
  readonly note?: string | undefined
  /** Whether each member is written on a separate line, so that comments can follow the last one. */
  readonly isLong?: boolean
  /** Comments after members that are written on lines of their own. */
  readonly notes?: ReadonlyMap<string, string>
  /** Whether the key is only proposed. It is then written as a comment, on one line. */
  readonly isOpen?: boolean
}

/** A list item, or a member whose value is a mapping. */
export interface DraftEntry {
  /** What the entry fills: an id, or the name of a place such as `submissionTime`. Identifies the entry when the file is changed later. */
  readonly of: string
  /** The kind that reads the cells. Undefined if it is not known. */
  readonly kind?: string | undefined
  /** The comments above the entry. */
  readonly comments: ReadonlyArray<string>
  readonly keys: ReadonlyArray<DraftKey>
  /** The comments below the entry, which say what to fill in. */
  readonly below: ReadonlyArray<string>
  /** Whether a person must decide. The entry is then written as a comment. */
  readonly open: boolean
}

/** A pipeline file to be written. */
export interface PipelineDraft {
  readonly name: string
  /** The comments at the top of the file. */
  readonly about: ReadonlyArray<string>
  readonly source: ReadonlyArray<DraftKey>
  readonly questions: ReadonlyArray<DraftEntry>
  readonly urlParameters: ReadonlyArray<DraftEntry>
  /** The entries `submissionTime`, `lastUpdatedAt` and `login`. */
  readonly own: ReadonlyArray<DraftEntry>
  /** The columns that are skipped on purpose, with the reason. */
  readonly ignore: { readonly columns: ReadonlyArray<string>; readonly why: string } | undefined
  /** The comments at the end of the mapping. */
  readonly notes: ReadonlyArray<string>
  readonly service: string
  readonly form: string
}

const isPlain = (text: string, inFlow: boolean): boolean => {
  if (text === "" || text.length > 500 || text !== visible(text) || text !== text.trim()) return false
  if (inFlow && /[,[\]{}]/.test(text)) return false
  if (/^[-?:,[\]{}#&*!|>'"%@`]|: |:$| #/.test(text)) return false
  try {
    return parse(text) === text
  } catch {
    return false
  }
}

/** Returns a string in a form that YAML reads back unchanged, on one line. Adds quotes only if they are needed. */
export const yamlText = (text: string, inFlow = false): string =>
  isPlain(text, inFlow)
    ? text
    : JSON.stringify(text).replace(unseen, (character) => {
      const code = (character.codePointAt(0) ?? 0).toString(16)
      return code.length > 4 ? `\\U${code.padStart(8, "0")}` : `\\u${code.padStart(4, "0")}`
    })

/** Returns a key, with quotes if YAML would not read it as text. */
const yamlKey = (key: string): string => yamlText(key, true)

export const flow = (value: DraftValue, inFlow = true): string => {
  if (typeof value === "string") return yamlText(value, inFlow)
  if (typeof value !== "object") return String(value)
  if (Array.isArray(value)) return `[${value.map((each) => flow(each)).join(", ")}]`
  const members = Object.entries(value)
  return members.length === 0
    ? "{}"
    : `{ ${members.map(([key, inner]) => `${yamlKey(key)}: ${flow(inner)}`).join(", ")} }`
}

/** The maximum length of a value that is written on the line of its key. */
const lineLength = 100

const isList = (value: DraftValue): value is ReadonlyArray<DraftValue> => Array.isArray(value)

export const keyLines = ({ isLong, isOpen, key, notes, value, note }: DraftKey): ReadonlyArray<string> => {
  const remark = note === undefined ? "" : ` # ${commentText(note)}`
  if (isOpen === true) return [`# ${yamlKey(key)}: ${flow(value)}${remark}`]
  const inline = flow(value, false)
  if (typeof value !== "object" || (inline.length <= lineLength && isLong !== true)) {
    return [`${yamlKey(key)}: ${inline}${remark}`]
  }
  return [
    `${yamlKey(key)}:${remark}`,
    ...(isList(value)
      ? value.map((each) => `  - ${flow(each, false)}`)
      : Object.entries(value).flatMap(([name, inner]) =>
        keyLines({ key: name, value: inner, note: notes?.get(name) }).map((line) => `  ${line}`)
      )),
  ]
}

/** Returns a string of unknown origin for a comment, on one line and without invisible characters. */
export const commentText = (text: string): string => oneLine(visible(text))

const commented = (text: string): string => `# ${text}`.trimEnd()

const comment = (text: string): string => commented(commentText(text))

/** Returns an entry's lines without indentation, as a list item. An open entry is returned as a comment that a person can uncomment without changes. */
export const entryLines = (entry: DraftEntry, keys = entry.keys.flatMap(keyLines)): ReadonlyArray<string> => {
  const lines = [
    ...keys.map((line, at) => (at === 0 ? `- ${line}` : `  ${line}`)),
    ...entry.below.map((line) => `  ${commented(line)}`),
  ]
  return [...entry.comments.map(comment), ...(entry.open ? lines.map(commented) : lines)]
}

/** Returns the lines of a key of `mapping` whose value is itself a YAML mapping. */
export const memberLines = (entry: DraftEntry): ReadonlyArray<string> => {
  const keys = Object.fromEntries(entry.keys.map(({ key, value }) => [key, value]))
  const line = `${yamlKey(entry.of)}: ${flow(keys)}`
  return [
    ...entry.comments.map(comment),
    entry.open ? commented(line) : line,
    ...entry.below.map(commented),
  ]
}

export const indented = (lines: ReadonlyArray<string>, by: number): ReadonlyArray<string> =>
  lines.map((line) => (line === "" ? "" : " ".repeat(by) + line))

const listLines = (key: string, entries: ReadonlyArray<DraftEntry>): ReadonlyArray<string> =>
  entries.length === 0
    ? []
    // If all entries are comments, YAML reads the list as empty.
    : [`${key}:`, ...indented(entries.flatMap((entry) => entryLines(entry)), 2)]

const mappingLines = (draft: PipelineDraft): ReadonlyArray<string> => {
  const { questions, urlParameters, own, ignore, notes } = draft
  return [
    ...(questions.length === 0 ? ["questions:"] : listLines("questions", questions)),
    ...listLines("urlParameters", urlParameters),
    ...own.flatMap(memberLines),
    ...(ignore === undefined
      ? []
      : [
        comment(ignore.why),
        `ignore: [${ignore.columns.map((column) => yamlText(column, true)).join(", ")}]`,
      ]),
    ...notes.map(comment),
  ]
}

/** Returns the text of a new pipeline file. */
export const pipelineText = (draft: PipelineDraft, schema: string): string =>
  [
    `# yaml-language-server: $schema=${schema}`,
    ...draft.about.map(comment),
    "",
    `pipeline: ${yamlText(draft.name)}`,
    "",
    "source:",
    ...indented(draft.source.flatMap(keyLines), 2),
    "",
    "mapping:",
    ...indented(mappingLines(draft), 2),
    "",
    "sink:",
    `  service: ${yamlText(draft.service)}`,
    `  form: ${yamlText(draft.form)}`,
    "",
  ].join("\n")

// Adding to a file

/** Lines to insert into a file's text, at the offset at which a line starts. */
interface Insertion {
  readonly offset: number
  readonly lines: ReadonlyArray<string>
}

export const member = (map: unknown, key: string): Pair<unknown, unknown> | undefined =>
  isMap(map) ? map.items.find((pair) => isScalar(pair.key) && written(pair.key) === key) : undefined

export const rangeOf = (node: unknown) => (node as Node | null | undefined)?.range ?? undefined

/** Returns the value of a key as written. Undefined if it is empty, null, a list or a mapping. */
export const textOf = (map: unknown, key: string): string | undefined => {
  const value = member(map, key)?.value
  return isScalar(value) && value.value !== null ? written(value) : undefined
}

export const columnAt = (text: string, offset: number): number => offset - (text.lastIndexOf("\n", offset - 1) + 1)

/** Returns the offset of the dash before a list item, which may itself begin with a dash. */
export const dashBefore = (text: string, item: unknown): number => text.lastIndexOf("-", start(item) - 1)

/** Returns the offset after the comments that belong to the entry before them. They have the entry's indentation and end at the next line that is not a comment. */
export const afterComments = (text: string, offset: number, indent: number): number => {
  let at = offset
  while (at < text.length) {
    const end = text.indexOf("\n", at)
    const line = text.slice(at, end === -1 ? text.length : end)
    if (!line.trim().startsWith("#") || line.search(/\S/) < indent) break
    at = end === -1 ? text.length : end + 1
  }
  return at
}

/** Returns the offset of the line after a node. */
export const lineAfter = (text: string, node: unknown): number => {
  const end = rangeOf(node)?.[1] ?? 0
  // A range may include the line's end.
  if (text[end - 1] === "\n") return end
  const next = text.indexOf("\n", end)
  return next === -1 ? text.length : next + 1
}

export const last = (map: YAMLMap): unknown => {
  const pair = map.items.at(-1)
  return pair?.value ?? pair?.key
}

export const keyIndent = (text: string, map: YAMLMap): number => columnAt(text, start(map.items[0]?.key))

/** Returns the offset after a mapping's last member and the comments below it. */
export const endOf = (text: string, map: YAMLMap): number =>
  afterComments(text, lineAfter(text, last(map)), keyIndent(text, map))

/** Returns the pipeline's `mapping`, unless it is written in braces, or its entries in brackets. */
export const mappingOf = (text: string): YAMLMap | undefined => {
  const mapping = member(parseDocument(text).contents, "mapping")?.value
  const questions = member(mapping, "questions")?.value
  const isInBrackets = isSeq(questions) && questions.flow === true && questions.items.length > 0
  return isMap(mapping) && mapping.flow !== true && !isInBrackets ? mapping : undefined
}

/** Replaces the text between two offsets, at which lines start, by other lines. */
export const replaceLines = (text: string, from: number, to: number, lines: ReadonlyArray<string>): string => {
  const newLine = text.includes("\r\n") ? "\r\n" : "\n"
  const before = text.slice(0, from)
  const gap = before === "" || before.endsWith("\n") ? "" : newLine
  return before + gap + lines.map((line) => line + newLine).join("") + text.slice(to)
}

/** Inserts lines at the offset at which a line starts. */
export const insert = (text: string, offset: number, lines: ReadonlyArray<string>): string =>
  replaceLines(text, offset, offset, lines)

/** Returns where to insert new list items, or a new list. Undefined if the file's layout doesn't allow lines to be inserted. */
const listInsertion = (
  text: string,
  mapping: YAMLMap,
  key: string,
  entries: ReadonlyArray<DraftEntry>,
): Insertion | undefined => {
  const list = member(mapping, key)
  const indent = keyIndent(text, mapping)
  const lines = entries.flatMap((entry) => entryLines(entry))
  if (list === undefined) {
    return { offset: endOf(text, mapping), lines: indented([`${key}:`, ...indented(lines, 2)], indent) }
  }
  // The list has no entry yet, except in comments.
  if (list.value === null || (isScalar(list.value) && list.value.value === null)) {
    return { offset: afterComments(text, lineAfter(text, list.key), indent + 1), lines: indented(lines, indent + 2) }
  }
  const { value } = list
  if (!isSeq(value) || value.flow === true || value.items.length === 0) return undefined
  const column = columnAt(text, dashBefore(text, value.items[0]))
  const offset = afterComments(text, lineAfter(text, value.items.at(-1)), column)
  return { offset, lines: indented(lines, column) }
}

/** Removes the brackets of a mapping's empty lists, so that entries can follow the key. */
export const withoutEmptyLists = (text: string): string => {
  const mapping = mappingOf(text)
  return ["questions", "urlParameters"].map((list) => member(mapping, list)?.value)
    .filter((value) => isSeq(value) && value.items.length === 0)
    .toReversed().reduce<string>((result, value) => {
      const [from, to] = rangeOf(value) ?? [0, 0]
      return result.slice(0, from).trimEnd() + result.slice(to)
    }, text)
}

/** The parts of a draft that are added to a file. */
type Additions = Pick<PipelineDraft, "questions" | "urlParameters" | "own">

/**
 * Inserts new entries into a pipeline file's text. Leaves the existing text unchanged: comments, order, edits.
 *
 * @returns the new text; undefined if the file's layout doesn't allow that, for example if a list is on one line
 */
export const addToPipeline = (file: string, additions: Additions): string | undefined => {
  const text = withoutEmptyLists(file)
  const document = parseDocument(text, { keepSourceTokens: false })
  const mapping = member(document.contents, "mapping")?.value
  if (document.errors.length > 0 || !isMap(mapping) || mapping.flow === true || mapping.items.length === 0) {
    return undefined
  }
  const insertions: Array<Insertion> = []
  for (const key of ["questions", "urlParameters"] as const) {
    if (additions[key].length === 0) continue
    const insertion = listInsertion(text, mapping, key, additions[key])
    if (insertion === undefined) return undefined
    insertions.push(insertion)
  }
  if (additions.own.length > 0) {
    const lines = additions.own.flatMap(memberLines)
    insertions.push({ offset: endOf(text, mapping), lines: indented(lines, keyIndent(text, mapping)) })
  }
  // Inserts from the end of the file, so that earlier offsets stay correct. At the same offset, the last insertion comes first.
  return insertions.toReversed().toSorted((a, b) => b.offset - a.offset)
    .reduce((result, { lines, offset }) => insert(result, offset, lines), text)
}
