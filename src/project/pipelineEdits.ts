import { isMap, isScalar, isSeq, type Pair, parseDocument, type YAMLMap } from "yaml"
import { calledName, type Element, names } from "../domain/form.ts"
import { ownMembers } from "../domain/item.ts"
import { canonicalJson, type JsonObject } from "../domain/json.ts"
import { correctedLines } from "./correctedEntry.ts"
import {
  addToPipeline,
  afterComments,
  columnAt,
  dashBefore,
  type DraftEntry,
  type DraftValue,
  endOf,
  entryLines,
  flow,
  indented,
  insert,
  keyIndent,
  last,
  lineAfter,
  mappingOf,
  member,
  memberLines,
  rangeOf,
  replaceLines,
  textOf,
  withoutEmptyLists,
  yamlText,
} from "./PipelineDraft.ts"
import { written } from "./yamlFaults.ts"
import { lineStarts } from "./yamlText.ts"

// Each edit returns the new text, with all other lines unchanged. It returns undefined if the file's layout doesn't allow the edit.

/** Returns the values that no edit changes, and those of which it changes or removes at most one. Undefined if the text is not YAML. */
const valuesIn = (text: string) => {
  const document = parseDocument(text, { merge: true })
  if (document.errors.length > 0) return undefined
  try {
    const { source, mapping, ...others } = document.toJS() as { readonly [key: string]: JsonObject }
    const { empty: _empty, rowKey: _rowKey, where: _where, ...otherSource } = source ?? {}
    const { ignore, ignoreQuestions, lastUpdatedAt, login, questions, submissionTime, urlParameters, ...otherMapping } =
      mapping ?? {}
    const entries = { ignore, ignoreQuestions, lastUpdatedAt, login, questions, submissionTime, urlParameters }
    return {
      fixed: canonicalJson([others, otherSource, otherMapping]),
      entries: Object.entries(entries).flatMap(([key, value]) =>
        [value ?? []].flat().map((one) => canonicalJson([key, one]))
      ),
    }
  } catch {
    return undefined
  }
}

/** Whether an edited text is still YAML, and lacks or changes at most one entry, and nothing else but keys of `source` that a review asks for. */
export const keepsOthers = (before: string, after: string): boolean => {
  const [was, is] = [valuesIn(before), valuesIn(after)]
  if (was === undefined) return true
  return is?.fixed === was.fixed && was.entries.filter((one) => !is.entries.includes(one)).length <= 1
}

/** The offsets at which the lines of an entry start and end, from the first of its comments to the last. */
interface Lines {
  readonly from: number
  readonly to: number
  readonly indent: number
  /** The comments above an open entry that a person wrote. They stay. */
  readonly kept: ReadonlyArray<string>
}

/** Returns lines without their ends. */
const linesIn = (text: string, { from, to }: Pick<Lines, "from" | "to">): ReadonlyArray<string> =>
  from === to ? [] : text.slice(from, to).replace(/\r?\n$/, "").split(/\r?\n/)

/** Returns the offset at which the lines before an offset start that meet a condition. */
const startOfLines = (text: string, offset: number, isPart: (line: string) => boolean): number => {
  let from = offset
  while (from > 0) {
    const before = text.lastIndexOf("\n", from - 2) + 1
    if (!isPart(text.slice(before, from))) break
    from = before
  }
  return from
}

const indentOf = (line: string): number => line.search(/\S|$/)

const idOf = (text: string): string => text.replace(/\s#.*$/, "").trim().replace(/^(["'])(.*)\1$/, "$2")

/** Whether a comment is part of a commented entry and not a remark above an entry. */
const isBody = (line: string): boolean => /^\s*#(?: - | {3}| \w+: [{[])/.test(line)

const openStart = new RegExp(String.raw`^\s*# (?:(?:- | {2})id:\s*(.+)|(${ownMembers.join("|")}):)`)

/** Returns the lines of each entry that was left open, by the entry's id or place. */
const openEntries = (text: string): ReadonlyMap<string, Lines> => {
  const lines = text.split("\n")
  const starts = [...lineStarts(text), text.length]
  const found = new Map<string, Lines>()
  for (const [at, line] of lines.entries()) {
    const [, id, place] = openStart.exec(line) ?? []
    const of = id === undefined ? place : idOf(id)
    if (of === undefined || found.has(of)) continue
    const indent = indentOf(line)
    const belongs = (line: string | undefined): line is string =>
      line !== undefined && indentOf(line) === indent && line[indent] === "#"
    const isInside = (line: string | undefined) => belongs(line) && /^\s*# {3}/.test(line)
    let first = at
    while (isInside(lines[first])) first--
    // Otherwise, it is a choice called `id` below an entry.
    if (id !== undefined && (!belongs(lines[first]) || !/^\s*# - /.test(lines[first] ?? ""))) continue
    let from = first
    for (let above = lines[from - 1]; belongs(above) && !isBody(above); above = lines[from - 1]) from--
    let to = first + 1
    while (isInside(lines[to])) to++
    const kept = lines.slice(from, first).map((line) => line.trim()).filter((line) => !remark.test(line))
    found.set(of, { from: starts[from]!, to: starts[to]!, indent, kept })
  }
  return found
}

/** Returns a function that says whether a file's comments contain the open entry with a given id or place. */
export const isOpen = (text: string): (of: string) => boolean => {
  const open = openEntries(text)
  return (of) => open.has(of)
}

/** Returns a function that returns the entry of a question: by its id, otherwise by its name. Reads the text only once. */
const itemsIn = (text: string): (question: Element) => YAMLMap | undefined => {
  const list = member(mappingOf(text), "questions")?.value
  const items = isSeq(list) ? list.items.filter((item) => isMap(item)) : []
  const named = items.map((item) => ({ item, id: textOf(item, "id"), name: textOf(item, "name") }))
  return (question) => named.find((one) => names(one, question))?.item
}

const itemOf = (text: string, question: Element): YAMLMap | undefined => itemsIn(text)(question)

/** Returns a confidence as it is shown. It is never 1. */
export const shownConfidence = (confidence: number): number => Math.min(0.99, confidence)

/** Returns how a confidence is written above an entry, and shown in a review. */
export const scored = (confidence: number): string => `confidence ${shownConfidence(confidence).toFixed(2)}`

/** An entry with a lower confidence is unsure, unless a person has reviewed it. */
export const sureFrom = 0.9

/** Matches remarks that `init` and its review write above an entry. */
const remark = /^# (?:confidence |reviewed|suggested ·|left open|candidate )/

/** Returns the lines of a question's entry, including the remarks above it and the comments below it. */
const itemLines = (text: string, item: YAMLMap): Lines => {
  const dash = dashBefore(text, item)
  const indent = columnAt(text, dash)
  return {
    from: startOfLines(text, dash - indent, (line) => remark.test(line.trim())),
    to: afterComments(text, lineAfter(text, last(item)), indent + 1),
    indent,
    kept: [],
  }
}

/** Writes an entry in place of its open version, or after the other entries. Corrects an existing version, and keeps what the correction is not about. */
export const putEntry = (file: string, list: "questions" | "own", entry: DraftEntry): string | undefined => {
  const text = withoutEmptyLists(file)
  const name = entry.keys.find(({ key }) => key === "name")?.value
  const question = { id: entry.of, name: typeof name === "string" ? name : "" }
  const item = list === "questions" ? itemOf(text, question) : undefined
  const place = item === undefined ? openEntries(text).get(entry.of) : itemLines(text, item)
  if (place !== undefined) {
    const lines = item !== undefined
      ? correctedLines(text, item, place.to, entry, false)
      : list === "questions"
      ? resolvedLines(text, place, entry)
      : [...place.kept, ...memberLines(entry)]
    const corrected = replaceLines(text, place.from, place.to, indented(lines, place.indent))
    return list === "own" || entry.open ? corrected : withTranslations(corrected, question, entry)
  }
  return addToPipeline(text, { questions: [], urlParameters: [], own: [], [list]: [entry] })
}

/** Returns the lines of an entry that was open, with the keys that a person added to the comment. */
const resolvedLines = (text: string, place: Lines, entry: DraftEntry): ReadonlyArray<string> => {
  const body = linesIn(text, place).map((line) => line.slice(place.indent))
  const first = body.findIndex((line) => line.startsWith("# - "))
  const bare = body.slice(first).map((line) => line.slice(2)).join("\n")
  const document = parseDocument(bare)
  const item = isSeq(document.contents) ? document.contents.items[0] : undefined
  const isEntry = document.errors.length === 0 && isMap(item)
  return [...place.kept, ...isEntry ? correctedLines(bare, item, bare.length, entry, true) : entryLines(entry)]
}

/** Adds the translations that an entry's earlier `values` don't have, and removes the translated choices from the comment that lists open ones. */
const withTranslations = (text: string, question: Element, entry: DraftEntry): string => {
  const values = member(itemOf(text, question), "values")?.value
  if (!isMap(values) || member(values, "set") !== undefined) return text
  const given = entry.keys.find(({ key }) => key === "values")?.value
  const found = typeof given === "object" && !Array.isArray(given) ? Object.entries(given) : []
  const added = found.filter(([choice]) => member(values, choice) === undefined).reduce(
    (result, [choice, option]) => setChoice(result, question, choice, String(option)) ?? result,
    text,
  )
  return values.items.reduce(
    (result, { key }) => isScalar(key) ? withoutListed(result, question, written(key)) : result,
    added,
  )
}

/** Removes the entry of a question, or the comment that proposes one. */
export const removeEntry = (text: string, question: Element): string => {
  const item = itemOf(text, question)
  const place = item === undefined ? openEntries(text).get(question.id) : itemLines(text, item)
  return place === undefined ? text : replaceLines(text, place.from, place.to, indented(place.kept, place.indent))
}

/** Removes the entry of a question, and adds the question to those that stay unanswered on purpose. */
export const leaveUnanswered = (text: string, question: Element): string | undefined => {
  const left = removeEntry(text, question)
  return itemOf(left, question) === undefined ? ignore(left, "ignoreQuestions", calledName(question)) : undefined
}

/** Adds a name to the columns, or to the questions, that are skipped on purpose. */
export const ignore = (text: string, list: "ignore" | "ignoreQuestions", name: string): string | undefined => {
  const mapping = mappingOf(text)
  if (mapping === undefined) return undefined
  const ignored = member(mapping, list)
  const shown = yamlText(name, true)
  if (ignored === undefined) {
    // Inserts before the empty lines between the mapping and the next key.
    const offset = text.slice(0, endOf(text, mapping)).trimEnd().length
    const lines = indented([`${list}: [${shown}]`], keyIndent(text, mapping))
    return insert(text, text.indexOf("\n", offset) + 1 || text.length, lines)
  }
  const { value } = ignored
  if (!isSeq(value)) return undefined
  if (value.items.some((item) => isScalar(item) && written(item) === name)) return text
  if (value.flow === true) {
    const last = rangeOf(value.items.at(-1))
    const at = last?.[1] ?? text.lastIndexOf("]", rangeOf(value)?.[1] ?? 0)
    return text.slice(0, at) + (last === undefined ? "" : ", ") + shown + text.slice(at)
  }
  const indent = columnAt(text, dashBefore(text, value.items[0]))
  return insert(text, lineAfter(text, value.items.at(-1)), indented([`- ${shown}`], indent))
}

/** Adds a remark above a question's entry that a person has accepted. The remark says so. */
export const markReviewed = (text: string, question: Element): string | undefined => {
  const item = itemOf(text, question)
  if (item === undefined) return undefined
  const { from, to } = itemLines(text, item)
  return text.slice(0, from) + text.slice(from, to).replaceAll(/^(\s*)# confidence [\d.]+/gm, "$1# reviewed")
    + text.slice(to)
}

/** Returns a function that returns the confidence that is written above a question's entry. Undefined if it is missing or a person has reviewed the entry. */
export const confidencesIn = (text: string): (question: Element) => number | undefined => {
  const itemOf = itemsIn(text)
  return (question) => {
    const item = itemOf(question)
    if (item === undefined) return undefined
    const { from, to } = itemLines(text, item)
    const found = /^\s*# confidence ([\d.]+)/m.exec(text.slice(from, to))?.[1]
    return found === undefined ? undefined : Number(found)
  }
}

/**
 * Translates a choice in a question's cells. Writes it under `values`, in place of an earlier translation, and removes it from the comment that lists it.
 *
 * @param option the option; null means no answer
 * @param as the kind of the answers, which `values` needs. It is written if the entry names none
 */
export const setChoice = (
  text: string,
  question: Element,
  choice: string,
  option: string | null,
  as?: string,
): string | undefined => {
  const item = itemOf(text, question)
  if (item === undefined || item.flow === true) return undefined
  const indent = keyIndent(text, item)
  const shown = option === null ? "null" : yamlText(option, true)
  const line = `${yamlText(choice, true)}: ${option === null ? "null" : yamlText(option)}`
  const values = member(item, "values") as Pair<unknown, unknown> | undefined
  const known = member(values?.value, choice)
  if (known !== undefined) return withValue(text, known, shown)
  const kind = as === undefined || member(item, "as") !== undefined ? [] : [`as: ${as}`]
  const inserted = values === undefined
    ? insert(text, lineAfter(text, last(item)), indented([...kind, "values:", `  ${line}`], indent))
    : isMap(values.value) && values.value.flow !== true
    ? insert(text, lineAfter(text, last(values.value)), indented([line], keyIndent(text, values.value)))
    : isMap(values.value)
    ? withMember(text, values.value, `${yamlText(choice, true)}: ${shown}`)
    : undefined
  return inserted === undefined ? undefined : withoutListed(inserted, question, choice)
}

/** Writes a value after its key, or in place of the value there. Undefined if that value has several lines. */
const withValue = (text: string, { key, value }: Pair, shown: string): string | undefined => {
  const [from, to] = rangeOf(value) ?? [0, 0]
  if (to > from) return text.slice(from, to).includes("\n") ? undefined : text.slice(0, from) + shown + text.slice(to)
  const end = rangeOf(key)?.[1] ?? 0
  const [colon] = /^\s*:/.exec(text.slice(end)) ?? []
  return colon && `${text.slice(0, end)}${colon} ${shown}${text.slice(end + colon.length)}`
}

const withMember = (text: string, values: YAMLMap, shown: string): string => {
  const [from, to] = rangeOf(values) ?? [0, 0]
  const written = text.slice(from, to).replace(/\s*\}$/, "")
  return `${text.slice(0, from)}${written}${values.items.length === 0 ? " " : ", "}${shown} }${text.slice(to)}`
}

/** Removes a choice from the comment below an entry. Removes the whole comment with its last choice. */
const withoutListed = (text: string, question: Element, choice: string): string => {
  const item = itemOf(text, question)
  if (item === undefined) return text
  const { to } = itemLines(text, item)
  const from = startOfLines(text, to, (line) => /^\s*#/.test(line))
  const key = `${yamlText(choice, true)}:`
  const lines = linesIn(text, { from, to })
  const isListed = (line: string) => /^\s*# {3}(?![# ])/.test(line)
  const left = lines.filter((line) => !(isListed(line) && line.replace(/^\s*#\s*/, "").startsWith(key)))
  const kept = left.some((line) => isListed(line) || / otherwise:/.test(line))
    ? left
    : left.filter((line) => !/^\s*# (?:values:|  )/.test(line))
  // The entry has `values` now, so the rest can be added to it.
  return replaceLines(text, from, to, kept.map((line) => line.replace(/^(\s*# )values: (?=#)/, "$1  ")))
}

/** Writes a key of `source`: in place of its value, or of the comment that proposes it. */
export const setSourceKey = (text: string, key: string, value: DraftValue): string | undefined => {
  const source = member(parseDocument(text).contents, "source")?.value
  if (!isMap(source) || source.flow === true) return undefined
  const before = member(source, key)
  if (before !== undefined) return withValue(text, before, flow(value, false))
  const lines = indented([`${key}: ${flow(value, false)}`], keyIndent(text, source))
  const place = proposal(text, key)
  return place === undefined
    ? insert(text, lineAfter(text, last(source)), lines)
    : replaceLines(text, place.from, place.to, lines)
}

/** Returns the value that a comment proposes for a key of `source`. */
export const proposedSourceKey = (text: string, key: string): DraftValue | undefined => {
  const place = proposal(text, key)
  const line = place && text.slice(place.from, place.to).trim().slice(2)
  const parsed = line === undefined ? undefined : parseDocument(line, { schema: "failsafe" })
  return parsed === undefined || parsed.errors.length > 0
    ? undefined
    : (parsed.toJS() as Record<string, DraftValue>)[key]
}

/** Texts that look like "no answer", or a condition for unfinished responses, which a comment in the file proposes. */
export interface SourceProposal {
  readonly key: "empty" | "where"
  readonly value: DraftValue
}

/** Returns the keys of `source` that comments propose. */
export const proposals = (text: string): ReadonlyArray<SourceProposal> =>
  (["empty", "where"] as const).flatMap((key) => {
    const value = proposedSourceKey(text, key)
    return value === undefined ? [] : [{ key, value }]
  })

/** Removes the comment that proposes a key of `source`. */
export const removeProposal = (text: string, key: string): string => {
  const place = proposal(text, key)
  return place === undefined ? text : replaceLines(text, place.from, place.to, [])
}

/** Returns the line of the comment that proposes a key of `source`. */
const proposal = (text: string, key: string): Pick<Lines, "from" | "to"> | undefined => {
  const [source, mapping] = [text.search(/^source:/m), text.search(/^mapping:/m)]
  const end = mapping < source ? text.length : mapping
  const found = [...text.matchAll(/^[^\S\n]*# (\w+): .*(?:\n|$)/gm)].find(({ 1: name, index }) =>
    name === key && index > source && index < end
  )
  return found && { from: found.index, to: found.index + found[0].length }
}
