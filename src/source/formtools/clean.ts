import type { Cell } from "../../domain/cell.ts"
import type { Cells } from "../../domain/row.ts"
import type { Clean, Layout } from "./FormTool.ts"

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
