import type { Cell } from "../domain/cell.ts"
import type { Cells } from "../domain/row.ts"
import type { Clean, Evidence, Layout, MetaColumn, Role, Sample } from "./FormTool.ts"

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

/** Takes one leading apostrophe away when one of these characters follows: a tool's guard against formulas. */
export const unguarded = (characters: string): Clean => (cell) =>
  typeof cell === "string" && cell.charCodeAt(0) === 39 && cell.length > 1 && characters.includes(cell.charAt(1))
    ? cell.slice(1)
    : cell

/** Texts that mean "no answer" here. */
export const nothingWhen = (...tokens: ReadonlyArray<string>): Clean => {
  const all = new Set(tokens)
  return (cell) => (typeof cell === "string" && all.has(cell.trim()) ? null : cell)
}

/** A text as `rewrite` has it. */
export const rewritten = (rewrite: (text: string) => string): Clean => (cell) =>
  typeof cell === "string" ? rewrite(cell) : cell

/** The same clean for several columns. */
export const cleansAt = (positions: Iterable<number>, clean: Clean): ReadonlyMap<number, Clean> =>
  new Map([...positions].map((position) => [position, clean]))

/**
 * Makes the function that turns a row as it stands in the file into what was answered. A row in which nothing has to be done is given back as
 * it is. Undefined when the layout cleans nothing.
 */
export const cleaner = (
  { cleanAll, cleans }: Pick<Layout, "cleanAll" | "cleans">,
): ((cells: Cells) => Cells) | undefined => {
  const some = [...cleans ?? []]
  if (cleanAll === undefined && some.length === 0) return undefined
  return (cells) => {
    let result: Array<Cell> | undefined
    const set = (position: number, cell: Cell) => {
      result ??= cells.slice()
      result[position] = cell
    }
    if (cleanAll !== undefined) {
      for (let position = 0; position < cells.length; position++) {
        const cell = cells[position] ?? null
        if (cell === null) continue
        const made = cleanAll(cell)
        if (made !== cell) set(position, made)
      }
    }
    for (const [position, clean] of some) {
      const cell = (result ?? cells)[position] ?? null
      if (cell === null) continue
      const made = clean(cell)
      if (made !== cell) set(position, made)
    }
    return result ?? cells
  }
}
