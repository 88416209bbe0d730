import { eachAnswered } from "../domain/item.ts"
import type { Json } from "../domain/json.ts"
import type { Cells } from "../domain/row.ts"
import type { Digester } from "../ledger/Ledger.ts"
import type { KnownRow } from "../ledger/rows.ts"
import { stampsOf } from "../mapping/stamps.ts"
import { columnNames } from "../source/columns.ts"
import type { RunPlan } from "./RunContext.ts"

/**
 * Returns a function that returns whether a row with different content would be sent with the answers that were sent for it. Ignores answers that were
 * mapped only before or only after that, because an edited mapping changes no row. Ignores stamps: the row may have got another key since.
 */
export const sentAnswers = (
  { form, mapping, pipeline }: Pick<RunPlan, "form" | "mapping" | "pipeline">,
  digest: Digester,
) => {
  const stamps = new Set(stampsOf(pipeline, form).map(({ id }) => id))
  const answers = mapping.answers.flatMap(({ columns, id }) =>
    stamps.has(id) ? [] : [{ id, columns: columnNames(columns) }]
  )
  return ({ columns: before, sent }: Pick<KnownRow, "columns" | "sent">, cells: Cells): boolean => {
    const mapped = sent === undefined ? undefined : mapping.map(cells)
    if (sent === undefined || mapped === undefined || "problems" in mapped) return false
    const now = new Map<string, Json | object>()
    eachAnswered(mapped.item, (id, value) => void now.set(id, value))
    return answers.every(({ columns, id }) => {
      const value = now.get(id)
      if (!sent.has(id)) {
        return value === undefined || !columns.some((name) => before.includes(name))
      }
      return value !== undefined && sent.get(id)?.equals(digest.value(value as Json)) === true
    })
  }
}
