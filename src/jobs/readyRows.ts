import type { CheckedData } from "../domain/checkedData.ts"
import { count, counted, present } from "../domain/words.ts"

/** Says how many rows of a source can be sent. Doesn't say "ready" if some may have been imported. */
export const readyRows = (
  { acknowledged = 0, again = 0, changed = 0, duplicate, filtered, invalid, known, rows }: Pick<
    CheckedData,
    "acknowledged" | "again" | "changed" | "duplicate" | "filtered" | "invalid" | "known" | "rows"
  >,
): string => {
  const unfit = invalid + duplicate
  const open = unfit + changed - acknowledged
  const shown = rows - filtered - unfit - changed - (known ?? 0)
  const what = known === undefined ? ["fits the form", "fit the form"] : ["is ready to send", "are ready to send"]
  const verb = shown === 1 || (unfit > 0 && rows === 1) ? what[0] : what[1]
  const beside = present([
    again > 0 && `${count(again)} of them again, because ${again === 1 ? "it" : "they"} changed`,
    open > 0
    && (changed === 0
      ? `${count(open)} can't be sent: see above`
      : `${count(open)} ${open === 1 ? "needs" : "need"} review`),
    acknowledged > 0 && `${count(acknowledged)} can't be sent and ${acknowledged === 1 ? "is" : "are"} acknowledged`,
    !(known === undefined || known === 0) && `${count(known)} ${known === 1 ? "is" : "are"} known from earlier runs`,
    filtered > 0 && `${count(filtered)} skipped on purpose`,
  ])
  const all = unfit === 0 ? counted(shown, "row") : `${count(shown)} of ${counted(rows, "row")}`
  return `${[`${all} ${verb}`, ...beside].join(", ")}.`
}
