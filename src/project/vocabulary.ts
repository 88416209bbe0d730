import { paymentParts, schedulingParts } from "../kinds/elements.ts"
import type { ElementPart } from "../kinds/elements.ts"
import { kinds } from "../kinds/index.ts"
import type { Kinds } from "./entrySchema.ts"
import type { Vocabulary } from "./pipelineOf.ts"
import { pipelineSchema } from "./pipelineSchema.ts"

const kindsOf = (parts: Readonly<Record<string, ElementPart>>): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.entries(parts).map(([part, { kind }]) => [part, kind]))

/** The kinds there are, and those of the parts of scheduling and payment values. */
export const vocabulary: Vocabulary = {
  kinds,
  elements: { scheduling: kindsOf(schedulingParts), payments: kindsOf(paymentParts) },
}

type PipelineFileSchema = ReturnType<typeof pipelineSchema>

let whole: PipelineFileSchema | undefined

/** The pipeline file's schema with all kinds: made when it is first asked for, for that takes 70 ms. */
export const pipelineFileSchema = (): PipelineFileSchema =>
  whole ??= pipelineSchema(vocabulary.kinds, vocabulary.elements)

/** Kinds that entries are of without saying so. */
const unsaid: ReadonlyArray<string> = ["text", "dateTime", "email"]

const among = (kinds: Kinds, names: Iterable<string>): Kinds => {
  const found = new Set<string>()
  const add = (name: string): void => {
    const kind = kinds.get(name)
    if (kind === undefined || found.has(name)) return
    found.add(name)
    Object.values(kind.parts ?? {}).forEach(add)
  }
  for (const name of names) add(name)
  return new Map([...kinds].filter(([name]) => found.has(name)))
}

/**
 * The same with no other kinds than those that a file may mean, which takes a third of the time: it reads a file that is right as the whole schema does. Of one that is wrong it does not
 * know all that there is to say.
 *
 * @param text the file's
 */
export const schemaFor = (text: string): PipelineFileSchema => {
  if (whole !== undefined) return whole
  const { elements, kinds } = vocabulary
  // After `as`, or as a key of `defaults`. What is found too much costs time only, what is not found makes the file be read by the whole schema.
  const said = [...kinds.keys()].filter((kind) =>
    new RegExp(`\\bas\\b\\W+${kind}\\b|\\b${kind}\\b\\W?\\s*:`).test(text)
  )
  const ofElements = Object.entries(elements).flatMap(([section, parts]) =>
    text.includes(section) ? Object.values<string>(parts) : []
  )
  return pipelineSchema(among(kinds, [...unsaid, ...said, ...ofElements]), elements)
}
