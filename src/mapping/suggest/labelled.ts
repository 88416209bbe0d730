import type { Question } from "../../domain/form.ts"
import { optionColumns } from "../../domain/row.ts"
import type { ColumnLabels } from "../../formtools/Labels.ts"
import { kindOfType } from "../../kinds/index.ts"
import { loose } from "../../kinds/optionTable.ts"
import type { DraftKey } from "../../project/PipelineDraft.ts"
import type { ProfiledColumn } from "./ColumnProfile.ts"
import { optionNames, optionsNamed } from "./optionNames.ts"
import type { Suggestion } from "./Suggestion.ts"
import { saysNo, saysYes } from "./words.ts"

/** Returns the title of a column as respondents read it, if the form tool's definition has one. */
export const labelledTitle = ({ labels }: Pick<ProfiledColumn, "labels">): string | undefined =>
  labels === undefined || labels.title === ""
    ? undefined
    : labels.part === undefined
    ? labels.title
    : `${labels.title} - ${labels.part.label}`

/** Codes with their labels. */
type Codes = ReadonlyMap<string, string>

/** Returns the codes that stand for options in a suggestion's cells, or in the names of a block's columns. */
export const codesOf = ({ origin, question }: Pick<Suggestion, "origin" | "question">): Codes => {
  const inCells = (one: ProfiledColumn): Codes => one.coded === undefined ? new Map() : one.labels?.options ?? new Map()
  if (origin._tag === "Column") return inCells(origin)
  if (origin._tag !== "Block") return new Map()
  const { known, members } = origin.block
  const own = optionColumns(members)
  const cells = new Map(own.flatMap((one) => [...inCells(one)]))
  // If the cells contain the options, the columns' names are rows of a grid, or ranks.
  return cells.size > 0 || !known || question.type === "Matrix"
    ? cells
    : new Map(own.flatMap(({ code, option }) => code === undefined ? [] : [[code, option] as const]))
}

/** Returns `values`, which maps each code to the option that its label names. Omits a code that is the option's own name. */
const valuesKeys = (codes: Codes, options: NonNullable<Question["options"]>): ReadonlyArray<DraftKey> => {
  const names = optionNames(options)
  const values = [...codes].flatMap(([code, label]) => {
    const [option] = optionsNamed(names, [label])
    return option === undefined || names.exact.get(loose(code)) === option ? [] : [[code, option.label] as const]
  })
  return values.length === 0 ? [] : [{ key: "values", value: Object.fromEntries(values), isLong: true }]
}

const splitKeys = (labels: ColumnLabels | undefined): ReadonlyArray<DraftKey> =>
  labels?.split === undefined ? [] : [{ key: "split", value: labels.split }]

/** How cells with codes are read. */
interface CodedSettings {
  readonly kind: string
  readonly keys: ReadonlyArray<DraftKey>
}

/** Returns how cells with codes are read, or undefined if the codes say nothing about that. */
export const codedSettings = (suggestion: Suggestion): CodedSettings | undefined => {
  const codes = codesOf(suggestion)
  if (codes.size === 0) return undefined
  const { origin, question } = suggestion
  const { options = [], type } = question
  const labels = origin._tag === "Column" ? origin.labels : undefined
  const kind = type !== undefined ? kindOfType(type)?.name : labels?.split === undefined ? "choice" : "choices"
  const settled = (kind: string, ...keys: ReadonlyArray<DraftKey>): CodedSettings => ({ kind, keys })
  switch (kind) {
    case "boolean": {
      const saying = (says: (label: string) => boolean) =>
        [...codes].flatMap(([code, label]) => says(label) ? [code] : [])
      const [yes, no] = [saying(saysYes), saying(saysNo)]
      return yes.length === 0 || no.length === 0
        ? undefined
        : settled(kind, { key: "true", value: yes }, { key: "false", value: no })
    }
    case "choice":
    case "choices":
    case "ranking":
    case "matrix":
    case "text": {
      if (options.length > 0) {
        return settled(kind, ...(kind === "choice" ? [] : splitKeys(labels)), ...valuesKeys(codes, options))
      }
      // If the form lists no options, labels are sent. A text question accepts only one label.
      if (origin._tag !== "Column" || (kind === "text" && labels?.split !== undefined)) return undefined
      const listed = [...new Set(codes.values())].map((label) => ({ value: label, label }))
      return settled(
        kind === "text" ? "choice" : kind,
        ...(kind === "choices" || kind === "ranking" ? splitKeys(labels) : []),
        { key: "options", value: listed.map(({ label }) => label), note: "the labels of the codes" },
        ...valuesKeys(codes, listed),
      )
    }
    default:
      return undefined
  }
}
