import { type InferredKind, type Shape, shapes } from "../domain/inspectedColumn.ts"
import { saysNo, saysYes } from "../profile/cellWords.ts"
import type { ColumnProfile } from "../profile/ColumnProfile.ts"
import { likelySeparator, splitTexts } from "../suggest/optionIndex.ts"

export const mostFrequent = ({ distinct }: ColumnProfile, most: number): ReadonlyArray<readonly [string, number]> =>
  [...distinct].toSorted((a, b) => b[1] - a[1]).slice(0, most)

/** Returns the number of cells that most likely have one of these shapes. */
export const cellsLike = ({ cells }: ColumnProfile, ...some: ReadonlyArray<Shape>): number =>
  cells.reduce((sum, { may: [shape], times }) => some.some((one) => one === shape) ? sum + times : sum, 0)

/** A column has a kind if at least this share of its cells has that kind. The remaining cells are exceptions. */
const most = 0.9

/** Returns the kind of most cells of a column, and the share of these cells. */
export const kindOf = (profile: ColumnProfile): readonly [InferredKind, number] => {
  const { distinctCount: { count, exact }, filled, share, texts } = profile
  if (filled === 0) return ["empty", 1]
  // Two words that both mean yes, such as x and y, are not a pair of yes and no.
  const isBoolean = count === 2
    ? [saysYes, saysNo].every((says) => texts.some(says))
    : count === 1 && cellsLike(profile, "number") < filled
  if (share.boolean === 1 && isBoolean) return ["boolean", 1]
  const [best, part] = shapes.filter((shape) => shape !== "boolean")
    .map((shape) => [shape, cellsLike(profile, shape) / filled] as const).toSorted((a, b) => b[1] - a[1])[0]
    ?? ["number", 0]
  const times = cellsLike(profile, "date", "dateTime") / filled
  // People often omit midnight, and a workbook's dates at midnight have no time.
  if (best === "dateTime" && times >= most) return ["dateTime", times]
  if (part >= most) return [best, part]
  if (hasLists(profile)) return ["choices", 1]
  if (exact && isFew(count, filled)) return ["choice", 1]
  return part >= 0.5 ? [best, part] : ["text", 1]
}

/** Whether a column has so few distinct texts that they are probably options. */
const isFew = (count: number, filled: number): boolean => {
  if (count <= 30 && count <= filled / 2) return true
  return count <= 6 ? filled >= count + 2 : count <= 200 && count <= filled / 50
}

/** Whether cells are lists of repeated pieces, with fewer distinct pieces than cells. */
const hasLists = (profile: ColumnProfile): boolean => {
  const texts = mostFrequent(profile, 200)
  const separator = likelySeparator(new Map(texts))
  if (separator === undefined) return false
  const lists = texts.filter(([text]) => text.includes(separator))
  if (lists.length < 3 || lists.length < texts.length / 4) return false
  const pieces = splitTexts(texts.map(([text]) => text), separator).filter((piece) => piece !== "")
  const different = new Set(pieces).size
  return different < profile.distinctCount.count && different <= pieces.length / 3
    && pieces.every((piece) => piece.length <= 80)
}
