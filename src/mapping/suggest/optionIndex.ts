import type { Option } from "../../domain/form.ts"
import { loose as looseText, optionNames, optionSplitter } from "../../kinds/optionTable.ts"
import { cached, sameText, saysNo, saysYes } from "../words/words.ts"
import { meaningOf } from "./meaning.ts"

/** The separators that form tools write between choices in one cell. Separators that seldom occur inside an option come first. */
const separators = ["\n", ";", " / ", "|", ",", " "] as const

// The texts of a column are compared with the options of many questions.
const loose = cached((text: string) => looseText(text))
const wordsIn = cached(sameText)
const meaningIn = cached((text: string) => meaningOf(text).terms.map(({ root }) => root).toSorted().join("|"))

/** The number of options that are compared by their meaning. */
const understood = 500

/** Returns the options of a question, by all forms of their names. */
export const indexOptions = (options: ReadonlyArray<Option>) => {
  /** Names as the kinds compare them: in lower case and without white space. */
  const exact = new Map<string, Option>()
  /** Names by their words only. */
  const same = new Map<string, ReadonlyArray<Option>>()
  /** Names by their meaning. Undefined if several options have the same meaning. */
  const meant = new Map<string, Option | undefined>([["", undefined]])
  for (const [at, option] of options.entries()) {
    for (const name of [option.value, option.label]) {
      exact.set(loose(name), option)
      const words = wordsIn(name)
      if (words !== "") same.set(words, [...same.get(words) ?? [], option])
    }
    if (at >= understood) continue
    const meaning = meaningIn(option.label)
    meant.set(meaning, meant.has(meaning) ? undefined : option)
  }
  const [yes, no] = [saysYes, saysNo].map((says) => options.filter(({ label }) => says(label)))
  /** The options that mean yes and no, if there is one of each. A size S does not mean yes. */
  const ticks = yes?.length === 1 && no?.length === 1 ? [yes[0]!, no[0]!] as const : undefined
  const table = { has: (text: string) => exact.has(loose(text)), names: optionNames(options) }
  /** The functions that split cells as a run does, by separator. */
  const splitters = separators.flatMap((separator) => {
    const split = optionSplitter(separator, table)
    return typeof split === "function" ? [[separator, split] as const] : []
  })
  return { exact, same, meant, ticks, splitters: new Map(splitters) }
}

export type OptionIndex = ReturnType<typeof indexOptions>

const tickNamed = ({ ticks }: OptionIndex, text: string): Option | undefined =>
  ticks === undefined ? undefined : saysYes(text) ? ticks[0] : saysNo(text) ? ticks[1] : undefined

/** Returns the option that a text most likely means, even if it is spelt differently, in a different language, or says yes or no differently. */
export const likelyOption = (names: OptionIndex, text: string): Option | undefined =>
  names.exact.get(loose(text)) ?? names.same.get(wordsIn(text))?.at(-1) ?? tickNamed(names, text)
    ?? names.meant.get(meaningIn(text))

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
export const optionsNamed = (names: OptionIndex, texts: ReadonlyArray<string>): ReadonlyArray<Option | undefined> => {
  const exact = texts.map((text) => names.exact.get(loose(text)))
  const used = new Set(exact)
  return texts.map((text, at) => {
    if (exact[at] !== undefined) return exact[at]
    const same = [...new Set(names.same.get(wordsIn(text)) ?? [])]
    const alike = same.filter(({ label, value }) => [label, value].some((name) => details(name) === details(text)))
    const option = alike[0] ?? tickNamed(names, text)
    if (option === undefined || alike.length > 1 || used.has(option)) return undefined
    used.add(option)
    return option
  })
}

const lettersIn = (text: string): number => text.replaceAll(/[^\p{L}\p{N}]/gu, "").length

/**
 * Finds the separator with which most letters of the cells belong to options, as a run would split and read them. It is undefined if no cell contains
 * several choices. Also returns the share of these letters, and the number of options that occur.
 */
export const splitFit = (distinct: ReadonlyMap<string, number>, { exact, splitters }: OptionIndex) => {
  const letters = [...distinct].reduce((sum, [text, times]) => sum + lettersIn(text) * times, 0)
  const lengths = [...new Set(Array.from(exact.keys(), ({ length }) => length))]
  const beginsWithOption = (text: string) => lengths.some((length) => exact.has(loose(text).slice(0, length)))
  const fits = [undefined, ...separators].map((separator) => {
    const found = [...distinct].flatMap(([text, times]) => {
      // Splitting every text at its spaces would take seconds.
      const isCut = separator !== undefined && text.includes(separator) && (separator !== " " || beginsWithOption(text))
      const pieces = isCut ? splitters.get(separator)?.(text) ?? [] : [text]
      const options = pieces.map((piece) => exact.get(loose(piece)))
      // A space also separates the words of texts that are no options.
      if (separator === " " && options.includes(undefined)) return []
      return options.map((option, at) => ({ option, letters: lettersIn(pieces[at]!) * times }))
    }).filter(({ option }) => option !== undefined)
    return {
      covered: found.reduce((sum, { letters }) => sum + letters, 0) / Math.max(1, letters),
      hits: new Set(found.map(({ option }) => option)).size,
      separator,
    }
  })
  return fits.reduce((best, fit) => fit.covered > best.covered ? fit : best)
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
