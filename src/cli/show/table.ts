import Table from "cli-table3"
import { cutToWidth, widthOf, wrapToWidth } from "./fit.ts"
import { paints } from "./Screen.ts"
import type { Paint, Screen } from "./Screen.ts"

/** A cell of a table: a text of any origin, and how it is painted. */
export type TableCell = string | { readonly text: string; readonly paint: Paint }

export interface TableColumn {
  readonly title: string
  readonly right?: boolean
}

/** Columns narrower than this can't be read. */
const narrowest = 8

/** Rows drawn at a time: cli-table3 takes time by the square of them. */
const pieceRows = 100

/** Columns between two cells: a line with a space on both sides. */
const gap = 3

const textOf = (cell: TableCell | undefined): string =>
  cell === undefined ? "" : typeof cell === "string" ? cell : cell.text

const paintOf = (cell: TableCell | undefined): Paint => (text) =>
  cell === undefined || typeof cell === "string" || text === "" ? text : cell.paint(text)

/** Columns that a cell would like to take, at most `most`. */
const naturalWidth = (cell: TableCell | undefined, most: number): number => widthOf(cutToWidth(textOf(cell), most))

/** Widths that fit: the widest column gives way first. Undefined when there is not even room for the narrowest. */
const fittingWidths = (natural: ReadonlyArray<number>, room: number): ReadonlyArray<number> | undefined => {
  const widths = natural.slice()
  let excess = widths.reduce((sum, width) => sum + width, 0) - room
  while (excess > 0) {
    const widest = Math.max(...widths)
    if (widest <= narrowest) return undefined
    widths[widths.indexOf(widest)] = widest - 1
    excess--
  }
  return widths
}

/**
 * A table that fits the screen: long cells are wrapped, and where even that is too wide each row becomes a block of lines. cli-table3 draws it; it is handed lines that fit
 * already, for on its own it would cut long words.
 */
export const table = (
  columns: ReadonlyArray<TableColumn>,
  rows: ReadonlyArray<ReadonlyArray<TableCell>>,
  screen: Screen,
): string => {
  const { soft } = paints(screen)
  const natural = columns.map((column, index) =>
    rows.reduce(
      (widest, row) => Math.max(widest, naturalWidth(row[index], screen.width)),
      Math.max(1, widthOf(column.title)),
    )
  )
  const widths = fittingWidths(natural, screen.width - gap * (columns.length - 1) - 2)
  if (widths === undefined) return blocks(columns, rows, screen)

  const lines = (cell: TableCell | undefined, index: number): ReadonlyArray<string> =>
    wrapToWidth(textOf(cell), widths[index] ?? narrowest).map(paintOf(cell))
  const head = columns.map((column, index) => lines({ text: column.title, paint: soft }, index))
  const wrapped = rows.map((row) => columns.map((_, index) => lines(row[index], index)))
  // Each piece has a last row that makes it as wide as the whole table, and is not shown.
  const taken = columns.map(() => 0)
  for (const row of [head, ...wrapped]) {
    row.forEach((cell, index) => {
      for (const line of cell) taken[index] = Math.max(taken[index] ?? 0, widthOf(line))
    })
  }
  const spacer = taken.map((width) => " ".repeat(width))
  const joined = (row: ReadonlyArray<ReadonlyArray<string>>) => row.map((cell) => cell.join("\n"))
  const drawn: Array<string> = []
  for (let from = 0; from === 0 || from < wrapped.length; from += pieceRows) {
    const piece = new Table({
      ...(from === 0 ? { head: joined(head) } : {}),
      colAligns: columns.map((column) => column.right === true ? "right" : "left"),
      // Its own colours would not ask whether colours are wanted.
      style: { head: [], border: [], "padding-left": 1, "padding-right": 1 },
      chars: {
        top: "",
        "top-mid": "",
        "top-left": "",
        "top-right": "",
        bottom: "",
        "bottom-mid": "",
        "bottom-left": "",
        "bottom-right": "",
        left: "",
        "left-mid": "",
        mid: "",
        "mid-mid": "",
        right: "",
        "right-mid": "",
        middle: soft("│"),
      },
    })
    piece.push(...wrapped.slice(from, from + pieceRows).map(joined), spacer)
    drawn.push(...piece.toString().split("\n").slice(0, -1))
  }
  return drawn.map((line) => line.trimEnd()).join("\n")
}

/** Rows as blocks, a line a cell, for screens that are too narrow for a table. */
const blocks = (
  columns: ReadonlyArray<TableColumn>,
  rows: ReadonlyArray<ReadonlyArray<TableCell>>,
  screen: Screen,
): string => {
  const { soft } = paints(screen)
  return rows.map((row) =>
    columns.flatMap((column, index) => {
      const text = textOf(row[index])
      if (text === "") return []
      const title = column.title === "" ? "" : `${column.title}: `
      return wrapToWidth(title + text, screen.width).map((line, at) =>
        at === 0 && line.startsWith(title)
          ? soft(title) + paintOf(row[index])(line.slice(title.length))
          : paintOf(row[index])(line)
      )
    }).join("\n")
  ).join(`\n${soft("─".repeat(Math.min(screen.width, 20)))}\n`)
}
