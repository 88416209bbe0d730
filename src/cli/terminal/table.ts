import { cutToWidth, type Paint, paints, type Screen, widthOf, wrapToWidth } from "./screen.ts"

/** A cell of a table: a text of any origin, and how it is painted. */
export type TableCell = string | { readonly text: string; readonly paint: Paint }

interface TableColumn {
  readonly title: string
  /** Whether its cells are aligned on the right. */
  readonly right?: boolean
}

/** Columns narrower than this are unreadable. */
const narrowest = 8

/** Columns between two cells: a line with a space on both sides. */
const gap = 3

const textOf = (cell: TableCell | undefined): string =>
  cell === undefined ? "" : typeof cell === "string" ? cell : cell.text

const paintOf = (cell: TableCell | undefined): Paint => (text) =>
  cell === undefined || typeof cell === "string" || text === "" ? text : cell.paint(text)

/** Returns widths that fit into `room`: the widest column gives way first. Undefined if there is no room for the narrowest. */
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

/** Draws a table that fits the screen: long cells are wrapped. If that is too wide as well, each row becomes a block of lines. */
export const table = (
  columns: ReadonlyArray<TableColumn>,
  rows: ReadonlyArray<ReadonlyArray<TableCell>>,
  screen: Screen,
): string => {
  const { soft } = paints(screen)
  const natural = columns.map((column, index) =>
    rows.reduce(
      (widest, row) => Math.max(widest, widthOf(cutToWidth(textOf(row[index]), screen.width))),
      Math.max(1, widthOf(column.title)),
    )
  )
  const widths = fittingWidths(natural, screen.width - gap * (columns.length - 1) - 2)
  if (widths === undefined) return blocks(columns, rows, screen)

  const head = columns.map(({ title }) => ({ text: title, paint: soft }))
  const wrapped = [head, ...rows].map((row) =>
    columns.map((_, at) => {
      const lines = wrapToWidth(textOf(row[at]), widths[at] ?? narrowest)
      return lines.map((text) => ({ text: paintOf(row[at])(text), width: widthOf(text) }))
    })
  )
  const taken = columns.map((_, at) =>
    wrapped.reduce((widest, row) => (row[at] ?? []).reduce((most, { width }) => Math.max(most, width), widest), 0)
  )
  const drawn = wrapped.flatMap((row) =>
    Array.from({ length: Math.max(...row.map((lines) => lines.length)) }, (_, line) =>
      columns.map(({ right }, at) => {
        const { text, width } = row[at]?.[line] ?? { text: "", width: 0 }
        const space = " ".repeat((taken[at] ?? 0) - width)
        return ` ${right === true ? space + text : text + space} `
      }).join(soft("│")).trimEnd())
  )
  return drawn.join("\n")
}

/** Draws rows as blocks, a line a cell. */
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
