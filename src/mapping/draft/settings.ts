import type { Question } from "../../domain/form.ts"
import { optionColumns } from "../../domain/row.ts"
import { usualBooleans } from "../../kinds/boolean.ts"
import { dateFormat } from "../../kinds/dateFormats.ts"
import { kindOfType } from "../../kinds/index.ts"
import { usualChecks } from "../../kinds/optionColumns.ts"
import { readIso } from "../../kinds/wallClock.ts"
import type { DraftKey } from "../../project/PipelineDraft.ts"
import { cellsIn, type ColumnProfile, type ProfiledColumn } from "../profile/ColumnProfile.ts"
import { dateFormats } from "../profile/dateEvidence.ts"
import { numberSigns } from "../profile/numberEvidence.ts"
import { expectedOf } from "../suggest/fit.ts"
import { type Codes, codesOf, valuesKeys } from "../suggest/labelled.ts"
import { meaningOf, namesConcept } from "../suggest/meaning.ts"
import { indexOptions, likelySeparator, separatorInto, splitFit } from "../suggest/optionIndex.ts"
import { type Block, hasParts, type OwnColumn, type Suggestion } from "../suggest/Suggestion.ts"
import { vocabulary } from "../words/vocabulary.ts"
import { isTick, saysNo, saysYes } from "../words/words.ts"

export interface Settings {
  /** The kind to write into the entry. Undefined if the question's type determines it, or if the answer is text. */
  readonly kind: string | undefined
  readonly keys: ReadonlyArray<DraftKey>
  /** A sentence about what the cells don't show. If it is set, a person must complete the entry. */
  readonly open: string | undefined
  /** The keys to ask the person for. If there are none, the person must edit the file. */
  readonly asks: ReadonlyArray<Ask>
}

/** A key of an entry whose value only a person can decide. */
export interface Ask {
  readonly key: string
  /** Why a person must decide, as text that follows a colon. */
  readonly why: string
  /** Values to choose from. If there are none, any text is accepted. */
  readonly choices: ReadonlyArray<string>
}

const settled = (kind: string | undefined, ...keys: ReadonlyArray<DraftKey>): Settings => ({
  kind,
  keys,
  open: undefined,
  asks: [],
})

/**
 * Returns settings that a person must complete.
 *
 * @param why what the cells don't show
 * @param todo what the person must do
 * @param ask the key to ask the person for, with the values to choose from
 */
const undecided = (
  kind: string,
  why: string,
  todo: string,
  keys: ReadonlyArray<DraftKey> = [],
  ask?: Pick<Ask, "choices" | "key">,
): Settings => ({
  kind,
  keys,
  open: `${why}. ${todo}, then remove the #.`,
  asks: ask === undefined ? [] : [{ ...ask, why }],
})

const one = (values: ReadonlyArray<string>): DraftKey["value"] => values.length === 1 ? values[0] ?? "" : values

const formatSettings = ({ dates }: ColumnProfile, kind: "date" | "time" | "dateTime"): Settings => {
  const found = dateFormats(dates)
  if (found._tag === "Open") {
    const [first = "", ...others] = found.formats
    const format = { key: "format", value: first, note: `or ${others.join(", ")}` }
    return undecided(kind, found.why, "Choose the format", [format], { key: "format", choices: found.formats })
  }
  const timed = kind === "date" ? [...dates.isoTimes] : []
  if (timed.some((format) => !format.includes("mm") || /SSS|ZZ/.test(format))) {
    const why = "cells contain a time after the day, with fractions or an offset"
    return undecided(kind, why, "Choose the part to use with `extract`")
  }
  const formats = [...found.formats, ...timed].filter((format) =>
    (kind === "time" || format.includes("yy")) && (kind === "date" || format.includes("mm"))
  )
  const isDropped = (part: RegExp) => formats.some((format) => part.test(format))
  const note = kind === "date" && isDropped(/[Hh]/)
    ? "the time is not sent"
    : kind === "time" && isDropped(/ZZ/)
    ? "without the offset"
    : undefined
  return formats.length === 0 ? settled(kind) : settled(kind, { key: "format", value: one(formats), note })
}

const zoneSettings = ({ dates, share }: ColumnProfile, title: string, zone: string | undefined): Settings => {
  if (share.date + share.dateTime > 0 && !dates.needsZone) return settled("dateTime")
  const known = zone ?? (/\b(?:UTC|GMT)\b(?!\s*[+-]\s*\d)/.test(title) ? "UTC" : undefined)
  if (known !== undefined) return settled("dateTime", { key: "zone", value: known })
  const why = "the file does not show the time zone of these times"
  return undecided("dateTime", why, "Add it, such as zone: Europe/Berlin", [], { key: "zone", choices: [] })
}

/** Whether formats read at least 99% of a column's distinct texts, apart from ISO dates. */
const readsMost = (formats: ReadonlyArray<string>, { distinct }: ColumnProfile): boolean => {
  const readers = formats.map(dateFormat).filter((format) => typeof format !== "string")
  const texts = [...distinct.keys()].filter((text) => readIso(text) === undefined)
  const read = texts.filter((text) => readers.some(({ wall }) => !Number.isNaN(wall(text))))
  return read.length >= texts.length * 0.99
}

/** Joins sentences about what a person must decide. Undefined if there is nothing. */
export const joinedOpen = (sentences: ReadonlyArray<string | undefined>): string | undefined =>
  sentences.filter((each) => each !== undefined).join(" Also: ") || undefined

const dateTimeSettings = (
  profile: ColumnProfile,
  title: string,
  known: { readonly format?: ReadonlyArray<string> | undefined; readonly zone?: string | undefined } = {},
): Settings => {
  // Date cells and ISO dates need no format, even if the form tool's CSV files have one. Some tools write dates in the
  // local order of days and months.
  // Formats without a time are for other columns: a time of the form can't be read with them.
  const given = known.format?.filter((format) => format.includes("mm")) ?? []
  const own = readsMost(given, profile) ? given : []
  const format = own.length > 0 && profile.dates.writings.length > 0
    ? settled("dateTime", { key: "format", value: one(own) })
    : formatSettings(profile, "dateTime")
  const zone = zoneSettings(profile, title, known.zone)
  return {
    kind: "dateTime",
    keys: [...format.keys, ...zone.keys],
    open: joinedOpen([format.open, zone.open]),
    asks: [...format.asks, ...zone.asks],
  }
}

const usualTicks: ReadonlySet<string> = new Set([...usualBooleans.yes, ...usualBooleans.no])

const booleanSettings = ({ distinct }: ColumnProfile, codes: Codes): Settings => {
  const texts = codes.size > 0 ? [...codes.keys()] : [...distinct.keys()]
  if (codes.size === 0 && texts.every((text) => usualTicks.has(text.trim().toLowerCase()))) return settled("boolean")
  const [yes, no] = [saysYes, saysNo].map((says) => texts.filter((text) => says(codes.get(text) ?? text)))
  const lists = (yes: ReadonlyArray<string> = [], no: ReadonlyArray<string> = []): ReadonlyArray<DraftKey> =>
    [{ key: "true", value: yes }, { key: "false", value: no }].filter(({ value }) => value.length > 0)
  const [said, denied] = [yes?.length ?? 0, no?.length ?? 0]
  // Codes may have a third label, such as one for "don't know".
  if (codes.size > 0 ? said > 0 && denied > 0 : texts.length <= 12 && said + denied === texts.length) {
    return settled("boolean", ...lists(yes, no))
  }
  return undecided(
    "boolean",
    `it is unclear which of these mean true: ${texts.slice(0, 6).join(", ")}`,
    "Set them",
    lists(said > 0 ? yes : texts.slice(0, 1), denied > 0 ? no : texts.slice(1, 2)),
    texts.length === 2 ? { key: "true", choices: texts } : undefined,
  )
}

const choiceSettings = (
  kind: "choice" | "choices" | "ranking",
  column: ProfiledColumn,
  { options = [] }: Question,
  codes: Codes,
): Settings => {
  const { distinct, more } = cellsIn(column)
  const guessed = likelySeparator(distinct)
  const separator = kind === "choice"
    ? undefined
    : codes.size > 0
    ? column.labels?.split
    : options.length === 0
    ? guessed
    // Choices may contain spaces, such as "No pain". So a space is a separator only with evidence from the options or codes.
    : splitFit(distinct, indexOptions(options)).separator ?? separatorInto(distinct, options.length)
      ?? (guessed === " " ? undefined : guessed)
  const split = separator === undefined ? [] : [{ key: "split", value: separator.trim() || separator }]
  if (options.length > 0) return settled(kind, ...split, ...valuesKeys(codes, options))
  const texts = [...distinct.keys()].flatMap((text) => separator === undefined ? [text] : text.split(separator))
  const names = [...new Set(codes.size > 0 ? codes.values() : texts.map((text) => text.trim()))]
    .filter((name) => name !== "")
  if (codes.size === 0 && (more || names.length === 0 || names.length > 40)) {
    if (kind === "choice") {
      return settled(kind, { key: "otherwise", value: "keep", note: "the form does not show its options" })
    }
    const some = names.length === 0 ? [] : [{ key: "options", value: names.slice(0, 5) }]
    return undecided(kind, "the form does not show the options", "List them", some)
  }
  const note = codes.size > 0 ? "the labels of the codes" : "as in the source: the form does not show its options"
  const named = names.map((name) => ({ value: name, label: name }))
  return settled(kind, ...split, { key: "options", value: names, note }, ...valuesKeys(codes, named))
}

const numberSettings = (profile: ColumnProfile): Settings => {
  const signs = numberSigns(profile.numbers)
  if (signs._tag === "Open") {
    const decimal = { key: "decimal", value: ",", note: 'or "."; and `group`' }
    return undecided("number", signs.why, "Set it", [decimal], { key: "decimal", choices: [",", "."] })
  }
  const { decimal, group } = signs
  return settled(
    "number",
    ...Object.entries({ decimal, group }).flatMap(([key, value]) => value === undefined ? [] : [{ key, value }]),
  )
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

const isChoice = (kind: string | undefined) => kind === "choice" || kind === "choices" || kind === "ranking"

const columnSettings = (column: ProfiledColumn, question: Question, codes: Codes): Settings => {
  const { options = [], type } = question
  const profile = cellsIn(column)
  const isOneCode = codes.size > 0 && column.labels?.split === undefined
  const kind = type !== undefined
    ? kindOfType(type)?.name
    : codes.size === 0
    ? kindByCells(profile, question, column.column.title)
    : isOneCode
    ? "choice"
    : "choices"
  if (profile.filled === 0) {
    return kind !== undefined && isChoice(kind) && options.length === 0
      ? undecided(kind, "the column is empty, and the form does not show the options", "List them as `options`")
      : settled(undefined)
  }
  switch (kind) {
    case "date":
    case "time":
      return formatSettings(profile, kind)
    case "dateTime":
      return dateTimeSettings(profile, column.column.title)
    case "number":
      return numberSettings(profile)
    case "boolean":
      return booleanSettings(profile, codes)
    case "phone": {
      if (profile.share.phone > 0 && profile.share.international === profile.share.phone) return settled(kind)
      const todo = "Add their country, such as country: DE"
      return undecided(kind, "some numbers have no country code", todo, [], { key: "country", choices: [] })
    }
    case "choice":
    case "choices":
    case "ranking":
      return choiceSettings(kind, column, question, codes)
    case "text":
      // A text question accepts only one label.
      return isOneCode ? choiceSettings("choice", column, question, codes) : settled(kind)
    case "files": {
      const [separator] = [...profile.distinct.keys()].flatMap((text) => betweenLinks.exec(text)?.[1] ?? [])
      return settled(kind, ...separator === undefined ? [] : [{ key: "split", value: separator }])
    }
    default:
      return settled(kind)
  }
}

/** Returns the kind of a block's answers if the form gives no type. */
const blockKind = ({ content }: Block): string =>
  content === "ranks" || content === "places" ? "ranking" : content === "labels" ? "matrix" : "choices"

/** Returns the words for ticked and unticked cells of a block, if they are not the usual ones, or if an option's name is one of them. */
const tickKeys = ({ content, members }: Block): ReadonlyArray<DraftKey> => {
  if (content !== "ticks") return []
  const own = optionColumns(members)
  const texts = own.flatMap(({ option, profile }) =>
    [...profile.distinct.keys()].filter((text) => isTick(option) || text !== option)
  )
  const isUsual = (text: string, usual: ReadonlyArray<string>) => usual.includes(text.trim().toLowerCase())
  const isClear = own.every(({ option }) => !isUsual(option, usualChecks.no))
  const words = [["checked", saysYes, usualChecks.yes], ["unchecked", saysNo, usualChecks.no]] as const
  return words.flatMap(([key, says, usual]) => {
    const value = [...new Set(texts.filter(says))]
    return value.length === 0 || (isClear && value.every((text) => isUsual(text, usual))) ? [] : [{ key, value }]
  })
}

export const settingsFor = (suggestion: Suggestion): Settings => {
  const { origin, question } = suggestion
  const codes = codesOf(suggestion)
  if (origin._tag === "Column") return columnSettings(origin, question, codes)
  if (origin._tag !== "Block") {
    return settled(question.type === undefined && hasParts(origin) ? "address" : undefined)
  }
  const kind = question.type === undefined ? blockKind(origin) : kindOfType(question.type)?.name
  const values = valuesKeys(codes, question.options ?? [])
  return settled(kind, ...(kind === "choices" ? tickKeys(origin) : []), ...values)
}

export const ownSettings = (of: string, own: OwnColumn): Settings =>
  of === "login"
    ? settled(undefined)
    : dateTimeSettings(own.profile, own.column.title, { format: own.format, zone: own.zone })
