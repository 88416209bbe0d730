import type { ColumnName, Input, MappingEntry, Pipeline } from "../project/Pipeline.ts"

const ofInput = (input: Input): ReadonlyArray<ColumnName> =>
  input._tag === "Parts"
    ? input.parts.flatMap((part) => ofInput(part.input))
    : "columns" in input
    ? input.columns
    : []

/** The column of an entry's "Other", where the entry names one. */
export const otherColumn = ({ options, path }: Pick<MappingEntry, "options" | "path">): ColumnName | undefined => {
  const { other } = options
  if (typeof other !== "object" || other === null || !("from" in other) || typeof other.from !== "string") {
    return undefined
  }
  return { name: other.from, path: [...path, "other", "from"] }
}

/** All columns that an entry names; those of a block it does not. */
export const entryColumns = (entry: MappingEntry): ReadonlyArray<ColumnName> => {
  const other = otherColumn(entry)
  return [...ofInput(entry.input), ...(other === undefined ? [] : [other]), ...entry.when.map((one) => one.column)]
}

/** All entries of a mapping, list by list. */
export const allEntries = ({ mapping }: Pick<Pipeline, "mapping">): ReadonlyArray<MappingEntry> => [
  ...mapping.questions,
  ...mapping.urlParameters,
  ...[mapping.submissionTime, mapping.lastUpdatedAt, mapping.login].flatMap((entry) => entry ?? []),
  ...mapping.scheduling,
  ...mapping.payments,
]
