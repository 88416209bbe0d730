import { visible } from "../../domain/visible.ts"
import type { Initialised } from "../../jobs/init/Initialised.ts"
import { counted } from "../../report/words.ts"
import { cutToWidth, wrapToWidth } from "./fit.ts"
import { paints } from "./Screen.ts"
import type { Screen } from "./Screen.ts"

const shown = (names: ReadonlyArray<string>): string =>
  names.slice(0, 12).map((name) => cutToWidth(visible(name), 60)).join(", ")
  + (names.length > 12 ? ` and ${names.length - 12} more` : "")

/** What `init` wrote, what is left to do, and the command to run next. */
export const showInit = (result: Initialised, next: string, screen: Screen): string => {
  const paint = paints(screen)
  const lines = (text: string) => wrapToWidth(text, screen.width - 2).map((line) => `  ${line}`)
  const { added, choices, file, form, mapped, open, taken, unmapped, warnings, written } = result
  const isUnchanged = added && mapped === 0 && open.length === 0
  return [
    isUnchanged
      ? `${paint.strong(file)} has an entry for everything: nothing was added.`
      : added
      ? `${paint.strong(file)}: ${counted(mapped, "entry", "entries")} added, all else left as it stands.`
      : `${paint.strong(file)}: ${counted(mapped, "entry", "entries")} suggested for the form "${
        cutToWidth(visible(form.name), 60)
      }".`,
    ...(added ? [] : lines(taken.map(({ what, value }) => `${what} ${value}`).join(", ")).map(paint.soft)),
    ...(open.length === 0
      ? []
      : lines(`Left open, as comments to be filled in (look for "left open"): ${shown(open)}.`).map(paint.warn)),
    ...(choices.length === 0
      ? []
      : lines(`Cells that are no option of the form's, listed under \`values\` to be filled in: ${shown(choices)}.`)
        .map(
          paint.warn,
        )),
    ...(unmapped.length === 0 ? [] : lines(`Columns that nothing takes: ${shown(unmapped)}.`)),
    ...warnings.flatMap((warning) => lines(`Warning: ${warning}`)).map(paint.warn),
    ...(written.length === 0 ? [] : lines(`Written: ${written.join(", ")}.`).map(paint.soft)),
    `Next: ${next}`,
  ].join("\n")
}
