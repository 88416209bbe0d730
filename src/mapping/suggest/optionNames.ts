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

/** The option that a cell's text is a name of, as the kinds find it. */
const exactOption = (names: OptionNames, text: string): Option | undefined => names.exact.get(loose(text))

/** The option that a text most likely means: another spelling, another language, yes and no in other words. A suggestion, for people to judge. */
export const likelyOption = (names: OptionNames, text: string): Option | undefined => {
  const exact = exactOption(names, text) ?? names.same.get(sameText(text))
  if (exact !== undefined) return exact
  const tick = saysYes(text) ? saysYes : saysNo(text) ? saysNo : undefined
  if (tick !== undefined) {
    const fitting = names.options.filter((option) => tick(option.label))
    if (fitting.length === 1) return fitting[0]
  }
  return names.meant.get(meantBy(meaningOf(text)))
}
