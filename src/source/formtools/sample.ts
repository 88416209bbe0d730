import type { Evidence, MetaColumn, Role, Sample } from "./FormTool.ts"

/** A title to compare and show: no byte order mark, trimmed, white space collapsed. */
export const tidy = (text: string): string => text.replace(/^\ufeff/, "").trim().replaceAll(/\s+/g, " ")

/** A title as people read it: without tags and white space around. */
export const withoutTags = (text: string): string => tidy(text.replaceAll(/<\/?[a-zA-Z][^<>]*>/g, " "))

/** Makes the sample of a file whose header may be the first of these records. */
export const sampleOf = (
  records: ReadonlyArray<ReadonlyArray<string>>,
  from: Pick<Sample, "file" | "sheet" | "delimiter" | "mended">,
): Sample => {
  const titles = (records[0] ?? []).map(tidy)
  return { ...from, records, titles, plain: titles.map((title) => title.toLowerCase()) }
}

/** Position of the first column with one of these titles (in lower case); -1: there is none. */
export const positionOf = ({ plain }: Pick<Sample, "plain">, ...titles: ReadonlyArray<string>): number =>
  plain.findIndex((title) => titles.includes(title))

export const has = (sample: Pick<Sample, "plain">, title: string): boolean => sample.plain.includes(title)

/** How many of these titles (in lower case) there are. */
export const count = (sample: Pick<Sample, "plain">, titles: ReadonlyArray<string>): number =>
  titles.filter((title) => sample.plain.includes(title)).length

/** Cells of a column that hold something, below `headerRows` header rows. */
export const cellsOf = ({ records }: Sample, position: number, headerRows = 1): ReadonlyArray<string> =>
  records.slice(headerRows).flatMap((record) => {
    const cell = record[position]?.trim() ?? ""
    return cell === "" ? [] : [cell]
  })

/** Adds up what speaks for a tool: `[weight, reason]`, or a falsy value for what was not found. */
export const evidence = (
  ...found: ReadonlyArray<readonly [weight: number, reason: string] | false | undefined>
): Evidence | undefined => {
  const there = found.filter((one) => typeof one === "object")
  if (there.length === 0) return undefined
  const score = Math.min(1, there.reduce((sum, [weight]) => sum + weight, 0))
  return { score: Math.round(score * 100) / 100, reasons: there.map(([, reason]) => reason) }
}

/** What is known of a tool's own column by its title, in lower case. */
export type MetaTitles = Readonly<Record<string, Role | Omit<MetaColumn, "position">>>

/** The tool's own columns, by their titles: the first column of each, or with `all` every one. */
export const metaOf = (sample: Pick<Sample, "plain">, titles: MetaTitles): ReadonlyArray<MetaColumn> => {
  const seen = new Set<string>()
  return sample.plain.flatMap((title, position) => {
    const known = Object.hasOwn(titles, title) ? titles[title] : undefined
    if (known === undefined || seen.has(title)) return []
    seen.add(title)
    return [typeof known === "string" ? { position, role: known } : { position, ...known }]
  })
}

/** Positions of the columns with a role. */
export const withRole = (meta: ReadonlyArray<MetaColumn>, role: Role): ReadonlyArray<number> =>
  meta.flatMap((column) => (column.role === role ? [column.position] : []))
