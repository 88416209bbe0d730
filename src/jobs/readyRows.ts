import type { CheckedData } from "../domain/checkedData.ts"
import { count, counted } from "../domain/words.ts"

/** Says how many rows of a source can be sent. */
export const readyRows = ({ filtered, invalid, rows }: Pick<CheckedData, "filtered" | "invalid" | "rows">): string => {
  const sent = rows - filtered - invalid
  const left = filtered === 0 ? "" : `, ${count(filtered)} skipped by \`where\``
  return invalid === 0
    ? `${counted(sent, "row is", "rows are")} ready to send${left}.`
    : `${count(sent)} of ${counted(rows, "row")} ${sent === 1 ? "is" : "are"} ready to send, ${count(invalid)} ${
      invalid === 1 ? "is" : "are"
    } not: see above${left}.`
}
