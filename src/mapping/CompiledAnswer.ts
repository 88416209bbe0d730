import type { Filled } from "./fingerprint.ts"
import type { MappedAnswer } from "./Mapping.ts"
import type { CompiledEntry } from "./Workshop.ts"

/** An answer with its place in the item, ready to read rows. */
export interface CompiledAnswer extends Filled, CompiledEntry {}

/** An answer before it is known whether its differences are tolerated. */
export type Placed = Omit<CompiledAnswer, "answer"> & { readonly answer: Omit<MappedAnswer, "tolerated"> }
