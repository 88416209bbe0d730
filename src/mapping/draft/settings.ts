import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { cellText } from "../../domain/cell.ts"
import type { Question } from "../../domain/form.ts"
import { cut, problemWords } from "../../domain/problem.ts"
import { optionColumns } from "../../domain/row.ts"
import { counted, present } from "../../domain/words.ts"
import { usualBooleans } from "../../kinds/boolean.ts"
import { kindOfType, kinds } from "../../kinds/index.ts"
import { Fault, type Parse } from "../../kinds/Kind.ts"
import { usualChecks } from "../../kinds/optionColumns.ts"
import type { DraftKey } from "../../project/PipelineDraft.ts"
import { cellsIn, type ColumnProfile, type ProfiledColumn } from "../profile/ColumnProfile.ts"
import { dateFormats, formatsOf, hasOffset, momentIn, numberSigns } from "../profile/notations.ts"
import { blockKinds, expectedOf } from "../suggest/fit.ts"
import { type Codes, codesOf, valuesKeys } from "../suggest/labelled.ts"
import { meaningOf, namesConcept } from "../suggest/meaning.ts"
import { indexOptions, likelySeparator, splitFit } from "../suggest/optionIndex.ts"
import { type Block, hasParts, type OwnColumn, type Suggestion } from "../suggest/Suggestion.ts"
import { isTick, saysNo, saysYes } from "../words/cellWords.ts"
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

/** What the cells show about the settings of a kind. */
type Found = Partial<Pick<Settings, "gaps" | "keys">>

/** Returns what a person must complete, in sentences. Undefined if there is nothing. */
export const openIn = ({ gaps, misfit }: Pick<Settings, "gaps" | "misfit">): string | undefined =>
  present([...gaps, misfit]).map(({ todo, why }) => `${why}. ${todo}, then remove the #.`).join(" Also: ") || undefined

/** Returns keys for the values that are defined and not empty. */
const keysFor = (values: Readonly<Record<string, string | ReadonlyArray<string> | undefined>>) =>
  Object.entries(values).flatMap(([key, value]): ReadonlyArray<DraftKey> =>
    value === undefined || value.length === 0 ? [] : [{ key, value }]
  )

/**
 * Returns how a kind reads cells if an entry has these keys. Times without a zone are read in UTC. Undefined if the kind is unknown, or if the keys have
 * mistakes.
 */
export const compileWritten = (kindName: string, written: Readonly<Record<string, unknown>>): Parse | undefined => {
  const kind = kinds.get(kindName)
  if (kind === undefined) return undefined
  const schema = Schema.Struct(kind.options) as unknown as Schema.Schema<never, unknown>
  const options = Schema.decodeUnknownOption(schema)(kindName === "dateTime" ? { zone: "UTC", ...written } : written)
  if (Option.isNone(options)) return undefined
  const input = { _tag: "Columns", count: 1 } as const
  const made = kind.compile(options.value, { question: undefined, input, empty: new Set() })
  return typeof made === "function" ? made : undefined
}

/** Keys that say how cells are written. */
const formats: ReadonlySet<string> = new Set(["format", "decimal", "group", "percent", "true", "false"])

/** Kinds that take any text, and kinds whose other choices a person lists. */
const anyText: ReadonlySet<string> = new Set(["text", "matrix", "json", "files", "choice", "choices", "ranking"])

/** Tries settings on a column's cells. They don't fit if more than half of the cells can't be read, or more than 1% if the settings say how cells are written. */
const tried = (settings: Settings, column: ProfiledColumn): Settings => {
  const { gaps, keys, kind = "text" } = settings
  const { cells, filled, more } = cellsIn(column)
  const written = Object.fromEntries(keys.map(({ key, value }) => [key, value]))
  // Numbers without a country code can be read with the country that a person adds.
  const lacksCountry = gaps.some(({ key }) => key === "country")
  const parse = anyText.has(kind) || lacksCountry ? undefined : compileWritten(kind, written)
  const unread = cells.flatMap(({ cell, times }) => {
    const fault = parse?.([cell])
    // Whether a time is skipped or repeated by a clock change depends on the zone, and the suggested zone may only be an example.
    return fault instanceof Fault && fault.code !== "ambiguous-time" ? [{ cell, code: fault.code, times }] : []
  })
  const faulty = unread.reduce((sum, { times }) => sum + times, 0)
  const others = keys.filter(({ key }) => !formats.has(key))
  const [first] = unread
  if (first === undefined || faulty <= filled * (others.length < keys.length ? 0.01 : 0.5)) return settings
  const shown = unread.slice(0, 3).map(({ cell }) => JSON.stringify(cut(cellText(cell), 40))).join(", ")
  // Beyond the texts that are kept, a cell stands for all with its notation.
  const problem = `${problemWords[first.code]}${more ? ", estimated" : ""}`
  const what = `${faulty} of ${counted(filled, "cell")} can't be read like this (${problem})`
  return { ...settings, misfit: { why: `${what}, such as ${shown}`, todo: "Correct it" } }
}

/** @param known the formats that the form tool is known to use */
const formatSettings = (
  column: ProfiledColumn,
  kind: "date" | "time" | "dateTime",
  known: ReadonlyArray<string> = [],
): Found => {
  const read = compileWritten(kind, {})
  const unread = cellsIn(column).notations.filter((one) =>
    momentIn(one) !== undefined && read?.([one]) instanceof Fault
  )
  const isUsable = (format: string) =>
    (kind === "time" || format.includes("yy")) && (kind === "date" || format.includes("mm"))
  const written = unread.filter((one) => formatsOf(one).some(isUsable))
  if (written.length === 0) return {}
  // Some tools write dates in the local order of days and months.
  const own = known.filter(isUsable)
  const isOwn = own.length > 0
    && tried({ kind, keys: [{ key: "format", value: own }], gaps: [] }, column).misfit === undefined
  const { formats, why } = isOwn ? { formats: own } : dateFormats(written)
  const [format = "", ...others] = formats
  if (why !== undefined) {
    return {
      keys: [{ key: "format", value: format, note: `or ${others.join(", ")}` }],
      gaps: [{ why, todo: "Choose the format", key: "format", choices: formats }],
    }
  }
  const isDropped = (part: RegExp) => formats.some((one) => part.test(one))
  const note = kind === "date" && isDropped(/[Hh]/)
    ? "the time is not sent"
    : kind === "time" && isDropped(/ZZ/)
    ? "without the offset"
    : undefined
  return { keys: [{ key: "format", value: others.length === 0 ? format : formats, note }] }
}

const zoneSettings = (column: ProfiledColumn, known: string | undefined): Found => {
  const days = cellsIn(column).notations.filter((one) => momentIn(one)?.startsWith("date") === true)
  if (days.length > 0 && days.every(hasOffset)) return {}
  const zone = known ?? (/\b(?:UTC|GMT)\b(?!\s*[+-]\s*\d)/.test(column.column.title) ? "UTC" : undefined)
  if (zone !== undefined) return { keys: [{ key: "zone", value: zone }] }
  const why = "the file does not show the time zone of these times"
  return { gaps: [{ why, todo: "Add it, such as zone: Europe/Berlin", key: "zone" }] }
}

const dateTimeSettings = (column: ProfiledColumn, known: Pick<OwnColumn, "format" | "zone"> = {}): Found => {
  const parts = [formatSettings(column, "dateTime", known.format), zoneSettings(column, known.zone)]
  return { keys: parts.flatMap(({ keys = [] }) => keys), gaps: parts.flatMap(({ gaps = [] }) => gaps) }
}

const numberSettings = ({ cells, notations }: ColumnProfile): Found => {
  const { decimal, group, why } = numberSigns(notations)
  const coded = cells.find(({ text }) => /^0\d\d/.test(text))
  const isPercent = notations.some((notation) => notation.includes("%"))
  return {
    keys: [
      ...why === undefined
        ? keysFor({ decimal, group })
        : [{ key: "decimal", value: ",", note: 'or "."' }, { key: "group", value: ".", note: "the other sign" }],
      ...isPercent ? [{ key: "percent", value: "whole", note: "or fraction" }] : [],
    ],
    gaps: present<Gap>([
      coded && {
        why: `a number such as "${cut(coded.text, 40)}" would lose its zeros`,
        todo: "Check the type of the question",
      },
      why !== undefined && { why, todo: "Set it", key: "decimal", choices: [",", "."] },
      isPercent && {
        why: "12% may be sent as 12 (whole) or as 0.12 (fraction)",
        todo: "Set percent",
        key: "percent",
        choices: ["whole", "fraction"],
      },
    ]),
  }
}

const usualTicks: ReadonlySet<string> = new Set([...usualBooleans.yes, ...usualBooleans.no])

const booleanSettings = ({ distinct }: ColumnProfile, codes: Codes): Found => {
  const isCoded = codes.size > 0
  const texts = [...(isCoded ? codes : distinct).keys()]
  if (!isCoded && texts.every((text) => usualTicks.has(text.trim().toLowerCase()))) return {}
  const yes = texts.filter((text) => saysYes(codes.get(text) ?? text))
  const no = texts.filter((text) => saysNo(codes.get(text) ?? text))
  // Codes may have a third label, such as one for "don't know".
  const isShown = isCoded
    ? yes.length > 0 && no.length > 0
    : texts.length <= 12 && yes.length + no.length === texts.length
  const words = (said: ReadonlyArray<string>, at: number) => isShown || said.length > 0 ? said : texts.slice(at, at + 1)
  const keys = keysFor({ true: words(yes, 0), false: words(no, 1) })
  const why = `it is unclear which of these mean true: ${texts.slice(0, 6).join(", ")}`
  const ask = texts.length === 2 ? { key: "true", choices: texts } : {}
  return isShown ? { keys } : { keys, gaps: [{ why, todo: "Set them", ...ask }] }
}

const choiceSettings = (
  kind: "choice" | "choices" | "ranking",
  column: ProfiledColumn,
  { options = [] }: Question,
  codes: Codes,
): Found => {
  const { distinct, more } = cellsIn(column)
  const guessed = likelySeparator(distinct)
  const separator = kind === "choice"
    ? undefined
    : codes.size > 0
    ? column.labels?.split
    : options.length === 0
    ? guessed
    // Choices may contain spaces, such as "No pain". So a space is a separator only with evidence from the options or codes.
    : splitFit(distinct, indexOptions(options)).separator ?? (guessed === " " ? undefined : guessed)
  const split = keysFor({ split: separator && (separator.trim() || separator) })
  if (options.length > 0) return { keys: [...split, ...valuesKeys(codes, options)] }
  const texts = [...distinct.keys()].flatMap((text) => separator === undefined ? [text] : text.split(separator))
  const names = [...new Set(codes.size > 0 ? codes.values() : texts.map((text) => text.trim()))]
    .filter((name) => name !== "")
  if (codes.size > 0 || (!more && names.length > 0 && names.length <= 40)) {
    const note = codes.size > 0 ? "the labels of the codes" : "as in the source: the form does not show its options"
    const named = names.map((name) => ({ value: name, label: name }))
    return { keys: [...split, { key: "options", value: names, note }, ...valuesKeys(codes, named)] }
  }
  if (kind === "choice") {
    return { keys: [{ key: "otherwise", value: "keep", note: "the form does not show its options" }] }
  }
  return {
    keys: keysFor({ options: names.slice(0, 5) }),
    gaps: [{ why: "the form does not show the options", todo: "List them" }],
  }
}

/** Returns the kind that reads the answers to a question without a type, if the cells show it beyond doubt. */
const kindByCells = ({ distinct, filled, share }: ColumnProfile, question: Question, title: string) => {
  const { kind } = expectedOf(question, meaningOf(question.name))
  if (filled === 0 || kind === "choice") return undefined
  if (share.email >= 0.98 || (kind === "email" && share.email >= 0.8)) return "email"
  const day = (["date", "dateTime", "time"] as const).find((one) => share[one] >= 0.98)
  if (day !== undefined) return day
  const meanings = [meaningOf(question.name), meaningOf(title)]
  const isCode = vocabulary.digitNames.some((concept) => meanings.some((meaning) => namesConcept(meaning, concept)))
  const texts = [...distinct.keys()]
  const isQuantity = share.number === 1 && !isCode && !texts.some((text) => /^0\d/.test(text)) && !texts.every(isTick)
  return isQuantity ? "number" : undefined
}

const betweenLinks = /https?:\/\/[^\s,;]+(, |[,;\s])[^,;]*https?:\/\//i

const columnKind = (column: ProfiledColumn, question: Question, codes: Codes): string | undefined => {
  const { type } = question
  const kind = type === undefined ? undefined : kindOfType(type)?.name
  if (codes.size === 0) return type === undefined ? kindByCells(cellsIn(column), question, column.column.title) : kind
  // A text question accepts only one label.
  const isOneCode = column.labels?.split === undefined
  return type !== undefined && !(kind === "text" && isOneCode) ? kind : isOneCode ? "choice" : "choices"
}

const phoneSettings = ({ cells }: ColumnProfile): Found => {
  if (cells.every(({ text }) => /^'?\+/.test(text))) return {}
  const todo = "Add their country, such as country: DE"
  return { gaps: [{ why: "some numbers have no country code", todo, key: "country" }] }
}

/** What finds the settings of a kind in the cells of a filled column. */
const finders: Readonly<Record<string, (column: ProfiledColumn, codes: Codes) => Found>> = {
  date: (column) => formatSettings(column, "date"),
  time: (column) => formatSettings(column, "time"),
  dateTime: (column) => dateTimeSettings(column),
  number: (column) => numberSettings(cellsIn(column)),
  boolean: (column, codes) => booleanSettings(cellsIn(column), codes),
  phone: (column) => phoneSettings(cellsIn(column)),
  files: (column) => {
    const [split] = [...cellsIn(column).distinct.keys()].flatMap((text) => betweenLinks.exec(text)?.[1] ?? [])
    return { keys: keysFor({ split }) }
  },
}

/** Returns the words for ticked and unticked cells of a block, if they are not the usual ones, or if an option's name is one of them. */
const tickKeys = ({ content, members }: Block): ReadonlyArray<DraftKey> => {
  if (content !== "ticks") return []
  const own = optionColumns(members)
  const texts = own.flatMap(({ option, profile }) =>
    [...profile.distinct.keys()].filter((text) => isTick(option) || text !== option)
  )
  const isUsual = (text: string, usual: ReadonlyArray<string>) => usual.includes(text.trim().toLowerCase())
  const isClear = own.every(({ option }) => !isUsual(option, usualChecks.no))
  const words = (says: (text: string) => boolean, usual: ReadonlyArray<string>) => {
    const said = [...new Set(texts.filter(says))]
    return isClear && said.every((text) => isUsual(text, usual)) ? [] : said
  }
  return keysFor({ checked: words(saysYes, usualChecks.yes), unchecked: words(saysNo, usualChecks.no) })
}

const settings = (kind: string | undefined, found: Found = {}): Settings => ({ kind, keys: [], gaps: [], ...found })

export const settingsFor = (suggestion: Suggestion): Settings => {
  const { origin, question } = suggestion
  if (question.type !== undefined && kindOfType(question.type) === undefined) {
    const why = `the question's type, ${question.type}, has no default kind`
    return settings(undefined, { gaps: [{ why, todo: "Set the kind with `as`" }] })
  }
  const codes = codesOf(suggestion)
  if (origin._tag === "Column") {
    const kind = columnKind(origin, question, codes)
    if (kind === "choice" || kind === "choices" || kind === "ranking") {
      return settings(kind, choiceSettings(kind, origin, question, codes))
    }
    const found = cellsIn(origin).filled === 0 ? {} : finders[kind ?? ""]?.(origin, codes)
    return tried(settings(kind, found), origin)
  }
  if (origin._tag === "Joined") return settings(question.type === undefined && hasParts(origin) ? "address" : undefined)
  const kind = question.type === undefined ? blockKinds[origin.content][0] : kindOfType(question.type)?.name
  const ticks = kind === "choices" ? tickKeys(origin) : []
  return settings(kind, { keys: [...ticks, ...valuesKeys(codes, question.options ?? [])] })
}

/** Returns how the entry of a submission's time or login reads its cells. */
export const ownSettings = (of: string, own: OwnColumn): Settings =>
  of === "login" ? settings(undefined) : tried(settings("dateTime", dateTimeSettings(own, own)), own)
