import type { Element, Question } from "../domain/form.ts"
import type { Json, JsonObject } from "../domain/json.ts"
import type { ElementPart } from "../kinds/elements.ts"
import type { Kind } from "../kinds/Kind.ts"
import type { MappingEntry } from "../project/Pipeline.ts"
import { cellUse, CellUses } from "./CellUses.ts"
import type { CompileContext, CompiledEntry } from "./CompileContext.ts"
import { compileInput, compileParts } from "./compileInput.ts"
import { requiredProblem } from "./problems.ts"
import type { Read, ReadPart } from "./readers.ts"
import { readAll, readDropping, readRequired, useParts } from "./readers.ts"

/** Applies what an entry says of its answer as a whole: `required` and `onInvalid`. */
const withPolicy = (
  { read, columns }: Pick<CompiledEntry, "read" | "columns">,
  entry: MappingEntry,
  place: { readonly id: string; readonly name: string },
  { uses }: Pick<CompileContext, "uses">,
): Read => {
  const kept = entry.onInvalid === "drop" ? readDropping(read, columns, uses) : read
  return entry.required && columns.length > 0 ? readRequired(kept, place.id, place.name, columns) : kept
}

/** Finds policies that contradict each other. */
const checkPolicy = (entry: MappingEntry, { findings }: Pick<CompileContext, "findings">): void => {
  if (entry.onInvalid !== "drop") return
  for (const [key, given] of [["required", entry.required], ["unique", entry.unique]] as const) {
    if (given) {
      findings.error(
        [...entry.path, "onInvalid"],
        `An answer that is ${key} can't be dropped: without it the row is invalid.`,
        `Keep one of \`${key}\` and \`onInvalid: drop\`.`,
      )
    }
  }
}

/** Compiles an entry that fills a question, URL parameter, time or login with values of a kind. */
export const compileEntry = (
  entry: MappingEntry,
  place: { readonly id: string; readonly name: string; readonly kind: Kind; readonly question?: Question | undefined },
  context: CompileContext,
): CompiledEntry | undefined => {
  checkPolicy(entry, context)
  const { extract, options, path } = entry
  const compiled = compileInput(
    { ...place, question: place.question, options, path, extract },
    entry.input,
    entry.default,
    context,
  )
  return compiled === undefined ? undefined : { ...compiled, read: withPolicy(compiled, entry, place, context) }
}

/** Makes the reader of an element's parts. A part that the interface requires and the row doesn't have is a problem. */
const readElement = (
  element: Element,
  parts: ReadonlyArray<ReadPart>,
  needed: ReadonlySet<string>,
  partUses: CellUses,
  uses: CellUses,
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
    useParts(parts, partUses, uses, () => cellUse.sent)
    return value
  }
}

/**
 * Compiles a scheduling or payment entry, each part by its kind. A row whose columns are all empty has no such value. A row with some of them needs
 * all that the interface requires.
 */
export const compileElement = (
  entry: MappingEntry,
  element: Element,
  known: Readonly<Record<string, ElementPart>>,
  context: CompileContext,
): CompiledEntry | undefined => {
  const { findings } = context
  const { input, path } = entry
  if (input._tag !== "Parts") return undefined
  const needed = Object.keys(known).filter((part) => known[part]?.required)
  const missing = needed.filter((part) => !input.parts.some((each) => each.part === part))
  if (missing.length > 0) {
    findings.error(
      [...path, "from"],
      `"${element.name}" lacks ${missing.join(", ")}: the service needs ${needed.join(", ")}.`,
    )
  }
  const partUses = new CellUses(context.uses.most.length)
  const parts = compileParts(
    element,
    input.parts.map((entry) => ({ ...entry, options: { ...entry.options, ...known[entry.part]?.options } })),
    Object.fromEntries(Object.entries(known).map(([part, { kind }]) => [part, kind])),
    { ...context, uses: partUses },
  )
  if (parts === undefined || missing.length > 0) return undefined
  const columns = [...new Set(parts.flatMap((part) => part.columns))]
  const read = readElement(element, parts, new Set(needed), partUses, context.uses)
  checkPolicy(entry, context)
  return { read: withPolicy({ read, columns }, entry, element, context), columns, fromCells: columns.length > 0 }
}
