import { cellText } from "../../domain/cell.ts"
import { type Option, optionNamer, type Question } from "../../domain/form.ts"
import { cut, problemWords } from "../../domain/problem.ts"
import { counted, present } from "../../domain/words.ts"
import { kindOfType, kinds } from "../../kinds/index.ts"
import { Fault, ofColumns, type Parse } from "../../kinds/Kind.ts"
import { usualChecks } from "../../kinds/optionColumns.ts"
import { isTick, saysNo, saysYes } from "../../profile/cellWords.ts"
import { cellsIn, type ProfiledColumn } from "../../profile/ColumnProfile.ts"
import { dateFormats, formatsOf, hasOffset, momentIn, numberSigns } from "../../profile/notations.ts"
import type { DraftKey, DraftValue } from "../../project/PipelineDraft.ts"
import { blockKinds, expectedOf } from "../fit.ts"
import { namesConcept, wordingOf } from "../meaning.ts"
import { exactOption, indexOptions, likelySeparator, optionNamed, splitFit, splitTexts } from "../optionIndex.ts"
import { type Block, codesOf, hasParts, type OwnColumn, type Suggestion } from "../Suggestion.ts"
import { vocabulary } from "../words/words.ts"

/** Something that the cells don't show, so that a person must complete the entry. */
export interface Gap {
  /** What the cells don't show, as text that follows a colon. */
  readonly why: string
  /** What the person must do, as the start of a sentence. */
  readonly todo: string
  /** The key to ask the person for. Undefined if the person must edit the file. */
  readonly key?: string
  /** The values of the key to choose from. If there are none, any text is accepted. */
  readonly choices?: ReadonlyArray<string>
}

/** How an entry reads its cells. */
export interface Settings {
  /** The kind to write into the entry. Undefined if the question's type determines it, or if the answer is text. */
  readonly kind: string | undefined
  readonly keys: ReadonlyArray<DraftKey>
  readonly gaps: ReadonlyArray<Gap>
  /** Why the settings don't fit the cells. */
  readonly misfit?: Gap
}

type Found = Partial<Settings>

type Codes = ReturnType<typeof codesOf>

/** Returns what a person must complete, in sentences. Undefined if there is nothing. */
export const openIn = ({ gaps, misfit }: Pick<Settings, "gaps" | "misfit">): string | undefined =>
  present([...gaps, misfit]).map(({ todo, why }) => `${why}. ${todo}, then remove the #.`).join(" Also: ") || undefined

/** Returns keys for the values that are defined and not empty. */
const keysFor = (values: Readonly<Record<string, DraftValue | undefined>>) =>
  Object.entries(values).flatMap(([key, value = ""]): ReadonlyArray<DraftKey> =>
    Object.keys(value).length === 0 ? [] : [{ key, value }]
  )

/** Returns keys as the options of a kind. */
export const optionsOf = (keys: ReadonlyArray<DraftKey>): Readonly<Record<string, DraftValue>> =>
  Object.fromEntries(keys.map(({ key, value }) => [key, value]))

/** Returns how a kind reads cells if an entry has these keys. Times without a zone are read in UTC. Undefined if a key has a value that it can't have. */
export const readerOf = (kind: string, keys: ReadonlyArray<DraftKey> = []): Parse | undefined => {
  // The cast is safe, because the keys come from suggestions. The kind itself checks names of zones and countries, and formats.
  const options = { ...kind === "dateTime" && { zone: "UTC" }, ...optionsOf(keys) } as never
  const made = kinds.get(kind)?.compile(options, { question: undefined, input: ofColumns, empty: new Set() })
  return typeof made === "function" ? made : undefined
}

/** Tries settings on a column's cells. They don't fit if more than half of the cells can't be read, or more than 1% if the settings say how cells are written. */
const tried = (settings: Settings, column: ProfiledColumn): Settings => {
  const { gaps, keys, kind = "text" } = settings
  const { cells, filled, more } = cellsIn(column)
  // Numbers without a country code can be read with the country that a person adds.
  const lacksCountry = gaps.some(({ key }) => key === "country")
  const parse = lacksCountry ? undefined : readerOf(kind, keys)
  const unread = cells.flatMap(({ cell, times }) => {
    const fault = parse?.([cell])
    // Whether a time is skipped or repeated by a clock change depends on the zone, and the suggested zone may only be an example.
    return fault instanceof Fault && fault.code !== "ambiguous-time" ? [{ cell, code: fault.code, times }] : []
  })
  const faulty = unread.reduce((sum, { times }) => sum + times, 0)
  // A zone does not say how cells are written.
  const most = keys.some(({ key }) => key !== "zone") ? 0.01 : 0.5
  const [first] = unread
  if (first === undefined || faulty <= filled * most) return settings
  const shown = unread.slice(0, 3).map(({ cell }) => JSON.stringify(cut(cellText(cell), 40))).join(", ")
  // Beyond the texts that are kept, a cell stands for all with its notation.
  const problem = `${problemWords[first.code]}${more ? ", estimated" : ""}`
  const why = `${faulty} of ${counted(filled, "cell")} can't be read like this (${problem}), such as ${shown}`
  const areDays = kind.startsWith("date") && unread.every(({ cell }) => /^[2-6]\d{4}(?:\.\d+)?$/.test(cellText(cell)))
  const todo = areDays ? "If these are the numbers of days that Excel stores, add excel to format" : "Correct it"
  return { ...settings, misfit: { why, todo } }
}

/** A column, with its formats and zone if a form tool is known to use them. */
type TimeColumn = ProfiledColumn & Partial<Pick<OwnColumn, "format" | "zone">>

const formatSettings = (column: TimeColumn, kind: "date" | "time" | "dateTime"): Found => {
  const read = readerOf(kind)
  const isUsable = (format: string) =>
    (kind === "time" || format.includes("yy")) && (kind === "date" || format.includes("mm"))
  const written = cellsIn(column).notations.filter((one) =>
    read?.([one]) instanceof Fault && formatsOf(one).some(isUsable)
  )
  if (written.length === 0) return {}
  // Some tools write dates in the local order of days and months.
  const own = column.format?.filter(isUsable) ?? []
  const isOwn = own.length > 0 && tried({ kind, keys: keysFor({ format: own }), gaps: [] }, column).misfit === undefined
  const { formats, why } = isOwn ? { formats: own } : dateFormats(written)
  const [format = "", ...others] = formats
  if (why !== undefined) {
    const gap = { why, todo: "Choose the format", key: "format", choices: formats }
    return { keys: [{ key: "format", value: format, note: `or ${others.join(", ")}` }], gaps: [gap] }
  }
  const note = kind === "date" && formats.some((one) => /h/i.test(one))
    ? "the time is not sent"
    : kind === "time" && formats.some((one) => one.includes("ZZ"))
    ? "without the offset"
    : undefined
  return { keys: [{ key: "format", value: others.length === 0 ? format : formats, note }] }
}

const dateTimeSettings = (column: TimeColumn): Found => {
  const { gaps = [], keys = [] } = formatSettings(column, "dateTime")
  const days = cellsIn(column).notations.filter((one) => momentIn(one)?.startsWith("date") === true)
  if (days.length > 0 && days.every(hasOffset)) return { keys, gaps }
  const zone = column.zone ?? (/\b(?:UTC|GMT)\b(?!\s*[+-]\s*\d)/.test(column.column.title) ? "UTC" : undefined)
  if (zone !== undefined) return { keys: [...keys, { key: "zone", value: zone }], gaps }
  const why = "the file does not show the time zone of these times"
  return { keys, gaps: [...gaps, { why, todo: "Add it, such as zone: Europe/Berlin", key: "zone" }] }
}

const numberSettings = (column: ProfiledColumn): Found => {
  const { cells, notations } = cellsIn(column)
  const { decimal, group, why } = numberSigns(notations)
  const coded = cells.find(({ text }) => /^0\d\d/.test(text))
  const zeros = `a number such as "${cut(coded?.text ?? "", 40)}" would lose its zeros`
  const isPercent = notations.some((notation) => notation.includes("%"))
  const percent = "12% may be sent as 12 (whole) or as 0.12 (fraction)"
  return {
    keys: [
      ...why === undefined
        ? keysFor({ decimal, group })
        : [{ key: "decimal", value: ",", note: 'or "."' }, { key: "group", value: ".", note: "the other sign" }],
      ...isPercent ? [{ key: "percent", value: "whole", note: "or fraction" }] : [],
    ],
    gaps: present<Gap>([
      coded && { why: zeros, todo: "Check the type of the question" },
      why !== undefined && { why, todo: "Set it", key: "decimal", choices: [",", "."] },
      isPercent && { why: percent, todo: "Set percent", key: "percent", choices: ["whole", "fraction"] },
    ]),
  }
}

const booleanSettings = (column: ProfiledColumn, codes: Codes): Found => {
  const texts = codes.size > 0 ? [...codes.keys()] : cellsIn(column).texts
  const read = readerOf("boolean")
  if (codes.size === 0 && texts.every((text) => typeof read?.([text]) === "boolean")) return {}
  const yes = texts.filter((text) => saysYes(codes.get(text) ?? text))
  const no = texts.filter((text) => saysNo(codes.get(text) ?? text))
  // Codes may have a third label, such as one for "don't know".
  const isShown = codes.size > 0 ? yes.length > 0 && no.length > 0 : yes.length + no.length === texts.length
  if (isShown) return { keys: keysFor({ true: yes, false: no }) }
  const why = `it is unclear which of these mean true: ${texts.slice(0, 6).join(", ")}`
  return {
    keys: keysFor({ true: yes.length > 0 ? yes : texts.slice(0, 1), false: no.length > 0 ? no : texts.slice(1, 2) }),
    gaps: [{ why, todo: "Set them", ...texts.length === 2 && { key: "true", choices: texts } }],
  }
}

/** Returns each code with the option that its label names. Omits a code that is the option's own name. */
const valuesOf = (codes: Codes, options: ReadonlyArray<Option>) => {
  const [names, nameOf] = [indexOptions(options), optionNamer(options)]
  return Object.fromEntries([...codes].flatMap(([code, label]) => {
    const option = optionNamed(names, label)
    return option === undefined || exactOption(names, code) === option ? [] : [[code, nameOf(option)]]
  }))
}

/** Returns the keys that send codes as their labels, if the form does not show its options. */
const labelKeys = (codes: Codes): ReadonlyArray<DraftKey> => {
  const options = [...new Set(codes.values())].filter((label) => label !== "")
  const values = Object.fromEntries([...codes].filter(([code, label]) => label !== "" && code !== label))
  return [...keysFor({ values }), { key: "options", value: options, note: "the labels of the codes" }]
}

const choiceSettings = (
  kind: "choice" | "choices" | "ranking",
  column: ProfiledColumn,
  { options = [] }: Question,
  codes: Codes,
): Found => {
  const { distinct, more, texts } = cellsIn(column)
  const guessed = likelySeparator(distinct)
  const separator = kind === "choice"
    ? undefined
    : codes.size > 0
    ? column.labels?.split
    : options.length === 0
    ? guessed
    // Choices may contain spaces, such as "No pain". So a space is a separator only with evidence from the options or codes.
    : splitFit(distinct, indexOptions(options)).separator ?? (guessed === " " ? undefined : guessed)
  const split = separator && (separator.trim() || separator)
  if (options.length > 0) return { keys: keysFor({ split, values: valuesOf(codes, options) }) }
  if (codes.size > 0) return { keys: [...keysFor({ split }), ...labelKeys(codes)] }
  const names = [...new Set(splitTexts(texts, separator))].filter((name) => name !== "")
  if (!more && names.length > 0 && names.length <= 40) {
    const note = "as in the source: the form does not show its options"
    return { keys: [...keysFor({ split }), { key: "options", value: names, note }] }
  }
  const note = "the form does not show its options"
  return kind === "choice"
    ? { keys: [{ key: "otherwise", value: "keep", note }] }
    : { keys: keysFor({ options: names.slice(0, 5) }), gaps: [{ why: note, todo: "List them" }] }
}

/** Returns the kind that reads a column: that of the question's type, otherwise the one that the cells show beyond doubt. */
const columnKind = (column: ProfiledColumn, question: Question, codes: Codes): string | undefined => {
  const kind = kindOfType(question.type)?.name
  // A text question accepts only one label.
  const isOneCode = column.labels?.split === undefined
  if (codes.size > 0 && (question.type === undefined || (kind === "text" && isOneCode))) {
    return isOneCode ? "choice" : "choices"
  }
  const { filled, share, texts } = cellsIn(column)
  const [asked, titled] = [wordingOf(question.name), wordingOf(column.column.title)]
  const { isGiven, kind: expected } = expectedOf(question, asked)
  if (isGiven || filled === 0 || expected === "choice") return kind
  if (expected === "email" && share.email >= 0.8) return "email"
  const shown = (["email", "date", "dateTime", "time"] as const).find((one) => share[one] >= 0.98)
  if (shown !== undefined || share.number < 1) return shown
  const isCode = [asked, titled].some((meaning) => namesConcept(meaning, ...vocabulary.digitNames))
  return isCode || texts.some((text) => /^0\d/.test(text)) || texts.every(isTick) ? undefined : "number"
}

/** What finds the settings of a kind in the cells of a filled column. */
const finders: Readonly<Record<string, (column: TimeColumn, codes: Codes) => Found>> = {
  date: (column) => formatSettings(column, "date"),
  time: (column) => formatSettings(column, "time"),
  dateTime: dateTimeSettings,
  number: numberSettings,
  boolean: booleanSettings,
  phone: (column) => {
    if (cellsIn(column).cells.every(({ text }) => /^'?\+/.test(text))) return {}
    const todo = "Add their country, such as country: DE"
    return { gaps: [{ why: "some numbers have no country code", todo, key: "country" }] }
  },
  files: (column) => {
    const between = /https?:\/\/[^\s,;]+(, |[,;\s])[^,;]*https?:\/\//i
    const [split] = cellsIn(column).texts.flatMap((text) => between.exec(text)?.[1] ?? [])
    return { keys: keysFor({ split }) }
  },
}

/** Returns the words for ticked and unticked cells of a block, if they are not the usual ones, or if an option's name is one of them. */
const ticksOf = ({ content, options }: Block) => {
  if (content !== "ticks") return {}
  const texts = options.flatMap(({ option, profile }) =>
    profile.texts.filter((text) => isTick(option) || text !== option)
  )
  const isUsual = (text: string, usual: ReadonlyArray<string>) => usual.includes(text.trim().toLowerCase())
  const isClear = options.every(({ option }) => !isUsual(option, usualChecks.no))
  const words = (says: (text: string) => boolean, usual: ReadonlyArray<string>) => {
    const said = [...new Set(texts.filter(says))]
    return isClear && said.every((text) => isUsual(text, usual)) ? [] : said
  }
  return { checked: words(saysYes, usualChecks.yes), unchecked: words(saysNo, usualChecks.no) }
}

const settings = (kind: string | undefined, found: Found = {}): Settings => ({ kind, keys: [], gaps: [], ...found })

/** Returns how a kind other than those of choices reads a column. */
const columnSettings = (kind: string | undefined, column: TimeColumn, codes: Codes = new Map()): Settings => {
  const find = cellsIn(column).filled === 0 ? undefined : finders[kind ?? ""]
  return tried(settings(kind, find?.(column, codes)), column)
}

export const settingsFor = (suggestion: Suggestion): Settings => {
  const { origin, question: { options = [], type }, question } = suggestion
  const ownKind = kindOfType(type)?.name
  if (type !== undefined && ownKind === undefined) {
    const why = `the question's type, ${type}, has no default kind`
    return settings(undefined, { gaps: [{ why, todo: "Set the kind with `as`" }] })
  }
  const codes = codesOf(suggestion)
  if (origin._tag === "Joined") return settings(ownKind ?? (hasParts(origin) ? "address" : undefined))
  if (origin._tag === "Block") {
    const kind = ownKind ?? blockKinds[origin.content][0]
    const ticks = kind === "choices" ? ticksOf(origin) : {}
    const isCoded = kind === "matrix" && codes.size > 0 && options.length === 0
    const translated = isCoded ? labelKeys(codes) : keysFor({ values: valuesOf(codes, options) })
    return settings(kind, { keys: [...keysFor(ticks), ...translated] })
  }
  const kind = columnKind(origin, question, codes)
  return kind === "choice" || kind === "choices" || kind === "ranking"
    ? settings(kind, choiceSettings(kind, origin, question, codes))
    : columnSettings(kind, origin, codes)
}

/** Returns how the entry of a submission's time or login reads its cells. */
export const ownSettings = (of: string, own: OwnColumn): Settings =>
  of === "login" ? settings(undefined) : columnSettings("dateTime", own)
