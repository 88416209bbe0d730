import type { Option } from "../../domain/form.ts"
import { loose } from "../../kinds/optionTable.ts"
import { meaningOf } from "./meaning.ts"
import type { Meaning } from "./meaning.ts"
import { saysNo, saysYes } from "./ticks.ts"
import { sameText } from "./words.ts"

/** The options of a question, ready to be compared with cells. */
export interface OptionNames {
  readonly options: ReadonlyArray<Option>
  /** Names as the kinds compare them: without case and space. */
  readonly exact: ReadonlyMap<string, Option>
  /** Names by their words alone. */
  readonly same: ReadonlyMap<string, Option>
  /** Names by what they mean, where no two options mean the same. */
  readonly meant: ReadonlyMap<string, Option>
}

const meantBy = ({ terms }: Meaning): string => terms.map((term) => term.root).toSorted().join(" ")

export const optionNames = (options: ReadonlyArray<Option>): OptionNames => {
  const exact = new Map<string, Option>()
  const same = new Map<string, Option>()
  const meant = new Map<string, Option>()
  const twice = new Set<string>()
  for (const option of options) {
    for (const name of [option.value, option.label]) {
      exact.set(loose(name), option)
      const words = sameText(name)
      if (words !== "") same.set(words, option)
    }
    const meaning = meantBy(meaningOf(option.label))
    if (meant.has(meaning)) twice.add(meaning)
    meant.set(meaning, option)
  }
  for (const meaning of [...twice, ""]) meant.delete(meaning)
  return { options, exact, same, meant }
}

/** A cell's text as it is compared with the options of one question after the other; each comparison is prepared when it is first needed, and once. */
export class CellName {
  readonly #text: string
  #loose: string | undefined
  #same: string | undefined
  #tick: ((text: string) => boolean) | null | undefined
  #meant: string | undefined

  constructor(text: string) {
    this.#text = text
  }

  /** As the kinds compare it: without case and space. */
  get loose(): string {
    return this.#loose ??= loose(this.#text)
  }

  /** By its words alone. */
  get same(): string {
    return this.#same ??= sameText(this.#text)
  }

  /** What tells whether another text says yes, or no, as this one does; null: it says neither. */
  get tick(): ((text: string) => boolean) | null {
    if (this.#tick === undefined) this.#tick = saysYes(this.#text) ? saysYes : saysNo(this.#text) ? saysNo : null
    return this.#tick
  }

  /** By what it means. */
  get meant(): string {
    return this.#meant ??= meantBy(meaningOf(this.#text))
  }
}

/** Makes a function that prepares each text once, for a column that is held against many questions. */
export const cellNames = (): (text: string) => CellName => {
  const known = new Map<string, CellName>()
  return (text) => {
    const before = known.get(text)
    if (before !== undefined) return before
    const name = new CellName(text)
    known.set(text, name)
    return name
  }
}

/** The option that a text most likely means: another spelling, another language, yes and no in other words. A suggestion, for people to judge. */
export const likelyOption = (names: OptionNames, text: string | CellName): Option | undefined => {
  const name = typeof text === "string" ? new CellName(text) : text
  const exact = names.exact.get(name.loose) ?? names.same.get(name.same)
  if (exact !== undefined) return exact
  const { tick } = name
  if (tick !== null) {
    const fitting = names.options.filter((option) => tick(option.label))
    if (fitting.length === 1) return fitting[0]
  }
  return names.meant.get(name.meant)
}
