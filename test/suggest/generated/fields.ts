// Draws the questions and answers of an export, before a form tool writes them.
import type { Draws } from "../../faults/Draws.ts"
import type { Grid, Language, Topic, TopicKind } from "./topics.ts"

/** A response's answer to a field, in a neutral format: dates as yyyy-MM-dd, times as HH:mm, numbers with a point. */
export type Answer =
  | { readonly _tag: "Text"; readonly text: string }
  | { readonly _tag: "Boolean"; readonly yes: boolean }
  | { readonly _tag: "Options"; readonly options: ReadonlyArray<number>; readonly other: string | undefined }
  | { readonly _tag: "Rows"; readonly rows: ReadonlyArray<number> }

export interface Field {
  readonly key: string
  readonly kind: TopicKind | "grid"
  /** The question in the export's language. */
  readonly title: string
  readonly name: string
  /** Each option has the text that cells and headers contain, and the code that the export's author chose. */
  readonly options: ReadonlyArray<{ readonly label: string; readonly code: string }>
  /** The rows of a grid. */
  readonly rows: ReadonlyArray<string>
  /** The index of the Other option, for which people enter a text. */
  readonly other: number | undefined
  /** The answer of each response, or undefined if it has none. */
  readonly answers: ReadonlyArray<Answer | undefined>
}

/** The label of the Other option in each language, and titles of the column with its text. */
export const otherWords: Readonly<Record<Language, { readonly label: string; readonly ask: ReadonlyArray<string> }>> = {
  en: { label: "Other", ask: ["If other, please specify", "Other (please specify)"] },
  de: { label: "Sonstiges", ask: ["Falls Sonstiges, bitte angeben", "Sonstiges (bitte angeben)"] },
  fr: { label: "Autre", ask: ["Si autre, veuillez préciser", "Autre (veuillez préciser)"] },
  es: { label: "Otro", ask: ["Si es otro, especifique", "Otro (especifique)"] },
  pt: { label: "Outro", ask: ["Se outro, especifique", "Outro (especifique)"] },
}

const otherTexts: Readonly<Record<Language, readonly [string, ...Array<string>]>> = {
  en: [
    "it depends on the week",
    "something my brother built",
    "a mix of several",
    "none of those really",
    "ask me later",
  ],
  de: ["kommt auf die Woche an", "etwas selbst Gebautes", "eine Mischung", "eigentlich nichts davon", "fragt später"],
  fr: ["cela dépend des semaines", "un objet fait maison", "un peu de tout", "rien de tout cela", "à voir plus tard"],
  es: ["depende de la semana", "algo hecho en casa", "una mezcla de todo", "en realidad nada de eso", "luego les digo"],
  pt: ["depende da semana", "algo feito em casa", "uma mistura de tudo", "na verdade nada disso", "digo mais tarde"],
}

/** Returns a list in a random order. */
export const shuffled = <A>(draws: Draws, list: ReadonlyArray<A>): ReadonlyArray<A> => {
  const left = [...list]
  return list.flatMap(() => left.splice(draws.int(0, left.length - 1), 1))
}

/** Draws an index of a list. */
export const drawIndex = (draws: Draws, list: ReadonlyArray<unknown>): number => draws.int(0, list.length - 1)

/**
 * Returns a different text from each list: the first, or if `isReworded`, mostly the one at the same later position.
 */
export const drawLabels = (
  draws: Draws,
  lists: ReadonlyArray<readonly [string, ...Array<string>]>,
  isReworded: boolean,
): ReadonlyArray<string> => {
  const other = draws.int(1, Math.max(1, ...lists.map((texts) => texts.length - 1)))
  const labels = lists.map((texts) =>
    isReworded && draws.chance(0.85) ? texts[Math.min(other, texts.length - 1)] ?? texts[0] : texts[0]
  )
  return new Set(labels.map((label) => label.toLowerCase())).size === labels.length
    ? labels
    : lists.map(([usual]) => usual)
}

/** Returns a label with a typing mistake: an added full stop, or two letters exchanged. */
const mistyped = (draws: Draws, label: string): string => {
  if (label.length < 7 || draws.chance(0.5)) return `${label}.`
  const at = draws.int(2, label.length - 3)
  return `${label.slice(0, at)}${label[at + 1] ?? ""}${label[at] ?? ""}${label.slice(at + 2)}`
}

const two = (value: number) => String(value).padStart(2, "0")

const drawDay = (draws: Draws, from: string, to: string): string => {
  const [first, last] = [from, to].map((text, at) =>
    Date.parse(/^\d{4}$/.test(text) ? `${text}-${at === 0 ? "01-01" : "12-31"}` : text)
  )
  const day = 86_400_000
  if (first === undefined || last === undefined || Number.isNaN(first + last)) throw new Error("dates can't be read")
  return new Date(first + draws.int(0, Math.floor((last - first) / day)) * day).toISOString().slice(0, 10)
}

const minutesOf = (text: string): number => {
  const [hours = "0", minutes = "0"] = text.split(":")
  return Number(hours) * 60 + Number(minutes)
}

const drawRange = (draws: Draws, kind: TopicKind, from: string, to: string, decimals: number): string => {
  if (kind === "date") return drawDay(draws, from, to)
  if (kind === "time") {
    const minutes = draws.int(minutesOf(from) / 5, minutesOf(to) / 5) * 5
    return `${two(Math.floor(minutes / 60))}:${two(minutes % 60)}`
  }
  const unit = 10 ** decimals
  return (draws.int(Math.ceil(Number(from) * unit), Math.floor(Number(to) * unit)) / unit).toFixed(decimals)
}

/** The range of each kind, for topics that list no cells. */
const usual: Partial<Record<TopicKind, readonly [from: string, to: string]>> = {
  number: ["1", "90"],
  scale: ["1", "5"],
  date: ["2024-01-01", "2026-06-30"],
  time: ["07:00", "20:00"],
}

const mails = ["ada.king", "jonas", "m.silva", "claire_dupont", "info", "TOM.Miller", "lucia-f", "k.o"] as const
const hosts = ["example.org", "example.com", "mail.example.net", "uni.example.edu"] as const
const numbers = [
  "+49 30 12#####",
  "0171 23#####",
  "(555) 010-####",
  "+33 6 12 34 ## ##",
  "+5511912####7",
  "020 7946 0###",
] as const

/** Draws an email address or a phone number that belongs to nobody. */
const drawContact = (draws: Draws, kind: "email" | "phone"): string =>
  kind === "email"
    ? `${draws.pick([...mails])}${draws.int(1, 9999)}@${draws.pick([...hosts])}`
    : draws.pick([...numbers]).replaceAll("#", () => String(draws.int(0, 9)))

const drawText = (draws: Draws, topic: Topic, language: Language): string => {
  const { cells, kind } = topic
  if (cells !== undefined && "from" in cells) return drawRange(draws, kind, cells.from, cells.to, cells.decimals ?? 0)
  const listed = cells?.[language] ?? Object.values(cells ?? {})[0]
  const range = kind === "date" && topic.id.some((id) => /birth|dob/i.test(id))
    ? ["1945-01-01", "2007-12-31"] as const
    : usual[kind]
  if (listed === undefined && range !== undefined) return drawRange(draws, kind, ...range, 0)
  if (kind === "email" || kind === "phone") return drawContact(draws, kind)
  if (listed === undefined) throw new Error(`a topic of kind ${kind} needs cells`)
  return draws.pick([...listed])
}

interface FieldPlan {
  readonly draws: Draws
  readonly language: Language
  readonly title: string
  readonly name: string
  readonly responses: number
  /** Whether there is an Other option. */
  readonly hasOther: boolean
}

/** Whether an option of a topic is the Other option. */
const isOther = ({ code, en }: NonNullable<Topic["options"]>[number]): boolean =>
  code === "other" || /^other\b/i.test(en[0])

/** Returns a topic's options with labels in a language, and the index of the Other option. */
export const optionsOf = (
  topic: Topic,
  options: {
    readonly draws: Draws
    readonly language: Language
    readonly hasOther: boolean
    readonly isReworded: boolean
  },
) => {
  const listed = topic.options ?? []
  const labels = drawLabels(options.draws, listed.map((option) => option[options.language]), options.isReworded)
  const own = listed.findIndex(isOther)
  const all = labels.map((label, at) => ({ label, code: listed[at]?.code ?? "" }))
  if (!options.hasOther) return { options: all, other: undefined }
  if (own >= 0) return { options: all, other: own }
  return {
    options: [...all, { label: otherWords[options.language].label, code: "other" }],
    other: all.length,
  }
}

/** Draws the answers to a topic. */
export const drawField = (topic: Topic, plan: FieldPlan): Field => {
  const { draws, language, name, responses, title } = plan
  const made = optionsOf(topic, { draws, language, hasOther: plan.hasOther, isReworded: draws.chance(0.2) })
  const wrong = draws.chance(0.08) ? draws.int(0, Math.max(0, made.options.length - 1)) : -1
  const options = made.options.map((option, at) =>
    at === wrong && at !== made.other ? { ...option, label: mistyped(draws, option.label) } : option
  )
  const share = draws.pick([0.6, 0.8, 0.95, 1])
  const other = (chosen: ReadonlyArray<number>) =>
    made.other !== undefined && chosen.includes(made.other) ? draws.pick([...otherTexts[language]]) : undefined
  const answer = (): Answer => {
    switch (topic.kind) {
      case "boolean":
        return { _tag: "Boolean", yes: draws.chance(0.6) }
      case "choice": {
        const chosen = [drawIndex(draws, options)]
        return { _tag: "Options", options: chosen, other: other(chosen) }
      }
      case "choices": {
        const some = options.flatMap((_, at) => draws.chance(0.4) ? [at] : [])
        const chosen = some.length > 0 ? some : [drawIndex(draws, options)]
        return { _tag: "Options", options: chosen, other: other(chosen) }
      }
      default:
        return { _tag: "Text", text: drawText(draws, topic, language) }
    }
  }
  const answers = Array.from({ length: responses }, () => draws.chance(share) ? answer() : undefined)
  return { key: topic.topic, kind: topic.kind, title, name, options, rows: [], other: made.other, answers }
}

/** Draws the answers to a grid. */
export const drawGrid = (grid: Grid, plan: Omit<FieldPlan, "hasOther" | "name">): Field => ({
  key: `grid ${grid.id}`,
  kind: "grid",
  title: plan.title,
  name: grid.id,
  options: grid.options.map((option, at) => ({ label: option[plan.language], code: `A${at + 1}` })),
  rows: grid.rows.map((row) => row[plan.language]),
  other: undefined,
  answers: Array.from({ length: plan.responses }, () =>
    plan.draws.chance(0.9)
      ? { _tag: "Rows", rows: grid.rows.map(() => drawIndex(plan.draws, grid.options)) }
      : undefined),
})
