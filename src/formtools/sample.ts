import type { Cell } from "../domain/cell.ts"
import type { Cells } from "../domain/row.ts"
import { oneLine } from "../domain/words.ts"
import type { Clean, Evidence, Layout, MetaColumn, Role, Sample } from "./FormTool.ts"

/** Returns a title as people read it, without tags and white space around it. */
export const withoutTags = (text: string): string => oneLine(text.replaceAll(/<\/?[a-zA-Z][^<>]*>/g, " "))

/** Returns the sample of a file, if its header may be the first of these records. */
export const sampleOf = (
  records: ReadonlyArray<ReadonlyArray<string>>,
  from: Pick<Sample, "file" | "sheet" | "delimiter" | "isFixed">,
): Sample => {
  const titles = (records[0] ?? []).map(oneLine)
  return { ...from, records, titles, plain: titles.map((title) => title.toLowerCase()) }
}

/** Returns the position of the first column with one of these titles (in lower case), or -1. */
export const positionOf = ({ plain }: Pick<Sample, "plain">, ...titles: ReadonlyArray<string>): number =>
  plain.findIndex((title) => titles.includes(title))

export const has = (sample: Pick<Sample, "plain">, title: string): boolean => sample.plain.includes(title)

/** Returns the number of these titles (in lower case) that occur. */
export const countTitles = (sample: Pick<Sample, "plain">, titles: ReadonlyArray<string>): number =>
  titles.filter((title) => sample.plain.includes(title)).length

/** Returns the number of these titles, written as in an export, that occur, and the reason that they give. */
export const foundTitles = (sample: Pick<Sample, "plain">, titles: ReadonlyArray<string>) => {
  const count = countTitles(sample, titles.map((title) => title.toLowerCase()))
  const named = titles.map((title) => `"${title}"`).join(", ")
  return { count, reason: `there are columns ${named} (${count} of ${titles.length})` }
}

/** Returns the filled cells of a column below `headerRows` header rows. */
export const cellsOf = ({ records }: Sample, position: number, headerRows = 1): ReadonlyArray<string> =>
  records.slice(headerRows).flatMap((record) => {
    const cell = record[position]?.trim() ?? ""
    return cell === "" ? [] : [cell]
  })

/** Adds up the evidence for a tool: `[weight, reason]`, or a falsy value if a clue was not found. */
export const evidence = (
  ...found: ReadonlyArray<readonly [weight: number, reason: string] | false | undefined>
): Evidence | undefined => {
  const there = found.filter((one) => typeof one === "object")
  if (there.length === 0) return undefined
  const score = Math.min(1, there.reduce((sum, [weight]) => sum + weight, 0))
  return { score: Math.round(score * 100) / 100, reasons: there.map(([, reason]) => reason) }
}

/** The tool's own columns and their meanings, by title in lower case. */
export type MetaTitles = Readonly<Record<string, Role | Omit<MetaColumn, "position">>>

/** Returns the meaning of the tool's own column with this title. */
export const meaningOf = (titles: MetaTitles, title: string): Omit<MetaColumn, "position"> | undefined => {
  const plain = title.toLowerCase()
  const known = Object.hasOwn(titles, plain) ? titles[plain] : undefined
  return typeof known === "string" ? { role: known } : known
}

/** Finds the tool's own columns by their titles: the first column with each title. */
export const metaOf = (sample: Pick<Sample, "plain">, titles: MetaTitles): ReadonlyArray<MetaColumn> => {
  const seen = new Set<string>()
  return sample.plain.flatMap((title, position) => {
    const known = meaningOf(titles, title)
    if (known === undefined || seen.has(title)) return []
    seen.add(title)
    return [{ position, ...known }]
  })
}

/** Returns the positions of the columns with one of these roles. */
export const withRole = (meta: ReadonlyArray<MetaColumn>, ...roles: ReadonlyArray<Role>): ReadonlyArray<number> =>
  meta.flatMap(({ position, role }) => roles.includes(role) ? [position] : [])

/** Returns how to recognise a finished response by the first column with this role. Empty if there is none. */
export const completeBy = (
  meta: ReadonlyArray<MetaColumn>,
  role: Role,
  is: ReadonlyArray<string> | "filled",
): Pick<Layout, "complete"> => {
  const [position] = withRole(meta, role)
  return position === undefined ? {} : { complete: { position, is } }
}

/** Removes a leading apostrophe, which a tool adds as a guard against formulas, if one of these characters follows. */
export const unguarded = (characters: string): Clean => (cell) =>
  typeof cell === "string" && cell.charCodeAt(0) === 39 && cell.length > 1 && characters.includes(cell.charAt(1))
    ? cell.slice(1)
    : cell

/** Clears a cell that contains one of these texts, which mean "no answer". */
export const nothingWhen = (...tokens: ReadonlyArray<string>): Clean => {
  const all = new Set(tokens)
  return (cell) => (typeof cell === "string" && all.has(cell.trim()) ? null : cell)
}

/** Changes a text with `rewrite`. */
export const rewritten = (rewrite: (text: string) => string): Clean => (cell) =>
  typeof cell === "string" ? rewrite(cell) : cell

/** Uses the same cleaning function for several columns. */
export const cleansAt = (positions: Iterable<number>, clean: Clean): ReadonlyMap<number, Clean> =>
  new Map([...positions].map((position) => [position, clean]))

/** Returns the function that converts a row of the file to answers. If a row needs no cleaning, the function returns the row itself. Undefined if the layout cleans nothing. */
export const cleaner = (
  { cleanAll, cleans }: Pick<Layout, "cleanAll" | "cleans">,
): ((cells: Cells) => Cells) | undefined => {
  const some = [...cleans ?? []]
  if (cleanAll === undefined && some.length === 0) return undefined
  return (cells) => {
    let result: Array<Cell> | undefined
    const use = (position: number, clean: Clean) => {
      const cell = (result ?? cells)[position] ?? null
      const made = cell === null ? cell : clean(cell)
      if (made === cell) return
      result ??= cells.slice()
      result[position] = made
    }
    if (cleanAll !== undefined) { for (const position of cells.keys()) use(position, cleanAll) }
    for (const [position, clean] of some) use(position, clean)
    return result ?? cells
  }
}
