import type { Element } from "../domain/form.ts"
import type { Json, JsonObject } from "../domain/json.ts"
import type { ElementPart } from "../kinds/elements.ts"
import type { MappingEntry, PartEntry } from "../project/Pipeline.ts"
import { CellUses, made } from "./CellUses.ts"
import { checkPolicy, withPolicy } from "./compileEntry.ts"
import { compileParts } from "./compileInput.ts"
import { requiredProblem } from "./problems.ts"
import type { ReadPart } from "./readers.ts"
import { readAll, useParts } from "./readers.ts"
import type { CompiledEntry, Workshop } from "./Workshop.ts"

/** Who a user is, is a whole number in the interface. */
const wholeNumbers = new Set(["userId"])

const withWholeNumbers = (entry: PartEntry): PartEntry =>
  wholeNumbers.has(entry.part) ? { ...entry, options: { ...entry.options, integer: true } } : entry

/** The parts, as the value that is sent; problems for those that the interface needs and the row does not have. */
const readElement = (
  element: Element,
  parts: ReadonlyArray<ReadPart>,
  needed: ReadonlySet<string>,
  { partUses, uses }: { readonly uses: CellUses; readonly partUses: CellUses },
): CompiledEntry["read"] => {
  const all = readAll(parts, partUses)
  return (cells, problems): JsonObject | undefined => {
    const values = all(cells, problems)
    if (values === undefined) return undefined
    const value: Record<string, Json> = {}
    for (let index = 0; index < parts.length; index++) {
      const { part, columns } = parts[index]!
      const member = values[index]
      if (member !== undefined) value[part] = member
      else if (needed.has(part)) problems.push(requiredProblem(element.id, `${element.name}: ${part}`, columns))
    }
    useParts(parts, { uses, partUses }, () => made.sent)
    return value
  }
}

/**
 * Compiles a scheduling or payment entry: each part by its kind. A row whose columns are all empty there has no such value; one that has some
 * of them needs all that the interface needs.
 */
export const compileElement = (
  entry: MappingEntry,
  element: Element,
  known: Readonly<Record<string, ElementPart>>,
  workshop: Workshop,
): CompiledEntry | undefined => {
  const { findings } = workshop
  const { input, path } = entry
  if (input._tag !== "Parts") {
    findings.error(
      path,
      `"${element.name}" is made of parts.`,
      `Write \`from: { ${Object.keys(known)[0]}: Column, … }\`.`,
    )
    return undefined
  }
  const needed = Object.keys(known).filter((part) => known[part]?.required)
  const missing = needed.filter((part) => !input.parts.some((each) => each.part === part))
  if (missing.length > 0) {
    findings.error(
      [...path, "from"],
      `"${element.name}" lacks ${missing.join(", ")}: the service needs ${needed.join(", ")}.`,
    )
  }
  const partUses = new CellUses(workshop.uses.most.length)
  const parts = compileParts(
    element,
    { ...input, parts: input.parts.map(withWholeNumbers) },
    (part) => Object.hasOwn(known, part) ? known[part]?.kind : undefined,
    Object.keys(known),
    { ...workshop, uses: partUses },
  )
  if (parts === undefined || missing.length > 0) return undefined
  const columns = [...new Set(parts.flatMap((part) => part.columns))]
  const read = readElement(element, parts, new Set(needed), { uses: workshop.uses, partUses })
  checkPolicy(entry, workshop)
  return { read: withPolicy({ read, columns }, entry, element, workshop), columns, fromCells: columns.length > 0 }
}
