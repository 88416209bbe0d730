import { cellText } from "../domain/cell.ts"
import { type Diagnostic, withCells } from "../domain/diagnostic.ts"
import { type Form, names } from "../domain/form.ts"
import type { Trap } from "../domain/inspectedColumn.ts"
import { eachAnswered, type Item, ownMembers } from "../domain/item.ts"
import { brief } from "../domain/problem.ts"
import type { Cells } from "../domain/row.ts"
import { counted } from "../domain/words.ts"
import { firstLate, hasShortYear } from "../kinds/dateFormats.ts"
import type { MappedAnswer, Mapping } from "../mapping/Mapping.ts"
import { diagnosticAt } from "../project/errors.ts"
import type { Pipeline } from "../project/Pipeline.ts"
import { CellTraps, isNoDate } from "./cellTraps.ts"

/** The kinds that may send a spoilt cell. The others reject it. */
const lenient: ReadonlySet<string> = new Set(["text", "number", "date", "dateTime"])

/** Traps that are hardly ever answers. */
const spoilt: ReadonlySet<Trap["code"]> = new Set<Trap["code"]>(
  [
    "scientific",
    "rounded-digits",
    "lost-zeros",
    "excel-error",
    "garbled",
    "cut-off",
    "wrapped",
    "guarded",
    "markup",
    "escaped",
  ],
)

/** Matches what only programs write for no answer. A person may answer `-` or `n/a`. */
const noAnswer = /^(?:\(?null\)?|\\n|nan|\d{4}-\d\d-\d\d(?:T.*)?)$/i

const isSpoilt = ({ code, examples }: Trap): boolean =>
  spoilt.has(code) || (code === "no-answer" && examples.some((text) => noAnswer.test(text)))

/**
 * Collects the traps in an answer.
 *
 * @param format the entry's date formats
 */
const watch = ({ columns: [column], kind }: MappedAnswer, format: unknown) => {
  const traps = new CellTraps(column?.title ?? "")
  const isShort = [format].flat().some((one) => hasShortYear(String(one)))
  const isDated = kind === "date" || kind === "dateTime"
  const late = { count: 0, example: "" }
  const early = { count: 0, example: "" }
  const count = (years: typeof late, example: string) => {
    if (years.count++ === 0) years.example = example
  }
  return {
    add: (value: unknown, cells: Cells): void => {
      const cell = cells[column?.position ?? -1] ?? null
      const text = kind === "number" ? cell : value
      if (typeof text !== "string") return
      traps.add(text, text)
      const year = text.slice(0, 4)
      if (isDated && /^0\d{3}-/.test(text) && !isNoDate(text)) count(early, text)
      if (isShort && Number(year) >= firstLate && !cellText(cell).includes(year)) count(late, text)
    },
    found: (): ReadonlyArray<Pick<Trap, "examples" | "message">> => [
      ...traps.traps().filter(isSpoilt),
      ...late.count === 0 ? [] : [{
        message:
          `${
            counted(late.count, "date has", "dates have")
          } a year of two digits that is read as ${firstLate} or later. `
          + "If it is an earlier year, write years with four digits in the file.",
        examples: [late.example],
      }],
      ...early.count === 0 ? [] : [{
        message: `${
          counted(early.count, "date is", "dates are")
        } before the year 1000, as if the century was lost. Correct the file.`,
        examples: [early.example],
      }],
    ],
  }
}

/** Returns a function that returns the entry that fills an element of the form. */
export const entryOf = ({ mapping }: Pipeline, form: Form) => (id: string | undefined) => {
  const question = form.questions.find((one) => one.id === id)
  const entries = [...mapping.questions, ...mapping.urlParameters, ...mapping.scheduling, ...mapping.payments]
  const own = ownMembers.find((of) => of === id)
  return own !== undefined
    ? mapping[own]
    : entries.find((one) => one.id !== undefined && one.id === id)
      ?? entries.find((one) => question !== undefined && names(one, question))
}

/** Collects the traps in what is sent or would be sent, so that cells which the pipeline leaves out or corrects are none. */
export const collectTraps = (pipeline: Pipeline, mapping: Mapping, form: Form) => {
  const { document, mapping: { defaults }, name } = pipeline
  const entry = entryOf(pipeline, form)
  const watched = new Map(
    mapping.answers.filter(({ columns, kind }) => columns.length > 0 && lenient.has(kind)).map((answer) => {
      const { options, path = ["mapping"] } = entry(answer.id) ?? {}
      const { add, found } = watch(answer, { ...defaults[answer.kind], ...options }.format)
      return [answer.id, { add, found, path, name: brief(answer.name) }] as const
    }),
  )
  return {
    /** Looks at a row. Numbers are looked at as the cells contain them. */
    add: (item: Item, cells: Cells): void => eachAnswered(item, (id, value) => watched.get(id)?.add(value, cells)),
    findings: (): ReadonlyArray<Diagnostic> =>
      [...watched.values()].flatMap(({ found, name: answer, path }) =>
        found().map(({ examples, message }) => {
          const what = `"${answer}": ${message}`
          const some = examples.map((text) => `"${brief(text)}"`).join(", ")
          const shown = `${what}${some === "" ? "" : ` For example ${some}.`}`
          return withCells(name, diagnosticAt(document, "warning", path, shown), what)
        })
      ),
  }
}
