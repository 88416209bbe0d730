import type { Option } from "../../domain/form.ts"
import { loose } from "../../kinds/optionTable.ts"
import { likeness, type Meaning, meaningOf } from "./meaning.ts"
import { sameText, saysNo, saysYes } from "./words.ts"

/** The options of a question, by all forms of their names. */
export interface OptionNames {
  /** Names as the kinds compare them: in lower case and without white space. */
  readonly exact: ReadonlyMap<string, Option>
  /** Names by their words only. */
  readonly same: ReadonlyMap<string, ReadonlyArray<Option>>
  /** The meanings of the names, by each of their terms. */
  readonly byTerm: ReadonlyMap<string, ReadonlyArray<readonly [Meaning, Option]>>
  /** The options that mean yes and no, if there is one of each. A size S does not mean yes. */
  readonly ticks: readonly [yes: Option, no: Option] | undefined
  /** Names by their words and symbols, to find them in longer texts. */
  readonly tree: () => Branch
}

/** The number of options that are compared by their meaning. */
const understood = 500

/** How alike a text and an option's name must be. */
const alikeEnough = 0.5

/** The number of options that a text is compared with by one of its words. A word that more options have tells nothing. */
const sharing = 10

/** Returns the option whose name shares a word with a text, and is more like it than all others. */
const alikeOption = ({ byTerm }: OptionNames, text: Meaning): Option | undefined => {
  const sharers = text.terms.map(({ root }) => byTerm.get(root) ?? []).filter(({ length }) => length <= sharing)
  const [best, next] = [...new Map(sharers.flat())].map(([name, option]) => ({
    ...likeness(text, name, () => 1),
    option,
  })).filter(({ opposed, value }) => !opposed && value >= alikeEnough).toSorted((a, b) => b.value - a.value)
  return best !== undefined && best.value > (next?.value ?? 0) ? best.option : undefined
}

export const optionNames = (options: ReadonlyArray<Option>): OptionNames => {
  const exact = new Map<string, Option>()
  const same = new Map<string, ReadonlyArray<Option>>()
  const byTerm = new Map<string, Array<readonly [Meaning, Option]>>()
  for (const [at, option] of options.entries()) {
    for (const name of [option.value, option.label]) {
      exact.set(loose(name), option)
      const words = sameText(name)
      if (words !== "") same.set(words, [...same.get(words) ?? [], option])
    }
    if (at >= understood) continue
    const meaning = meaningOf(option.label)
    for (const { root } of meaning.terms) {
      const sharers = byTerm.get(root)
      if (sharers === undefined) byTerm.set(root, [[meaning, option]])
      else sharers.push([meaning, option])
    }
  }
  const [yes, no] = [saysYes, saysNo].map((says) => options.filter(({ label }) => says(label)))
  const ticks = yes?.length === 1 && no?.length === 1 ? [yes[0]!, no[0]!] as const : undefined
  let tree: Branch | undefined
  return { exact, same, byTerm, ticks, tree: () => tree ??= treeOf(options) }
}

/** Returns a function that caches a function's result for each text. */
const remembering = <A extends object | string>(compute: (text: string) => A): (text: string) => A => {
  const known = new Map<string, A>()
  return (text) => {
    const result = known.get(text) ?? compute(text)
    known.set(text, result)
    return result
  }
}

/** The two forms in which a text is compared with options: as the kinds compare it, and by its words and their meaning. */
const textForms = { loose, meaning: meaningOf }
export type TextForms = typeof textForms

/** Returns forms that are cached, for texts that are compared with the options of many questions. */
export const rememberedForms = (): TextForms => ({ loose: remembering(loose), meaning: remembering(meaningOf) })

const tickNamed = ({ ticks }: OptionNames, text: string): Option | undefined =>
  ticks === undefined ? undefined : saysYes(text) ? ticks[0] : saysNo(text) ? ticks[1] : undefined

/** Returns the option that a text most likely means, even if it is spelt differently, in a different language, or says yes or no differently. */
export const likelyOption = (
  names: OptionNames,
  text: string,
  forms: TextForms = textForms,
): Option | undefined =>
  names.exact.get(forms.loose(text)) ?? names.same.get(forms.meaning(text).same)?.at(-1) ?? tickNamed(names, text)
    ?? alikeOption(names, forms.meaning(text))

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

const isWord = (token: string | undefined): boolean => token !== undefined && /^[\p{L}\p{N}]/u.test(token)

const tokensOf = (text: string): ReadonlyArray<string> => text.match(/[\p{L}\p{N}]+|[^\p{L}\p{N}]/gu) ?? []

/** The options whose names begin with the same words and symbols. */
interface Branch {
  readonly next: Map<string, Branch>
  option?: Option
}

const treeOf = (options: ReadonlyArray<Option>): Branch => {
  const root: Branch = { next: new Map() }
  for (const option of options) {
    for (const name of [option.label.trim(), option.value.trim()]) {
      let branch = root
      for (const token of tokensOf(name.toLowerCase())) {
        const next = branch.next.get(token) ?? { next: new Map() }
        branch.next.set(token, next)
        branch = next
      }
      if (branch !== root) branch.option ??= option
    }
  }
  return root
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

/** Finds the separator of the choices in cells, and the share of the cells that options cover. If several options begin at the same place, the longest one counts. */
export const splitFit = (distinct: ReadonlyMap<string, number>, names: OptionNames): SplitFit => {
  const tree = names.tree()
  const counts = new Map<string, number>()
  const hit = new Set<Option>()
  let [letters, left] = [0, 0]
  for (const [text, times] of distinct) {
    const tokens = tokensOf(text)
    const lower = tokens.map((token) => token.toLowerCase())
    let rest = ""
    for (let at = 0; at < tokens.length;) {
      let [end, option] = [at, undefined as Option | undefined]
      let branch = isWord(tokens[at - 1]) ? undefined : tree.next.get(lower[at]!)
      for (let to = at + 1; branch !== undefined; branch = branch.next.get(lower[to++] ?? "")) {
        if (branch.option !== undefined && !isWord(tokens[to])) [end, option] = [to, branch.option]
      }
      const piece = tokens.slice(at, Math.max(end, at + 1)).join("")
      const size = isWord(piece) || option !== undefined ? piece.replaceAll(/[^\p{L}\p{N}]/gu, "").length * times : 0
      letters += size
      if (option === undefined) left += size
      else hit.add(option)
      rest += option === undefined ? piece : mark
      at += Math.max(end - at, 1)
    }
    const between = separators.find((separator) => {
      const pieces = piecesOf(rest, separator)
      if (separator === " ") return pieces.length > 1 && pieces.every((piece) => piece === mark)
      return rest.includes(separator) && pieces.includes(mark)
    })
    if (between !== undefined) counts.set(between, (counts.get(between) ?? 0) + times)
  }
  const [separator] = [...counts].toSorted((a, b) => b[1] - a[1])[0] ?? []
  return { covered: letters === 0 ? 0 : 1 - left / letters, hits: hit.size, separator }
}

/** Returns the choices in a cell. */
export const piecesOf = (text: string, separator: string): ReadonlyArray<string> =>
  text.split(separator).map((piece) => piece.trim()).filter((piece) => piece !== "")

/** Counts in how many cells each piece occurs, and the cells with several pieces. */
const cutBy = (distinct: ReadonlyMap<string, number>, separator: string) => {
  const pieces = new Map<string, number>()
  let cut = 0
  for (const [text, times] of distinct) {
    const names = piecesOf(text, separator)
    if (names.length > 1) cut += times
    for (const name of new Set(names)) pieces.set(name, (pieces.get(name) ?? 0) + times)
  }
  return { cut, pieces }
}

/** Returns the separator that cuts cells into hardly more distinct pieces than there are options, if each piece recurs. */
export const separatorInto = (distinct: ReadonlyMap<string, number>, options: number): string | undefined =>
  separators.find((separator) => {
    const { cut, pieces } = cutBy(distinct, separator)
    return cut > 1 && pieces.size <= options + 2 && pieces.size < distinct.size
      && [...pieces.values()].every((times) => times > 1)
  })

/** Returns the separator that splits cells into pieces that occur repeatedly. For questions without known options. */
export const likelySeparator = (distinct: ReadonlyMap<string, number>): string | undefined => {
  let best: string | undefined
  let most = 0
  for (const separator of separators) {
    const { cut, pieces } = cutBy(distinct, separator)
    const again = [...pieces.values()].filter((times) => times > 1).length
    // A space separates choices only if most of the words also occur as whole cells.
    if (separator === " " && [...pieces.keys()].filter((piece) => distinct.has(piece)).length * 2 < pieces.size) {
      continue
    }
    const value = pieces.size === 0 ? 0 : cut * again / pieces.size
    if (cut > 0 && value > most * 1.2) [best, most] = [separator, value]
  }
  return best
}
