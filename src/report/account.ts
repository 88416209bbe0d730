import type { SourceFile } from "../domain/run.ts"
import { strayQuotes } from "../domain/run.ts"
import { count, counted } from "./words.ts"

/** Where the lines of a delimited text went: `3,065 lines: 1 above the data, 3,062 records, 2 inside cells`. */
export const linesAccount = ({ lines }: SourceFile): string | undefined =>
  lines === undefined
    ? undefined
    : `${counted(lines.physical, "line")}: ${
      [
        `${count(lines.above)} above the data`,
        counted(lines.records, "record"),
        ...(lines.inside === 0 ? [] : [`${count(lines.inside)} inside cells`]),
        ...(lines.blank === 0 ? [] : [`${count(lines.blank)} blank`]),
      ].join(", ")
    }`

/** The longest cell: `240 characters (row 17, column "Why?")`. */
export const longestAccount = ({ longest }: SourceFile): string | undefined =>
  longest === undefined
    ? undefined
    : `${counted(longest.length, "character")} (row ${count(longest.row)}, column "${longest.column}")`

/**
 * What became of a file's lines, as sentences.
 *
 * @param named whether to name the file
 */
export const accountOf = (file: SourceFile, named: boolean): ReadonlyArray<string> => {
  const lines = linesAccount(file)
  const longest = longestAccount(file)
  const stray = file.taken.find(({ what }) => what === strayQuotes)
  return [
    ...(lines === undefined ? [] : [`${named ? `${file.file}: ` : ""}${lines}.`]),
    ...(stray === undefined ? [] : [`Quotes at the start of cells were ${stray.value}.`]),
    ...(longest === undefined ? [] : [`Longest cell: ${longest}.`]),
  ]
}
