import type { CheckedData } from "../domain/checkedData.ts"
import { count, counted } from "../domain/words.ts"

/** Says how many rows of a source can be sent. */
export const readyRows = (
  { duplicate, filtered, invalid, rows }: Pick<CheckedData, "duplicate" | "filtered" | "invalid" | "rows">,
): string => {
  const unsent = invalid + duplicate
  const sent = rows - filtered - unsent
  const left = filtered === 0 ? "" : `, ${count(filtered)} skipped by \`where\``
  return unsent === 0
    ? `${counted(sent, "row is", "rows are")} ready to send${left}.`
    : `${count(sent)} of ${counted(rows, "row")} ${sent === 1 ? "is" : "are"} ready to send, ${count(unsent)} ${
      unsent === 1 ? "is" : "are"
    } not: see above${left}.`
}
