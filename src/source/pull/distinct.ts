import * as Stream from "effect/Stream"
import { cellText } from "../../domain/cell.ts"
import { joinedKey } from "../../domain/looseKey.ts"
import type { RowChunk } from "../../domain/row.ts"
import { count, counted } from "../../domain/words.ts"
import type { SourceConfig } from "../../project/Pipeline.ts"
import { columnNames } from "../columns.ts"
import { refusing, type Source } from "../Source.ts"

/** How the number of received records compares with the number that the tool states. */
export interface Stated {
  readonly total: number
  /** The place of that number. */
  readonly at: string
  readonly received: number
}

/**
 * Returns a source whose reading fails at its end if fewer different records were received than the tool states. If a record moves to a later page during
 * the pull, it is received twice, and the record that takes its place is skipped. Records are distinguished by the row key. Without columns of a row key,
 * or if rows are combined, nothing is compared.
 */
export const requireDistinct = (
  source: Source,
  { combine, rowKey }: Pick<SourceConfig, "combine" | "rowKey">,
  file: string,
  { at, received, total }: Stated,
): Source => {
  if (rowKey === "content" || combine !== undefined) return source
  const names = rowKey?.map(({ name }) => name) ?? source.tool?.defaultRowKey ?? []
  const all = columnNames(source.columns)
  const positions = names.flatMap((name) => source.columns[all.indexOf(name)]?.position ?? [])
  if (positions.length === 0 || positions.length < names.length) return source
  const read: Source["read"] = (expected) =>
    Stream.suspend(() => {
      const keys = new Set<string>()
      let repeated = 0
      const look = (chunk: RowChunk): RowChunk => {
        chunk.rows.forEach((cells, index) => {
          const key = joinedKey(positions.map((position) => cellText(cells[position]).trim()))
          if (chunk.faults.has(index) || key === undefined) return
          if (keys.size === keys.add(key).size) repeated++
        })
        return chunk
      }
      const compared = Stream.suspend(() =>
        received - repeated >= total ? Stream.empty : Stream.fail(
          refusing(file)(
            `has ${count(total)} records according to ${at}, but sent ${count(received - repeated)} different ones: ${
              counted(repeated, "record has", "records have")
            } the row key of an earlier record, and others may be missing. Nothing was imported. Run again. If it happens again, check the order in \`source.request\`. If several records may have the same row key, set \`page.id\` to the place of a record's id.`,
          ),
        )
      )
      return Stream.concat(Stream.map(source.read(expected), look), compared)
    })
  return { ...source, read }
}
