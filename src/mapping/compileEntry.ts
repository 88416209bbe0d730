import type { Question } from "../domain/form.ts"
import type { Kind } from "../kinds/Kind.ts"
import type { MappingEntry } from "../project/Pipeline.ts"
import { compileInput } from "./compileInput.ts"
import { readDropping, readRequired } from "./readers.ts"
import type { Read } from "./readers.ts"
import type { CompiledEntry, Workshop } from "./Workshop.ts"

/** What an entry says of its answer as a whole: needed, dropped when it is bad. */
export const withPolicy = (
  { read, columns }: Pick<CompiledEntry, "read" | "columns">,
  entry: MappingEntry,
  place: { readonly id: string; readonly name: string },
  { uses }: Pick<Workshop, "uses">,
): Read => {
  const kept = entry.onInvalid === "drop" ? readDropping(read, columns, uses) : read
  return entry.required && columns.length > 0 ? readRequired(kept, place.id, place.name, columns) : kept
}

/** Policies that contradict each other. */
export const checkPolicy = (entry: MappingEntry, { findings }: Pick<Workshop, "findings">): void => {
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

/** Compiles an entry that fills `id` by `kind`. */
export const compileEntry = (
  entry: MappingEntry,
  place: { readonly id: string; readonly name: string; readonly kind: Kind; readonly question?: Question | undefined },
  workshop: Workshop,
): CompiledEntry | undefined => {
  checkPolicy(entry, workshop)
  const { extract, options, path } = entry
  const compiled = compileInput(
    { ...place, question: place.question, options, path, extract },
    entry.input,
    entry.default,
    workshop,
  )
  return compiled === undefined ? undefined : { ...compiled, read: withPolicy(compiled, entry, place, workshop) }
}
