import * as Arr from "effect/Array"
import type { InferredKind, Shape, Trap } from "../domain/inspectedColumn.ts"
import { cut } from "../domain/problem.ts"
import type { Column } from "../domain/row.ts"
import { count, counted } from "../domain/words.ts"
import type { ColumnProfile, ProfiledColumn } from "../profile/ColumnProfile.ts"
import { dateFormats } from "../profile/notations.ts"
import { examplesKept, trap } from "./cellTraps.ts"
import { cellsLike } from "./inspectedKind.ts"

/** Returns the trap for the first column of a list in which an empty cell may stand for the value above it. */
export const emptyBelowTraps = (
  { filled, rows, unique }: ColumnProfile,
  others: ReadonlyArray<ProfiledColumn>,
): ReadonlyArray<Trap> =>
  filled < 2 || unique !== true || filled > 0.7 * rows || others.every(({ profile }) => profile.filled < 0.9 * rows)
    ? []
    : [trap(
      "empty-below",
      `${
        counted(rows - filled, "row has", "rows have")
      } no value here, and no value occurs twice. If an empty cell means the value above it, fill it in before you import: each row is sent on its own.`,
      rows - filled,
    )]

/** Returns the trap for dates if the column doesn't show whether the day or the month comes first. */
export const dateTraps = (profile: ColumnProfile): ReadonlyArray<Trap> => {
  const { formats, isMixed, why } = dateFormats(profile.notations)
  const dated = cellsLike(profile, "date", "dateTime")
  if (why === undefined || dated < profile.filled / 2) return []
  const message = isMixed
    ? `Its dates are written in two orders: ${why}. A cell such as 01/02/2024 could be either: ask the person who made the file.`
    : `Its dates may be ${formats.join(" or ")}: ${why}. Choose one with \`format\`.`
  return [trap(isMixed ? "two-date-orders" : "open-date-order", message, dated)]
}

/** Returns the trap for cells whose kind differs from that of most cells in the column. */
export const exceptionTraps = (
  profile: ColumnProfile,
  kind: InferredKind,
): ReadonlyArray<Trap> => {
  if (kind === "text" || kind === "choice" || kind === "choices" || kind === "empty" || kind === "boolean") return []
  const usual: ReadonlyArray<Shape> = kind === "dateTime" ? ["date", "dateTime"] : [kind]
  const others = profile.filled - cellsLike(profile, ...usual)
  if (others <= 0) return []
  const message = `${count(others)} of ${count(profile.filled)} filled cells ${
    others === 1 ? "is" : "are"
  } not of the kind ${kind === "dateTime" ? "date and time" : kind}, unlike the others.`
  const unlike = profile.cells.filter(({ may: [shape] }) => usual.every((one) => one !== shape))
  const examples = Arr.dedupeWith(unlike, (a, b) => a.may[0] === b.may[0]).map(({ text }) => cut(text, 40))
  return [trap("mixed-kinds", message, others, examples.slice(0, examplesKept))]
}

/**
 * Returns the traps in a column's title.
 *
 * @param same all columns with this title, including this one
 */
export const titleTraps = (same: ReadonlyArray<Column>, column: Column, filled: boolean): ReadonlyArray<Trap> => {
  if (column.title.trim() === "") {
    return filled ? [trap("empty-title", "It has no title. Name it under `source.columns` by its position.")] : []
  }
  if (same.length < 2 || column.name !== undefined) return []
  const positions = same.map(({ position }) => position + 1).join(", ")
  const message = `${same.length} columns have this title (columns ${positions}). Name them under \`source.columns\`.`
  return [trap("repeated-title", message)]
}
