import type { CheckedData } from "../domain/checkedData.ts"
import { count, counted, present } from "../domain/words.ts"

/** Says how many rows of a source can be sent. Doesn't say "ready" if some may have been imported. */
export const readyRows = (
  { duplicate, filtered, invalid, known, rows }: Pick<
    CheckedData,
    "duplicate" | "filtered" | "invalid" | "known" | "rows"
  >,
): string => {
  const unfit = invalid + duplicate
  const shown = rows - filtered - unfit - (known ?? 0)
  const what = known === undefined ? ["fits the form", "fit the form"] : ["is ready to send", "are ready to send"]
  const verb = shown === 1 ? what[0] : what[1]
  const beside = present([
    unfit > 0 && `${count(unfit)} can't be sent: see above`,
    !(known === undefined || known === 0) && `${count(known)} ${known === 1 ? "is" : "are"} known from earlier runs`,
    filtered > 0 && `${count(filtered)} skipped by \`where\``,
  ])
  const all = unfit === 0 ? counted(shown, "row") : `${count(shown)} of ${counted(rows, "row")}`
  return `${[`${all} ${verb}`, ...beside].join(", ")}.`
}
