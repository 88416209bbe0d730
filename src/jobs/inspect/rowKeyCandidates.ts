import type { Column } from "../../domain/row.ts"
import type { ToolReading } from "../../source/Source.ts"
import type { ColumnFindings } from "./ColumnLook.ts"

/** Columns that may make a row the same row tomorrow. */
export interface RowKeyCandidate {
  readonly columns: ReadonlyArray<string>
  readonly because: string
}

const candidatesShown = 5

/** How much a name looks like that of an id. */
const points = (column: Column, { kind }: ColumnFindings): number =>
  (/^#$|\b(?:id|key|no|nr|number|code|uuid|guid|token|ref|reference)\b|nummer$|_id$/i.test(column.name ?? "") ? 3 : 0)
  + (column.position === 0 ? 1 : 0)
  + (kind === "email" ? 1 : 0)
  - (kind === "dateTime" || kind === "date" || kind === "choices" ? 2 : 0)

/** What looks least like an id is named only where nothing else can be. */
const likely = <A extends { readonly points: number }>(list: ReadonlyArray<A>): ReadonlyArray<A> => {
  const better = list.filter(({ points }) => points > 0)
  return better.length > 0 ? better : list
}

/** The form tool's own id, then columns that are filled in every row and different in each, the likeliest first. */
export const rowKeyCandidates = (
  columns: ReadonlyArray<Column>,
  findings: ReadonlyArray<ColumnFindings>,
  rows: number,
  tool: ToolReading | undefined,
): ReadonlyArray<RowKeyCandidate> => {
  const own = tool?.defaultRowKey
  const told = own === undefined || tool === undefined
    ? []
    : [{ columns: own, because: `the id of ${tool.title}, the default` }]
  const unique = columns.flatMap((column, index) => {
    const found = findings[index]
    if (column.name === undefined || found === undefined || rows === 0 || found.filled < rows) return []
    if (found.unique === false || (own?.length === 1 && own[0] === column.name)) return []
    const because = found.unique === true
      ? "filled in every row and different in each"
      : "filled in every row; too many to see whether all are different"
    return [{ columns: [column.name], because, points: points(column, found) }]
  })
  return [
    ...told,
    ...(told.length > 0 ? unique.filter((one) => one.points > 0) : likely(unique)).toSorted((a, b) =>
      b.points - a.points
    ).map(({ because, columns }) => ({ columns, because })),
  ].slice(0, candidatesShown)
}
