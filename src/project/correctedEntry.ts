import { isScalar, type Pair, type YAMLMap } from "yaml"
import { kinds } from "../kinds/index.ts"
import {
  type DraftEntry,
  type DraftKey,
  entryLines,
  flow,
  keyIndent,
  keyLines,
  lineAfter,
  member,
  rangeOf,
  textOf,
  yamlText,
} from "./PipelineDraft.ts"
import { start, written } from "./yamlFaults.ts"

/** What a correction changes about an entry. */
interface Correction {
  /** Whether the entry still reads the same columns. */
  readonly isSameInput: boolean
  /** Whether the entry reads a block of columns now. */
  readonly isBlock: boolean
  /** Whether the entry was a comment. Its options are then only proposals. */
  readonly wasOpen: boolean
}

/** What happens to a key of a corrected entry. */
interface KeyRule {
  readonly keys: ReadonlySet<string>
  /** Whether the key stays if the correction does not set it. */
  readonly stays: (correction: Correction) => boolean
  /** Whether the key stays even if the correction sets it. */
  readonly isFirm?: true
}

const optionsOfKinds = new Set([...kinds.values()].flatMap(({ options }) => Object.keys(options)))

/** The keys that say where the answer comes from. `from` replaces them all. */
const input = new Set(["from", "value", "template"])

/** The keys that say which question an entry is for. They stay in an entry without an id, because its name finds it. */
const naming = new Set(["id", "name"])

/** The rules for all other keys: the first one that has a key applies. Any other key stays. */
const rules: ReadonlyArray<KeyRule> = [
  { keys: new Set(["as"]), stays: () => false },
  { keys: new Set(["extract"]), stays: ({ isBlock }) => !isBlock },
  // How the cells of a column are written does not apply to a different column.
  {
    keys: new Set(["format", "zone", "decimal", "group", "percent", "split", "true", "false", "country", "other"]),
    stays: ({ isSameInput, wasOpen }) => isSameInput && !wasOpen,
  },
  // Answers that a person gave to single choices count more than those that were found.
  {
    keys: new Set(["values", "otherwise"]),
    stays: ({ isSameInput, wasOpen }) => isSameInput || !wasOpen,
    isFirm: true,
  },
  { keys: optionsOfKinds, stays: ({ isSameInput, wasOpen }) => isSameInput || !wasOpen },
]

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
  readonly remark: string
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
    const from = start(key)
    const node = value ?? key
    const to = item.flow === true ? rangeOf(node)?.[1] ?? from : lineAfter(text, node)
    const lines = cut(from, to).map((line, at) => at === 0 ? line.trimStart() : line)
    while (lines.at(-1) === "") lines.pop()
    const lineStart = text.lastIndexOf("\n", from - 1) + 1
    const above = item.flow === true || before === undefined ? [] : comments(before, lineStart)
    before = to
    const remark = /^\s*(#.*)$/.exec(cut(rangeOf(node)?.[1] ?? from, to)[0] ?? "")?.[1] ?? ""
    return { key: isScalar(key) ? written(key) : "", above, lines, remark: lines.length > 1 ? "" : remark }
  })
  const after = item.flow === true ? rangeOf(item)?.[1] : before
  return { parts, below: comments(after ?? end, end).map((line) => line.trim()).filter((line) => line.startsWith("#")) }
}

/** Returns the value of a key as written. A list or a mapping has its brackets. */
const valueOf = (text: string, item: YAMLMap, key: string): string | undefined => {
  const [from, to] = rangeOf(member(item, key)?.value) ?? [0, 0]
  return textOf(item, key) ?? (text.slice(from, to) || undefined)
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
  const correction: Correction = {
    isSameInput: valueOf(text, item, "from") === (typeof from === "string" ? from : flow(from, false)),
    isBlock: typeof from !== "string" && !Array.isArray(from),
    wasOpen,
  }
  const has = (key: string) => parts.some((part) => part.key === key)
  const fits = (key: string) => !optionsOfKinds.has(key) || Object.hasOwn(kinds.get(kind)?.options ?? {}, key)
  const stays = (key: string) => fits(key) && ruleOf(key)?.stays(correction) !== false
  const needsKind = parts.some(({ key }) => optionsOfKinds.has(key) && stays(key))
  const oldKind = valueOf(text, item, "as")
  if (!given.has("as") && (needsKind || oldKind === kind) && oldKind !== undefined) {
    given.set("as", { key: "as", value: kind })
  }

  const isKept = (key: string) => {
    if (input.has(key)) return false
    if (naming.has(key)) return !has("id")
    return stays(key) && (ruleOf(key)?.isFirm === true || !given.has(key))
  }
  const correctedPart = (part: Part): ReadonlyArray<string> => {
    const by = given.get(input.has(part.key) ? "from" : part.key)
    const isUnchanged = part.key === by?.key && valueOf(text, item, part.key) === by.value
    if (isKept(part.key) || isUnchanged) return [...part.above, ...part.lines]
    return by === undefined ? part.above : [...part.above, ...replacedLines(part, by)]
  }
  const added = [...given.values()].filter(({ key }) => key !== "from" && !naming.has(key) && !has(key))
    .flatMap(keyLines)
  const isListKept = has("values") && fits("values")
  return entryLines(
    {
      ...entry,
      below: [
        ...below.filter((line) => !isListed(line)).map((line) => line.replace(/^# ?/, "")),
        ...entry.below.map((line) => isListKept ? line.replace(/^values: (?=#)/, "  ") : line),
      ],
    },
    [
      // An open entry is found again by its id.
      ...entry.open && !has("id") ? [`id: ${yamlText(entry.of)}`] : [],
      ...parts.flatMap((part) => input.has(part.key) ? [...correctedPart(part), ...added] : correctedPart(part)),
      ...parts.some(({ key }) => input.has(key)) ? [] : [...keyLines({ key: "from", value: from }), ...added],
    ],
  )
}

const ruleOf = (key: string): KeyRule | undefined => rules.find(({ keys }) => keys.has(key))

/** Returns the lines of a key with a new value. A remark that a person wrote after the old value stays. */
const replacedLines = ({ remark }: Part, by: DraftKey): ReadonlyArray<string> => {
  const [first, ...rest] = keyLines(by)
  const isRemark = remark !== "" && by.note === undefined && !isNote(remark)
  return [isRemark ? `${first} ${remark}` : `${first}`, ...rest]
}
