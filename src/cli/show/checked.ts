import type { CheckedPipeline } from "../../jobs/check.ts"
import { count, counted } from "../../report/words.ts"
import { wrapToWidth } from "./fit.ts"
import { paints } from "./Screen.ts"
import type { Screen } from "./Screen.ts"

const dataLine = ({ filtered, invalid, rows }: NonNullable<CheckedPipeline["data"]>): string => {
  const sent = rows - filtered - invalid
  const left = filtered === 0 ? "" : `, ${count(filtered)} left out by \`where\``
  return invalid === 0
    ? `All ${counted(rows - filtered, "row")} can be sent as they are${left}.`
    : `${count(sent)} of ${counted(rows, "row")} can be sent as they are, ${count(invalid)} can't: see above${left}.`
}

/** What checking one pipeline came to. */
export const showChecked = (checked: CheckedPipeline, screen: Screen): string => {
  const paint = paints(screen)
  const { accepted, data, failures, fits, pipeline, recorded, taken, target } = checked
  const name = paint.strong(target === undefined ? pipeline : `${pipeline} --to ${target}`)
  const errors = checked.diagnostics.filter(({ severity }) => severity === "error").length
  const lines = (text: string) => wrapToWidth(text, screen.width - 2).map((line) => `  ${line}`)
  const notes = accepted === undefined ? [] : lines(`The form as it is now stands in ${accepted}.`)
  if (failures.length > 0) {
    return [`${name} ${paint.bad("can't run")}`, ...failures.flatMap(({ message }) => lines(message)), ...notes].join(
      "\n",
    )
  }
  if (errors > 0) return [`${name} ${paint.bad("can't run: see above")}`, ...notes].join("\n")
  if (fits === undefined) return [`${name} ${paint.warn("was checked in part")}`, ...notes].join("\n")
  return [
    `${name} ${paint.good("can run")}`,
    ...lines(
      `${fits.answers} of ${counted(fits.form.questions.length, "question")} of "${fits.form.name}" get an answer${
        fits.beside.length === 0 ? "" : `, and beside them ${fits.beside.join(", ")}`
      }, from ${counted(fits.columns, "column")}.`,
    ),
    ...(data === undefined ? [] : [dataLine(data), ...data.accounts].flatMap(lines)),
    ...lines(taken.map(({ what, value }) => `${what} ${value}`).join(", ")).map(paint.soft),
    ...notes,
    ...(recorded || accepted !== undefined
      ? []
      : lines("The form is not recorded yet: the first run records it, so that a later change is noticed.").map(
        paint.soft,
      )),
  ].join("\n")
}
