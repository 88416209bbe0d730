import { paymentParts, schedulingParts } from "../kinds/elements.ts"
import type { ElementPart } from "../kinds/elements.ts"
import { kinds } from "../kinds/index.ts"
import type { Vocabulary } from "./pipelineOf.ts"
import { pipelineSchema } from "./pipelineSchema.ts"

const kindsOf = (parts: Readonly<Record<string, ElementPart>>): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.entries(parts).map(([part, { kind }]) => [part, kind]))

/** The kinds there are, and those of the parts of scheduling and payment values. */
export const vocabulary: Vocabulary = {
  kinds,
  elements: { scheduling: kindsOf(schedulingParts), payments: kindsOf(paymentParts) },
}

/** The pipeline file's schema with all kinds. */
export const PipelineFileSchema = pipelineSchema(vocabulary.kinds, vocabulary.elements)
