import type { Json } from "../domain/json.ts"
import { textOf } from "./cells.ts"
import { isList } from "./compared.ts"
import type { OptionFault } from "./Kind.ts"
import type { OptionTable } from "./optionTable.ts"

/** The texts of a JSON list; undefined when a member is no text, number or boolean. */
export const members = (value: Json): ReadonlyArray<string> | undefined => {
  if (!isList(value)) return undefined
  const texts: Array<string> = []
  for (const member of value) {
    if (typeof member === "object") return undefined
    texts.push(typeof member === "string" ? member.trim() : textOf(member))
  }
  return texts
}

/**
 * Cuts cells at the separators, but never inside of a name that the table has: of several pieces in a row the most that are a name are
 * one. Without a separator a cell is one piece.
 */
export const optionSplitter = (
  separator: string | undefined,
  table: Pick<OptionTable, "has" | "names">,
): (text: string) => ReadonlyArray<string> => {
  if (separator === undefined) return (text) => [text]
  const longest = table.names.reduce((most, name) => Math.max(most, name.split(separator).length), 1)
  return (text) => {
    if (!text.includes(separator)) return [text]
    const pieces = text.split(separator)
    const found: Array<string> = []
    let start = 0
    while (start < pieces.length) {
      let end = Math.min(pieces.length, start + longest)
      let piece = ""
      for (; end > start + 1; end--) {
        piece = pieces.slice(start, end).join(separator).trim()
        if (table.has(piece)) break
      }
      if (end === start + 1) piece = (pieces[start] ?? "").trim()
      if (piece !== "") found.push(piece)
      start = end
    }
    return found
  }
}

/** A cell can be cut only where the options are known. */
export const splitFault: OptionFault = {
  option: "split",
  message: "A cell can be split only where the options are known.",
  suggestion: "List them under `options`.",
}
