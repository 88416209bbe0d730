import { cached } from "../domain/cached.ts"
import type { Option } from "../domain/form.ts"
import { loose as looseText, optionNames, optionSplitter } from "../kinds/optionTable.ts"
import { saysNo, saysYes } from "../profile/cellWords.ts"
import { sameText } from "./words/words.ts"

/** The separators that form tools write between choices in one cell. Separators that seldom occur inside an option come first. */
const separators = ["\n", ";", " / ", "|", ",", " "] as const

// The texts of a column are compared with the options of many questions.
const loose = cached((text: string) => looseText(text))
const wordsIn = cached(sameText)

/** Returns options by their names in one form. */
export const byName = (options: ReadonlyArray<Option>, form: (name: string) => string) => {
  const named = new Map<string, ReadonlyArray<Option>>()
  for (const option of options) {
    for (const name of new Set([option.value, option.label].map(form))) {
      if (name !== "") named.set(name, [...named.get(name) ?? [], option])
    }
  }
  return named
}

/** Returns the option if there is only one. */
export const only = (options: ReadonlyArray<Option> = []): Option | undefined =>
  options.length === 1 ? options[0] : undefined

/** Returns the options of a question, by all forms of their names. */
export const indexOptions = (options: ReadonlyArray<Option>) => {
  /** Names as the kinds compare them: in lower case and without white space. */
  const exact = byName(options, loose)
  const [yes, no] = [saysYes, saysNo].map((says) => only(options.filter(({ label }) => says(label))))
  const table = { has: (text: string) => exact.has(loose(text)), names: optionNames(options) }
  return {
    exact,
    /** Names by their words only. */
    same: byName(options, wordsIn),
    /** The options that mean yes and no, if there is one of each. A size S does not mean yes. */
    ticks: yes && no && [yes, no] as const,
    /** The functions that split cells as a run does. Without a separator, a cell is one choice. */
    splitters: [undefined, ...separators].map((separator) => ({ separator, split: optionSplitter(separator, table) })),
  }
}

export type OptionIndex = ReturnType<typeof indexOptions>

/** Returns the only option with a name, as a run finds it: exactly as it is written, otherwise ignoring case and space. */
export const exactOption = ({ exact }: OptionIndex, text: string): Option | undefined => {
  const alike = exact.get(loose(text)) ?? []
  return only(alike)
    ?? only(alike.filter(({ label, value }) => [label, value].some((name) => name.trim() === text.trim())))
}

/** Whether several options have a name, apart from case and space. */
export const isShared = ({ exact }: OptionIndex, text: string): boolean => (exact.get(loose(text))?.length ?? 0) > 1

/** Digits, symbols and single letters. If these differ, the names are different, however similar they are otherwise. */
const details = (text: string): string =>
  (text.replaceAll("−", "-").toLowerCase().match(
    /\d+|[+<>≤≥=%$€£#]|-(?=\d|[^\p{L}\p{N}]*$)|(?<=(?<!\p{L})\p{L})-(?!\p{L})|(?<!\p{L})\p{L}(?!\p{L})/gu,
  ) ?? []).join(" ")

/**
 * Returns the only option that a text names, in spite of case, accents and punctuation, or that says yes or no differently. What has a similar meaning is
 * not returned, because a wrong option can't be corrected after the import.
 */
export const optionNamed = (names: OptionIndex, text: string): Option | undefined => {
  const alike = (names.same.get(wordsIn(text)) ?? []).filter(({ label, value }) =>
    [label, value].some((name) => details(name) === details(text))
  )
  const tick = saysYes(text) ? names.ticks?.[0] : saysNo(text) ? names.ticks?.[1] : undefined
  return exactOption(names, text) ?? (alike.length > 1 ? undefined : alike[0] ?? tick)
}

/** Returns the option that each text names. An option is returned once: for the text that names it exactly, otherwise for the first text. */
export const optionsNamed = (names: OptionIndex, texts: ReadonlyArray<string>): ReadonlyArray<Option | undefined> => {
  const exact = texts.map((text) => exactOption(names, text))
  const used = new Set(exact)
  return texts.map((text, at) => {
    const option = exact[at] ?? optionNamed(names, text)
    if (exact[at] === undefined && used.has(option)) return undefined
    used.add(option)
    return option
  })
}

/** Returns the pieces of texts, without white space at their ends. Without a separator, a text is one piece. */
export const splitTexts = (texts: ReadonlyArray<string>, separator: string | undefined): ReadonlyArray<string> =>
  texts.flatMap((text) => separator === undefined ? [text] : text.split(separator)).map((piece) => piece.trim())

/** The longest text that spaces may separate into choices, in characters. */
const longestList = 100

/**
 * Returns how well options explain texts: the share of the texts' letters that belong to options, and the number of options that occur. If texts may
 * contain several choices, finds the separator for which this share is largest. It is undefined if no text contains several choices.
 */
export const splitFit = (distinct: ReadonlyMap<string, number>, names: OptionIndex, isSeveral = true) => {
  const weightOf = (text: string) => text.replaceAll(/[^\p{L}\p{N}]/gu, "").length || 1
  const all = [...distinct].reduce((sum, [text, times]) => sum + weightOf(text) * times, 0)
  const fits = names.splitters.slice(0, isSeveral ? undefined : 1).map(({ separator, split }) => {
    const hits = new Set<Option>()
    let covered = 0
    for (const [text, times] of distinct) {
      // A space also separates the words of texts that are no options. Splitting long texts would take seconds.
      const isText = separator === " " && text.length > longestList
      const pieces = typeof split === "function" && !isText ? split(text) : [text]
      const options = pieces.map((piece) => optionNamed(names, piece))
      if (separator === " " && options.includes(undefined)) continue
      for (const [at, option] of options.entries()) {
        if (option === undefined) continue
        hits.add(option)
        covered += weightOf(pieces[at]!) * times
      }
    }
    return { covered: covered / Math.max(1, all), hits: hits.size, separator }
  })
  return fits.reduce((best, fit) => fit.covered > best.covered ? fit : best)
}

/** Returns the separator that splits cells into pieces that occur repeatedly. For questions whose options the cells don't name. */
export const likelySeparator = (distinct: ReadonlyMap<string, number>): string | undefined => {
  const fits = separators.map((separator) => {
    const pieces = new Map<string, number>()
    let cut = 0
    for (const [text, times] of distinct) {
      if (text.includes(separator)) cut += times
      for (const name of new Set(splitTexts([text], separator))) {
        if (name !== "") pieces.set(name, (pieces.get(name) ?? 0) + times)
      }
    }
    const names = [...pieces.keys()]
    // A space separates choices only if most of the words also occur as whole cells.
    const isText = separator === " " && names.filter((name) => distinct.has(name)).length * 2 < names.length
    const again = names.filter((name) => pieces.get(name)! > 1).length
    return { separator, value: isText ? 0 : cut * again / Math.max(1, names.length) }
  })
  const best = fits.reduce((best, fit) => fit.value > best.value * 1.2 ? fit : best)
  return best.value > 0 ? best.separator : undefined
}
