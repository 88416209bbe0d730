import type { Column } from "../domain/row.ts"
import { mentionedColumns } from "../mapping/ColumnBook.ts"
import type { Pipeline } from "../project/Pipeline.ts"
import { ownColumns } from "../source/fixed.ts"
import type { Source } from "../source/Source.ts"

/** Returns the source's own columns that a pipeline doesn't mention, neither by name nor as part of a block. */
export const unusedColumns = (
  pipeline: Pipeline,
  { blocks, columns }: Pick<Source, "blocks" | "columns">,
): ReadonlyArray<Column> => {
  const mentioned = new Set(mentionedColumns(pipeline).map(({ name }) => name))
  const titles = new Set(
    pipeline.mapping.questions.flatMap(({ input }) => input._tag === "Block" ? [input.title.trim()] : []),
  )
  const inBlocks = new Set(
    blocks.filter(({ title }) => titles.has(title.trim())).flatMap((block) =>
      block.columns.map(({ position }) => position)
    ),
  )
  return ownColumns(columns).filter(({ name, position }) =>
    (name === undefined || !mentioned.has(name)) && !inBlocks.has(position)
  )
}
