import { type Option, optionNamer } from "../domain/form.ts"
import type { ProfiledColumn } from "../profile/ColumnProfile.ts"
import { exactOption, indexOptions, optionNamed } from "./optionIndex.ts"
import type { Suggestion } from "./Suggestion.ts"

/** Returns the title of a column as respondents read it, if the form tool's definition has one. */
export const labelledTitle = ({ labels }: Pick<ProfiledColumn, "labels">): string | undefined =>
  labels?.part === undefined || labels.title === ""
    ? labels?.title || undefined
    : `${labels.title} - ${labels.part.label}`

export type Codes = ReadonlyMap<string, string>

/** Returns the codes that stand for options in a suggestion's cells, or in the names of a block's columns. */
export const codesOf = ({ origin, question }: Pick<Suggestion, "origin" | "question">): Codes => {
  const options = origin._tag === "Block" ? origin.options : []
  const own: ReadonlyArray<ProfiledColumn> = origin._tag === "Column" ? [origin] : options
  const inCells = new Map(own.flatMap(({ coded, labels }) => coded === undefined ? [] : [...labels?.options ?? []]))
  // If the cells contain the options, the columns' names are rows of a grid, or ranks.
  return inCells.size > 0 || origin._tag !== "Block" || !origin.known || question.type === "Matrix"
    ? inCells
    : new Map(options.flatMap(({ code, option }) => code === undefined ? [] : [[code, option] as const]))
}

/** Returns each code with the option that its label names. Omits a code that is the option's own name. */
export const valuesOf = (codes: Codes, options: ReadonlyArray<Option>) => {
  const [names, nameOf] = [indexOptions(options), optionNamer(options)]
  return Object.fromEntries([...codes].flatMap(([code, label]) => {
    const option = optionNamed(names, label)
    return option === undefined || exactOption(names, code) === option ? [] : [[code, nameOf(option)]]
  }))
}
