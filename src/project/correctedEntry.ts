import { isScalar, type Pair, type YAMLMap } from "yaml"
import { kinds } from "../kinds/index.ts"
import {
  type DraftEntry,
  entryLines,
  flow,
  keyIndent,
  keyLines,
  lineAfter,
  member,
  rangeOf,
  yamlText,
} from "./PipelineDraft.ts"

/** The keys that say where the answer comes from. */
const inputKeys: ReadonlyArray<string> = ["from", "value", "template"]

/** The options that say how the cells of a column are written. They don't apply to a different column. */
const writtenAs = new Set(["format", "zone", "decimal", "group", "split", "true", "false", "country", "other"])

const optionsOfKinds = new Set([...kinds.values()].flatMap(({ options }) => Object.keys(options)))

/** A comment that `init`, its review or the studio wrote below an entry. */
const isListed = (line: string): boolean => /^# (?: {2}|values:|otherwise:|these are not options)/.test(line)

/** A note that was written after a value to say what else it may be, or how often it occurs. */
const isNote = (comment: string): boolean => /^# (?:or |as in the |the labels of |[\d,]+ ×)/.test(comment)

/** A key of an existing entry, without indentation. */
interface Part {
  readonly key: string
  /** The comments above the key. */
  readonly above: ReadonlyArray<string>
  readonly lines: ReadonlyArray<string>
  /** The comment after a value on one line. */
  readonly behind: string
}

/** Returns the keys of an entry, and the comments below the last one. */
const partsOf = (text: string, item: YAMLMap, end: number) => {
  const indent = item.flow === true ? 0 : keyIndent(text, item)
  const cut = (from: number, to: number) =>
    text.slice(from, to).replaceAll("\r", "").split("\n").map((line) =>
      line.slice(Math.min(indent, line.search(/\S|$/)))
    )
  const pairs = item.items as ReadonlyArray<Pair>
  const comments = (from: number, to: number) => cut(from, Math.max(from, to)).filter((line) => line !== "")
  let before: number | undefined
  const parts = pairs.map(({ key, value }): Part => {
    const start = rangeOf(key)?.[0] ?? 0
    const node = value ?? key
    const to = item.flow === true ? rangeOf(node)?.[1] ?? start : lineAfter(text, node)
    const lines = cut(start, to).map((line, at) => at === 0 ? line.trimStart() : line)
    while (lines.at(-1) === "") lines.pop()
    const lineStart = text.lastIndexOf("\n", start - 1) + 1
    const above = item.flow === true || before === undefined ? [] : comments(before, lineStart)
    before = to
    const behind = /^\s*(#.*)$/.exec(cut(rangeOf(node)?.[1] ?? start, to)[0] ?? "")?.[1] ?? ""
    return { key: isScalar(key) ? String(key.value) : "", above, lines, behind: lines.length > 1 ? "" : behind }
  })
  const after = item.flow === true ? rangeOf(item)?.[1] : before
  return { parts, below: comments(after ?? end, end).map((line) => line.trim()).filter((line) => line.startsWith("#")) }
}

const valueOf = (text: string, item: YAMLMap, key: string): string | undefined => {
  const value = member(item, key)?.value
  return isScalar(value) ? String(value.value) : text.slice(...(rangeOf(value) ?? [0, 0]).slice(0, 2)) || undefined
}

/**
 * Returns the lines of an existing entry after a correction, without indentation. Keeps its keys and comments, except those that the correction replaces and
 * those that don't apply to the new kind.
 *
 * @param end the offset after the entry and the comments below it
 * @param wasOpen whether the entry was a comment; its options are then proposals
 */
export const correctedLines = (
  text: string,
  item: YAMLMap,
  end: number,
  entry: DraftEntry,
  wasOpen: boolean,
): ReadonlyArray<string> => {
  const { below, parts } = partsOf(text, item, end)
  const { kind = "text" } = entry
  const given = new Map(entry.keys.map((one) => [one.key, one]))
  const from = given.get("from")?.value ?? ""
  const isSame = valueOf(text, item, "from") === (typeof from === "string" ? from : flow(from, false))
  const fits = (key: string) => !optionsOfKinds.has(key) || Object.hasOwn(kinds.get(kind)?.options ?? {}, key)
  const stays = ({ key }: Part) =>
    key === "extract"
      ? typeof from === "string" || Array.isArray(from)
      : key !== "as" && !inputKeys.includes(key) && fits(key) && (isSame && !wasOpen || !writtenAs.has(key))
        && (isSame || !wasOpen || !optionsOfKinds.has(key))
  const isNaming = (key: string) => key === "id" || key === "name"
  const isValues = (key: string) => key === "values" || key === "otherwise"
  const needsKind = parts.some((part) => optionsOfKinds.has(part.key) && stays(part))
  const oldKind = valueOf(text, item, "as")
  if (!given.has("as") && (needsKind || oldKind === kind) && oldKind !== undefined) {
    given.set("as", { key: "as", value: kind })
  }
  const has = (key: string) => parts.some((part) => part.key === key)
  // Answers that a person gave to single choices count more than those that were found.
  const kept = (part: Part) => stays(part) && (!given.has(part.key) || isValues(part.key))
  const lines: Array<string> = []
  const added = () =>
    [...given.values()].filter(({ key }) => !isNaming(key) && key !== "from" && !has(key)).flatMap(keyLines)
  // An open entry is found again by its id.
  if (entry.open && !has("id")) lines.push(`id: ${yamlText(entry.of)}`)
  for (const part of parts) {
    const isInput = inputKeys.includes(part.key)
    const by = given.get(isInput ? "from" : part.key)
    if ((isNaming(part.key) && !has("id")) || (!isNaming(part.key) && kept(part))) {
      lines.push(...part.above, ...part.lines)
    } else if (by === undefined) lines.push(...part.above)
    else if (valueOf(text, item, part.key) === by.value && part.key === by.key) lines.push(...part.above, ...part.lines)
    else {
      const written = keyLines(by)
      const behind = by.note !== undefined || isNote(part.behind) || part.behind === "" ? "" : ` ${part.behind}`
      lines.push(...part.above, `${written[0]}${behind}`, ...written.slice(1))
    }
    if (isInput) lines.push(...added())
  }
  if (!inputKeys.some(has)) lines.push(...keyLines({ key: "from", value: from }), ...added())
  const isListKept = has("values") && fits("values")
  return entryLines(
    {
      ...entry,
      below: [
        ...below.filter((line) => !isListed(line)).map((line) => line.replace(/^# ?/, "")),
        ...entry.below.map((line) => isListKept ? line.replace(/^values: (?=#)/, "  ") : line),
      ],
    },
    true,
    lines,
  )
}
