import { kindOfType } from "../../kinds/index.ts"
import type { Settings } from "./columnSettings.ts"
import { settingsOf } from "./settings.ts"
import type { Suggestion } from "./Suggestion.ts"
import type { Block } from "./Unit.ts"

/** The kind of a block's answers where the form tells no type. */
const blockKind = ({ content }: Block): string =>
  content === "ranks" ? "ranking" : content === "labels" ? "matrix" : "choices"

export const settingsFor = (suggestion: Suggestion, uploads: string | undefined): Settings => {
  const { origin, question } = suggestion
  if (origin._tag === "Column") return settingsOf(origin.profile, question, origin.column.title, uploads)
  const kind = question.type !== undefined
    ? origin._tag === "Block" ? kindOfType(question.type)?.name : undefined
    : origin._tag === "Block"
    ? blockKind(origin.block)
    : origin._tag === "Parts"
    ? "address"
    : undefined
  return { kind, keys: [], open: undefined }
}
