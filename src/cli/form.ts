import * as Effect from "effect/Effect"
import type { Element, Form, Question } from "../domain/form.ts"
import { asListed, counted, present } from "../domain/words.ts"
import { argument, command, json, optionalArgument } from "./command.ts"
import { openProject } from "./openProject.ts"
import { cutToWidth, paints, type Screen, table } from "./terminal/screen.ts"

export const form = command({
  name: "form",
  about:
    "Fetches a form and shows its questions and other fields, with their ids. Without FORM, lists the forms of the account.",
  examples: [
    { words: "form live 8f2c", about: "Shows the form 8f2c of the service named live." },
    { words: "form live", about: "Lists the forms of the service named live, if the service can list them." },
    { words: "form live 8f2c --json", about: "Writes the form as JSON, for a program." },
  ],
  arguments: {
    service: argument("SERVICE", "A service of config/formferry.yaml."),
    form: optionalArgument("FORM", "The form's id. Omit it to list the forms."),
  },
  options: { json },
  *run(input, { output }) {
    const project = yield* openProject([])
    const { fetchForm, fetchForms } = yield* Effect.promise(() => import("../jobs/services.ts"))
    if (input.form === undefined) {
      const forms = yield* fetchForms(project, input.service)
      return yield* output.print(input.json ? JSON.stringify(forms, null, 2) : showForms(forms, output.out))
    }
    const form = yield* fetchForm(project, input.service, input.form)
    yield* output.print(input.json ? JSON.stringify(form, null, 2) : showForm(form, output.out))
  },
})

const showForms = (forms: ReadonlyArray<Element>, screen: Screen): string =>
  elements("form", forms, screen) ?? "The account has no forms."

/** How many options of a question are shown. */
const most = 12

const optionsOf = (question: Question): string => {
  const options = question.options ?? []
  const named = options.slice(0, most).map(({ value, label }) =>
    value === label ? asListed(value) : `${asListed(value)} (${label})`
  )
  const more = options.length - named.length
  return named.map((name) => cutToWidth(name, 60)).join(", ") + (more > 0 ? `, … ${counted(more, "more option")}` : "")
}

const elements = (title: string, list: ReadonlyArray<Element>, screen: Screen): string | undefined =>
  list.length === 0
    ? undefined
    : table([title, "id"], list.map(({ id, name }) => [cutToWidth(name, 200), id]), screen)

/** Shows a form's questions and its other lists. */
export const showForm = (form: Form, screen: Screen): string => {
  const paint = paints(screen)
  const typed = form.questions.some(({ type }) => type !== undefined)
  const optional = form.questions.some(({ options }) => options !== undefined && options.length > 0)
  const questions = form.questions.length === 0 ? "The form has no questions." : table(
    ["question", "id", ...typed ? ["type"] : [], ...optional ? ["options"] : []],
    form.questions.map((question) => [
      cutToWidth(question.name, 200),
      question.id,
      ...typed ? [question.type ?? ""] : [],
      ...optional ? [optionsOf(question)] : [],
    ]),
    screen,
  )
  return present([
    `${paint.strong(cutToWidth(form.name, screen.width))}\n${paint.soft(cutToWidth(form.id, screen.width))}`,
    questions,
    elements("URL parameter", form.urlParameters, screen),
    elements("scheduling", form.scheduling, screen),
    elements("payment", form.payments, screen),
    elements("calculation (not imported)", form.calculations, screen),
    form.quiz?.enabled === true ? "Quiz mode is on." : undefined,
  ]).join("\n\n")
}
