import { isMap, isScalar, isSeq, parseDocument } from "yaml"
import type { Node, Pair, YAMLMap } from "yaml"
import type { DraftEntry, PipelineDraft } from "./PipelineDraft.ts"
import { entryLines, indented, memberLines } from "./PipelineDraft.ts"

/** Lines to insert into a text, at an offset where a line begins. */
interface Insertion {
  readonly offset: number
  readonly lines: ReadonlyArray<string>
}

const member = (map: unknown, key: string): Pair<unknown, unknown> | undefined =>
  isMap(map) ? map.items.find((pair) => isScalar(pair.key) && String(pair.key.value) === key) : undefined

const rangeOf = (node: unknown) => (node as Node | null | undefined)?.range ?? undefined

const columnAt = (text: string, offset: number): number => offset - (text.lastIndexOf("\n", offset - 1) + 1)

/** Returns the offset after the comments that belong to the entry before them: those with its indentation, up to the next line that is no comment. */
const afterComments = (text: string, offset: number, indent: number): number => {
  let at = offset
  while (at < text.length) {
    const end = text.indexOf("\n", at)
    const line = text.slice(at, end === -1 ? text.length : end)
    if (!line.trim().startsWith("#") || line.search(/\S/) < indent) break
    at = end === -1 ? text.length : end + 1
  }
  return at
}

/** Returns the beginning of the line after a node. */
const lineAfter = (text: string, node: unknown): number => {
  const end = rangeOf(node)?.[1] ?? 0
  // A range may include the line's end.
  if (text[end - 1] === "\n") return end
  const next = text.indexOf("\n", end)
  return next === -1 ? text.length : next + 1
}

const last = (map: YAMLMap): unknown => {
  const pair = map.items.at(-1)
  return pair?.value ?? pair?.key
}

const keyIndent = (text: string, map: YAMLMap): number => columnAt(text, rangeOf(map.items[0]?.key)?.[0] ?? 0)

/** Returns where to insert new items of a list, or a new list; undefined if lines can't be inserted into the file as it is written. */
const listInsertion = (
  text: string,
  mapping: YAMLMap,
  key: string,
  entries: ReadonlyArray<DraftEntry>,
): Insertion | undefined => {
  const list = member(mapping, key)
  const indent = keyIndent(text, mapping)
  const lines = entries.flatMap((entry) => entryLines(entry, true))
  if (list === undefined || list.value === null || (isScalar(list.value) && list.value.value === null)) {
    if (list !== undefined) return undefined
    const offset = afterComments(text, lineAfter(text, last(mapping)), indent)
    const head = entries.every(({ open }) => open) ? `# ${key}:` : `${key}:`
    return { offset, lines: indented([head, ...indented(lines, 2)], indent) }
  }
  const { value } = list
  if (!isSeq(value) || value.flow === true || value.items.length === 0) return undefined
  const first = rangeOf(value.items[0])?.[0] ?? 0
  const dash = text.lastIndexOf("-", first - 1)
  const offset = afterComments(text, lineAfter(text, value.items.at(-1)), columnAt(text, dash))
  return { offset, lines: indented(lines, columnAt(text, dash)) }
}

/** The parts of a draft that are added to a file. */
export type Additions = Pick<PipelineDraft, "questions" | "urlParameters" | "own">

/**
 * Inserts new entries into a pipeline file's text. All of its text stays byte by byte: comments, order, edits.
 * @returns the new text; undefined if lines can't be inserted into the file as it is written, such as lists on one line
 */
export const addToPipeline = (text: string, additions: Additions): string | undefined => {
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
    const indent = keyIndent(text, mapping)
    insertions.push({
      offset: afterComments(text, lineAfter(text, last(mapping)), indent),
      lines: indented(additions.own.flatMap((entry) => memberLines(entry.of, entry)), indent),
    })
  }
  const newLine = text.includes("\r\n") ? "\r\n" : "\n"
  let result = text
  // From the end, so that offsets stay correct. Of several at one place, the later one first.
  for (const { offset, lines } of insertions.toReversed().toSorted((a, b) => b.offset - a.offset)) {
    const before = result.slice(0, offset)
    const gap = before === "" || before.endsWith("\n") ? "" : newLine
    result = before + gap + lines.join(newLine) + newLine + result.slice(offset)
  }
  return result
}

/** Returns whether a file's comments contain an entry that was left open, by its id or place. */
export const isOpen = (text: string): (of: string) => boolean => {
  const comments = Array.from(
    text.matchAll(/^\s*#\s*(?:-\s+)?(?:id:\s*(.+?)|(submissionTime|lastUpdatedAt|login):.*)\s*$/gm),
  )
  const open = new Set(
    comments.map(([, id, place]) => place ?? (id ?? "").replace(/\s#.*$/, "").replace(/^["'](.*)["']$/, "$1")),
  )
  return (of) => open.has(of)
}
