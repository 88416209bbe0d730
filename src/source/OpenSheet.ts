import type { Effect, Stream } from "effect"
import type { CellRange } from "./cellRange.ts"
import type { SheetNotes, SheetRow } from "./sheetRows.ts"
import type { SourceChanged, SourceError } from "./Source.ts"

/** One sheet of a workbook, and what is to be known of the others. */
export interface OpenSheet {
  readonly name: string
  readonly names: ReadonlyArray<string>
  readonly hidden: ReadonlyArray<string>
  readonly date1904: boolean
  /** Why some of it may be missing, as the end of a sentence: what the file says of itself does not add up. */
  readonly doubt?: string | undefined
  /** Its first rows: enough to find the header, or all. */
  readonly first: ReadonlyArray<SheetRow>
  readonly merges: Effect.Effect<ReadonlyArray<CellRange>, SourceError>
  /** All its rows, in order, from a file that is proven to be the one that was opened. */
  readonly rows: Stream.Stream<ReadonlyArray<SheetRow>, SourceError | SourceChanged>
  /** What is hidden in the sheet; of one that is read piece by piece known after `rows` came to an end. */
  readonly notes: () => SheetNotes
}

/** Which of a workbook's sheets is read: the asked one (name, or number from 1), else the first that is visible. A sentence when there is none. */
export const chooseSheet = (
  names: ReadonlyArray<string>,
  isHidden: (index: number) => boolean,
  asked: string | number | undefined,
): number | string => {
  const at = asked === undefined
    ? names.findIndex((_, index) => !isHidden(index))
    : typeof asked === "number"
    ? asked - 1
    : sheetNamed(names, asked)
  if (names[at] !== undefined) return at
  const all = names.map((each) => `"${each}"`).join(", ")
  return asked === undefined
    ? `has no visible sheet. Name the one to read: \`source.sheet\`; there are ${all}.`
    : `has no sheet ${JSON.stringify(asked)}. Correct \`source.sheet\`; there are ${all}.`
}

/** Excel does not tell sheet names by case. */
const sheetNamed = (names: ReadonlyArray<string>, asked: string) => {
  const exactly = names.indexOf(asked)
  return exactly !== -1 ? exactly : names.findIndex((name) => name.toLowerCase() === asked.toLowerCase())
}
