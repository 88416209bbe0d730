/** One record or row above the data, as far as the place of the header is concerned: its cells as text, empty ones as "". */
type Line = ReadonlyArray<string>

/** Records among which the header is looked for. */
const lookedAt = 200
/** Records that may stand above a header. */
const mostAbove = 30

const filledIn = (line: Line) => line.reduce((count, cell) => (cell.trim() === "" ? count : count + 1), 0)

/** Cells up to the last that is filled. */
const extentOf = (line: Line) => line.findLastIndex((cell) => cell.trim() !== "") + 1

/** The extent that most records have. */
const usualExtent = (lines: ReadonlyArray<Line>) => {
  const times = new Map<number, number>()
  let usual = 0
  for (const line of lines) {
    const extent = extentOf(line)
    const count = (times.get(extent) ?? 0) + 1
    times.set(extent, count)
    if (extent > 0 && count >= (times.get(usual) ?? 0)) usual = extent
  }
  return usual
}

const number = /^[+-]?[\d.,\s/:%€$£-]+$/

/** Titles: nearly every column has one, none is a number or a date, none repeats. */
const isTitles = (line: Line, usual: number) => {
  const titles = line.map((cell) => cell.trim()).filter((cell) => cell !== "")
  return titles.length >= Math.max(2, 0.8 * usual) && titles.every((title) => !number.test(title))
    && new Set(titles).size === titles.length
}

/**
 * Where the header stands: the first record that is not empty, unless it is obvious that it is a heading of the whole: a single filled cell
 * over records of at least three columns (two, where the record has but one cell at all), a name and its value with an empty record below, or
 * nothing but cells merged over several columns, and a record of nothing but titles follows. -1 when all are empty.
 *
 * @param merged whether all filled cells of the record with this index are merged, and one of them over several columns
 */
export const placeHeader = (
  lines: ReadonlyArray<Line>,
  merged: (at: number) => boolean = () => false,
): number => {
  const first = lines.findIndex((line) => filledIn(line) > 0)
  if (first === -1) return -1
  const usual = usualExtent(lines.slice(first, first + lookedAt))
  let emptyBelow = false
  const isHeading = (line: Line) => {
    const filled = filledIn(line)
    return filled === 1 && line[0]?.trim() !== "" && (usual >= 3 || (usual === 2 && line.length === 1))
  }
  const isNamedValue = (line: Line) => usual >= 4 && extentOf(line) === 2 && filledIn(line) === 2
  let named = false
  let allMerged = true
  for (let at = first; at < Math.min(lines.length, first + mostAbove); at++) {
    const line = lines[at]!
    if (filledIn(line) === 0) emptyBelow = true
    else if (merged(at)) continue
    else if (at > first && isTitles(line, usual)) {
      const below = allMerged || lines.slice(at + 1, at + 3).some((next) => filledIn(next) >= 2)
      return below && (!named || emptyBelow) ? at : first
    } else if (isNamedValue(line)) named = true
    else if (!isHeading(line)) return first
    allMerged &&= filledIn(line) === 0
  }
  return first
}
