import type { Option } from "../../domain/form.ts"
import { loose, optionSplitter } from "../../kinds/optionTable.ts"
import { sameText, saysNo, saysYes } from "../words/words.ts"
import { type Meaning, meaningOf } from "./meaning.ts"

/** The separators that form tools write between choices in one cell. Separators that seldom occur inside an option come first. */
const separators = ["\n", ";", " / ", "|", ",", " "] as const

/** The options of a question, by all forms of their names. */
export interface OptionIndex {
  /** Names as the kinds compare them: in lower case and without white space. */
  readonly exact: ReadonlyMap<string, Option>
  /** Names by their words only. */
  readonly same: ReadonlyMap<string, ReadonlyArray<Option>>
  /** Names by their meaning, unless several options have the same meaning. */
  readonly meant: ReadonlyMap<string, Option>
  /** The options that mean yes and no, if there is one of each. A size S does not mean yes. */
  readonly ticks: readonly [yes: Option, no: Option] | undefined
  /** The functions that split cells as a run does, by separator. */
  readonly splitters: ReadonlyMap<string, (text: string) => ReadonlyArray<string>>
}

const meaningKey = ({ terms }: Meaning): string => terms.map((term) => term.root).toSorted().join("|")

/** The number of options that are compared by their meaning. */
const understood = 500

export const indexOptions = (options: ReadonlyArray<Option>): OptionIndex => {
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
    const meaning = meaningKey(meaningOf(option.label))
    if (meant.has(meaning)) twice.add(meaning)
    meant.set(meaning, option)
  }
  for (const meaning of [...twice, ""]) meant.delete(meaning)
  const [yes, no] = [saysYes, saysNo].map((says) => options.filter(({ label }) => says(label)))
  const ticks = yes?.length === 1 && no?.length === 1 ? [yes[0]!, no[0]!] as const : undefined
  const table = {
    has: (text: string) => exact.has(loose(text)),
    names: options.flatMap(({ label, value }) => [label, value]),
  }
  const splitters = separators.flatMap((separator) => {
    const split = optionSplitter(separator, table)
    return typeof split === "function" ? [[separator, split] as const] : []
  })
  return { exact, same, meant, ticks, splitters: new Map(splitters) }
}

/** A text in the forms in which it is compared with options. Each form is computed once. */
export class ComparedText {
  readonly text: string
  #loose: string | undefined
  #same: string | undefined
  #meant: string | undefined
  #letters: number | undefined

  constructor(text: string) {
    this.text = text
  }

  /** As the kinds compare it. */
  get loose(): string {
    return this.#loose ??= loose(this.text)
  }

  /** Its words. */
  get same(): string {
    return this.#same ??= sameText(this.text)
  }

  /** Its meaning. */
  get meant(): string {
    return this.#meant ??= meaningKey(meaningOf(this.text))
  }

  /** The number of its letters and digits. */
  get letters(): number {
    return this.#letters ??= this.text.replaceAll(/[^\p{L}\p{N}]/gu, "").length
  }
}

/** Returns a function that makes each text comparable once, for texts that are compared with the options of many questions. */
export const comparedTexts = (): (text: string) => ComparedText => {
  const known = new Map<string, ComparedText>()
  return (text) => {
    const one = known.get(text) ?? new ComparedText(text)
    known.set(text, one)
    return one
  }
}

const tickNamed = ({ ticks }: OptionIndex, text: string): Option | undefined =>
  ticks === undefined ? undefined : saysYes(text) ? ticks[0] : saysNo(text) ? ticks[1] : undefined

/** Returns the option that a text most likely means, even if it is spelt differently, in a different language, or says yes or no differently. */
export const likelyOption = (names: OptionIndex, text: ComparedText): Option | undefined =>
  names.exact.get(text.loose) ?? names.same.get(text.same)?.at(-1) ?? tickNamed(names, text.text)
    ?? names.meant.get(text.meant)

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
    const same = [...new Set(names.same.get(sameText(text)) ?? [])]
    const alike = same.filter(({ label, value }) => [label, value].some((name) => details(name) === details(text)))
    const option = alike[0] ?? tickNamed(names, text)
    if (option === undefined || alike.length > 1 || used.has(option)) return undefined
    used.add(option)
    return option
  })
}

/** How well cells with several choices fit the options of a question. */
interface SplitFit {
  /** Share of the cells' letters that belong to options, 0 to 1. */
  readonly covered: number
  /** Distinct options that occur. */
  readonly hits: number
  /** The separator of the choices. Undefined if no cell contains several choices. */
  readonly separator: string | undefined
}

/**
 * Finds the separator with which most letters of the cells belong to options, as a run would split and read them.
 *
 * @param textOf makes a text comparable
 */
export const splitFit = (
  distinct: ReadonlyMap<string, number>,
  { exact, splitters }: OptionIndex,
  textOf = comparedTexts(),
): SplitFit => {
  const cells = [...distinct].map(([text, times]) => ({ text: textOf(text), times }))
  const letters = cells.reduce((sum, { text, times }) => sum + text.letters * times, 0)
  const lengths = [...new Set(Array.from(exact.keys(), ({ length }) => length))]
  const beginsWithOption = ({ loose }: ComparedText) => lengths.some((length) => exact.has(loose.slice(0, length)))
  let best: SplitFit = { covered: 0, hits: 0, separator: undefined }
  let most = 0
  for (const separator of [undefined, ...separators]) {
    const hit = new Set<Option>()
    let covered = 0
    for (const { text, times } of cells) {
      // Splitting every text at its spaces would take seconds.
      const isCut = separator !== undefined && text.text.includes(separator)
        && (separator !== " " || beginsWithOption(text))
      const pieces = isCut ? splitters.get(separator)?.(text.text).map(textOf) ?? [] : [text]
      const options = pieces.map((piece) => exact.get(piece.loose))
      // A space also separates the words of texts that are no options.
      if (separator === " " && options.includes(undefined)) continue
      for (const [at, option] of options.entries()) {
        if (option === undefined) continue
        hit.add(option)
        covered += pieces[at]!.letters * times
      }
    }
    if (covered <= most) continue
    most = covered
    best = { covered: covered / letters, hits: hit.size, separator }
  }
  return best
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
