import type { Option } from "../../domain/form.ts"
import { loose } from "../../kinds/optionTable.ts"
import { sameText, saysNo, saysYes } from "../words/words.ts"
import { type Meaning, meaningOf } from "./meaning.ts"

/** The options of a question, by all forms of their names. */
export interface OptionNames {
  /** Names as the kinds compare them: in lower case and without white space. */
  readonly exact: ReadonlyMap<string, Option>
  /** Names by their words only. */
  readonly same: ReadonlyMap<string, ReadonlyArray<Option>>
  /** Names by their meaning, unless several options have the same meaning. */
  readonly meant: ReadonlyMap<string, Option>
  /** The options that mean yes and no, if there is one of each. A size S does not mean yes. */
  readonly ticks: readonly [yes: Option, no: Option] | undefined
  /** Returns a pattern that finds whole names in longer texts, the longest first. */
  readonly pattern: () => RegExp
}

const meantBy = ({ terms }: Meaning): string => terms.map((term) => term.root).toSorted().join("|")

/** The number of options that are compared by their meaning. */
const understood = 500

export const optionNames = (options: ReadonlyArray<Option>): OptionNames => {
  const exact = new Map<string, Option>()
  const same = new Map<string, ReadonlyArray<Option>>()
  const meant = new Map<string, Option>()
  const twice = new Set<string>()
  for (const [at, option] of options.entries()) {
    for (const name of [option.value, option.label]) {
      exact.set(loose(name), option)
      const words = sameText(name)
      if (words !== "") same.set(words, [...same.get(words) ?? [], option])
    }
    if (at >= understood) continue
    const meaning = meantBy(meaningOf(option.label))
    if (meant.has(meaning)) twice.add(meaning)
    meant.set(meaning, option)
  }
  for (const meaning of [...twice, ""]) meant.delete(meaning)
  const [yes, no] = [saysYes, saysNo].map((says) => options.filter(({ label }) => says(label)))
  const ticks = yes?.length === 1 && no?.length === 1 ? [yes[0]!, no[0]!] as const : undefined
  let pattern: RegExp | undefined
  return { exact, same, meant, ticks, pattern: () => pattern ??= patternOf(options) }
}

/** Caches a function's result for each text. */
const remembering = <A>(compute: (text: string) => A): (text: string) => A => {
  const known = new Map<string, A>()
  return (text) => {
    const before = known.get(text)
    if (before !== undefined) return before
    const result = compute(text)
    known.set(text, result)
    return result
  }
}

/** The functions that return the three forms in which a text is compared with options: as the kinds compare it, by its words, and by its meaning. */
export interface TextForms {
  readonly loose: (text: string) => string
  readonly same: (text: string) => string
  readonly meant: (text: string) => string
}

const textForms: TextForms = { loose, same: sameText, meant: (text) => meantBy(meaningOf(text)) }

/** Returns forms that are cached, for texts that are compared with the options of many questions. */
export const rememberedForms = (): TextForms => ({
  loose: remembering(textForms.loose),
  same: remembering(textForms.same),
  meant: remembering(textForms.meant),
})

const tickNamed = ({ ticks }: OptionNames, text: string): Option | undefined =>
  ticks === undefined ? undefined : saysYes(text) ? ticks[0] : saysNo(text) ? ticks[1] : undefined

/** Returns the option that a text most likely means, even if it is spelt differently, in a different language, or says yes or no differently. */
export const likelyOption = (
  names: OptionNames,
  text: string,
  forms: TextForms = textForms,
): Option | undefined =>
  names.exact.get(forms.loose(text)) ?? names.same.get(forms.same(text))?.at(-1) ?? tickNamed(names, text)
    ?? names.meant.get(forms.meant(text))

/** Digits, symbols and single letters. If these differ, the names are different, however similar they are otherwise. */
const details = (text: string): string =>
  (text.replaceAll("−", "-").toLowerCase().match(
    /\d+|[+<>≤≥=%$€£#]|-(?=\d)|(?<=(?<!\p{L})\p{L})-(?!\p{L})|(?<!\p{L})\p{L}(?!\p{L})/gu,
  ) ?? []).join(" ")

/**
 * Returns the option that each text names, in spite of case, accents and punctuation. An option is returned once: for
 * the text that names it exactly, otherwise for the first text. What has a similar meaning is not returned, because a
 * wrong option can't be corrected after the import.
 */
export const optionsNamed = (names: OptionNames, texts: ReadonlyArray<string>): ReadonlyArray<Option | undefined> => {
  const exact = texts.map((text) => names.exact.get(loose(text)))
  const used = new Set(exact)
  return texts.map((text, at) => {
    if (exact[at] !== undefined) return exact[at]
    const same = [...new Set(names.same.get(sameText(text)) ?? [])]
    const alike = same.filter(({ label, value }) => [label, value].some((name) => details(name) === details(text)))
    const option = alike[0] ?? tickNamed(names, text)
    if (option === undefined || alike.length > 1 || used.has(option)) return undefined
    used.add(option)
    return option
  })
}

/** The separators that form tools write between choices in one cell. Separators that seldom occur inside an option come first. */
const separators = ["\n", ";", " / ", "|", ",", " "] as const

/** Stands for an option in a cell. */
const mark = "\u0000"

const patternOf = (options: ReadonlyArray<Option>): RegExp => {
  const names = options.flatMap(({ label, value }) => [label, value].map((name) => name.trim().toLowerCase()))
    .filter((name) => name !== "").toSorted((a, b) => b.length - a.length)
  const escaped = names.map((name) => name.replaceAll(/[\^$.*+?()[\]{}|/\\]/g, "\\$&"))
  return new RegExp(`(?<![\\p{L}\\p{N}])(?:${escaped.join("|")})(?![\\p{L}\\p{N}])`, "gu")
}

const lettersIn = (text: string): number => text.replaceAll(/[^\p{L}\p{N}]/gu, "").length

/** How well cells with several choices fit the options of a question. */
interface SplitFit {
  /** Share of the cells' letters that belong to options, 0 to 1. */
  readonly covered: number
  /** Distinct options that occur. */
  readonly hits: number
  /** The separator of the choices. Undefined if no cell contains several choices. */
  readonly separator: string | undefined
}

/** Finds the separator of the choices in cells, and the share of the cells that options cover. If several options begin at the same place, the longest one counts. */
export const splitFit = (distinct: ReadonlyMap<string, number>, names: OptionNames): SplitFit => {
  const counts = new Map<string, number>()
  const hit = new Set<Option | undefined>()
  let [letters, left] = [0, 0]
  for (const [text, times] of distinct) {
    const rest = text.toLowerCase().replaceAll(names.pattern(), (name) => {
      hit.add(names.exact.get(loose(name)))
      return mark
    })
    letters += lettersIn(text) * times
    left += lettersIn(rest) * times
    const between = separators.find((separator) => {
      const pieces = rest.split(separator).map((piece) => piece.trim()).filter((piece) => piece !== "")
      if (separator === " ") return pieces.length > 1 && pieces.every((piece) => piece === mark)
      return rest.includes(separator) && pieces.includes(mark)
    })
    if (between !== undefined) counts.set(between, (counts.get(between) ?? 0) + times)
  }
  const [separator] = [...counts].toSorted((a, b) => b[1] - a[1])[0] ?? []
  return { covered: letters === 0 ? 0 : 1 - left / letters, hits: hit.size, separator }
}

/** Returns how often each piece occurs if cells are split at a separator, and how many cells contain the separator. */
const piecesAt = (distinct: ReadonlyMap<string, number>, separator: string) => {
  const pieces = new Map<string, number>()
  let cut = 0
  for (const [text, times] of distinct) {
    if (text.includes(separator)) cut += times
    for (const name of new Set(text.split(separator).map((piece) => piece.trim()))) {
      if (name !== "") pieces.set(name, (pieces.get(name) ?? 0) + times)
    }
  }
  return { pieces, cut }
}

/** Returns the separator that cuts cells into hardly more distinct pieces than there are options, if each piece recurs. */
export const separatorInto = (distinct: ReadonlyMap<string, number>, options: number): string | undefined =>
  separators.find((separator) => {
    const { cut, pieces } = piecesAt(distinct, separator)
    return cut > 1 && pieces.size <= options + 2 && pieces.size < distinct.size
      && [...pieces.values()].every((times) => times > 1)
  })

/** Returns the separator that splits cells into pieces that occur repeatedly. For questions without known options. */
export const likelySeparator = (distinct: ReadonlyMap<string, number>): string | undefined => {
  let [best, most]: [string | undefined, number] = [undefined, 0]
  for (const separator of separators) {
    const { cut, pieces } = piecesAt(distinct, separator)
    // A space separates choices only if most of the words also occur as whole cells.
    const isText = separator === " "
      && [...pieces.keys()].filter((piece) => distinct.has(piece)).length * 2 < pieces.size
    const again = [...pieces.values()].filter((times) => times > 1).length
    const value = isText || pieces.size === 0 ? 0 : cut * again / pieces.size
    if (value > most * 1.2) [best, most] = [separator, value]
  }
  return best
}
