import type { Suggestions } from "./Suggestion.ts"

/** Names for people of the columns that nothing takes: those of one question together, by its title. */
export const unmappedNames = (
  { blocks, unmapped }: Pick<Suggestions, "blocks" | "unmapped">,
): ReadonlyArray<string> => {
  const free = new Set(unmapped.map(({ position }) => position))
  const told = new Set<number>()
  return unmapped.flatMap(({ name, position, title }) => {
    if (told.has(position)) return []
    const block = blocks.find(({ members, title }) =>
      title !== undefined && members.some(({ column }) => column.position === position)
      && members.every(({ column }) => free.has(column.position))
    )
    for (const { column } of block?.members ?? []) told.add(column.position)
    return block?.title === undefined
      ? [name ?? (title.trim() === "" ? `column ${position + 1}` : `${title.trim()} (column ${position + 1})`)]
      : [`${block.title.trim()} (a block of ${block.members.length} columns)`]
  })
}
