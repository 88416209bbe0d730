import { parse } from "yaml"
import { visible } from "../domain/visible.ts"
import type { DraftEntry, DraftKey, DraftValue } from "./PipelineDraft.ts"

/** What double quotes must spell out beyond JSON's own: characters that YAML does not print. */
const unprintable = /[\u007F-\u009F\u2028\u2029\uFEFF\uD800-\uDFFF]/gu

const isPlain = (text: string, inFlow: boolean): boolean => {
  if (text === "" || text.length > 500 || /[\p{Cc}\u2028\u2029]/u.test(text) || text !== text.trim()) return false
  if (inFlow && /[,[\]{}]/.test(text)) return false
  if (/^[-?:,[\]{}#&*!|>'"%@`]|: |:$| #/.test(text)) return false
  try {
    return parse(text) === text
  } catch {
    return false
  }
}

/** A text as YAML reads it back, on one line: plain where that is safe. */
export const yamlText = (text: string, inFlow = false): string =>
  isPlain(text, inFlow)
    ? text
    : JSON.stringify(text).replace(unprintable, (character) =>
      `\\u${(character.codePointAt(0) ?? 0).toString(16).padStart(4, "0")}`)

/** A key: what YAML would take for anything but text is quoted. */
const yamlKey = (key: string): string => yamlText(key, true)

const flow = (value: DraftValue, inFlow = true): string => {
  if (typeof value === "string") return yamlText(value, inFlow)
  if (typeof value !== "object") return String(value)
  if (Array.isArray(value)) return `[${value.map((each) => flow(each)).join(", ")}]`
  const members = Object.entries(value)
  return members.length === 0
    ? "{}"
    : `{ ${members.map(([key, inner]) => `${yamlKey(key)}: ${flow(inner)}`).join(", ")} }`
}

/** Longest value that stands on the line of its key. */
const lineLength = 100

const isList = (value: DraftValue): value is ReadonlyArray<DraftValue> => Array.isArray(value)

const keyLines = ({ key, value, note }: DraftKey): ReadonlyArray<string> => {
  const behind = note === undefined ? "" : ` # ${commentText(note)}`
  const inline = flow(value, false)
  if (typeof value !== "object" || inline.length <= lineLength) return [`${yamlKey(key)}: ${inline}${behind}`]
  return [
    `${yamlKey(key)}:${behind}`,
    ...(isList(value)
      ? value.map((each) => `  - ${flow(each, false)}`)
      : Object.entries(value).flatMap(([name, inner]) =>
        keyLines({ key: name, value: inner }).map((line) => `  ${line}`)
      )),
  ]
}

/** A text of unknown origin inside of a comment: on one line, with nothing that can't be seen. */
export const commentText = (text: string): string => visible(text).replaceAll(/\s+/g, " ").trim()

const commented = (text: string): string => `# ${text}`.trimEnd()

/** An entry's lines without indentation: as an item of a list, or as keys alone. What is left open is a comment, ready to be taken in. */
export const entryLines = (entry: DraftEntry, asItem: boolean): ReadonlyArray<string> => {
  const keys = entry.keys.flatMap(keyLines)
  const body = asItem ? keys.map((line, at) => (at === 0 ? `- ${line}` : `  ${line}`)) : keys
  const below = entry.below.map((line) => `${asItem ? "  " : ""}${commented(line)}`)
  return [
    ...entry.comments.map((line) => commented(commentText(line))),
    ...(entry.open ? body.map(commented) : body),
    ...(entry.open ? below.map(commented) : below),
  ]
}

/** A member of a mapping with keys of its own. */
export const memberLines = (name: string, entry: DraftEntry): ReadonlyArray<string> => {
  const keys = Object.fromEntries(entry.keys.map(({ key, value }) => [key, value]))
  const line = `${yamlKey(name)}: ${flow(keys)}`
  return [
    ...entry.comments.map((text) => commented(commentText(text))),
    entry.open ? commented(line) : line,
    ...entry.below.map(commented),
  ]
}

export const indented = (lines: ReadonlyArray<string>, by: number): ReadonlyArray<string> =>
  lines.map((line) => (line === "" ? "" : " ".repeat(by) + line))
