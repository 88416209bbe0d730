import { groupBy } from "../../domain/groupBy.ts"
import { asListed, counted, firstOf } from "../../domain/words.ts"
import type { TranslatedQuestion } from "../../jobs/translations.ts"
import { cutToWidth, indented, type Screen } from "./screen.ts"

/** The maximum number of lines, of answers in a line, and of cells with the same answer. */
const most = { lines: 10, answers: 8, cells: 4 } as const

const short = (text: string): string => cutToWidth(text, 40)

/** Shows translations. Cells with the same answer are listed together, so that a text that does not belong to the others is noticed. */
const valuesShown = (values: TranslatedQuestion["values"]): { readonly text: string; readonly isCut: boolean } => {
  const groups = [...groupBy(values, ({ answer }) => answer)]
  const shown = groups.map(([answer, cells]) =>
    `${firstOf(cells.map(({ cell }) => asListed(short(cell))), most.cells)} → ${
      answer === null ? "no answer" : short(answer)
    }`
  )
  return {
    text: firstOf(shown, most.answers, " · "),
    isCut: shown.length > most.answers || groups.some(([, cells]) => cells.length > most.cells),
  }
}

const filled = ({ columns: [first, ...others], name }: TranslatedQuestion): string =>
  `${first === undefined ? "" : short(first)}${
    others.length === 0 ? "" : ` and ${counted(others.length, "more column")}`
  } → ${short(name)}`

/**
 * Shows which cells a pipeline translates, one line for each question, or for several questions with the same translations.
 *
 * @param all the command that prints all of them
 */
export const showTranslations = (
  questions: ReadonlyArray<TranslatedQuestion>,
  all: string,
  screen: Screen,
): ReadonlyArray<string> => {
  if (questions.length === 0) return []
  const groups = [...groupBy(questions, ({ values }) => JSON.stringify(values)).values()]
  const lines = groups.slice(0, most.lines).map(([first, ...others]) => {
    const { isCut, text } = valuesShown(first.values)
    const more = others.length === 0 ? "" : ` and ${counted(others.length, "more question")}`
    return { isCut, text: `${filled(first)}${more}: ${text}` }
  })
  const left = groups.slice(most.lines).flat().length
  const toSeeAll = left > 0 || lines.some(({ isCut }) => isCut) ? ` To see all, run: ${all}` : ""
  return [
    indented(
      `These cells are translated. Check that each one means the same as its answer.${toSeeAll}`,
      screen.width,
      2,
    ),
    ...lines.map(({ text }) => indented(text, screen.width, 4)),
    ...(left === 0 ? [] : [`    and ${counted(left, "more question")}`]),
  ]
}
