import * as Effect from "effect/Effect"
import { allFindings, type Diagnostic } from "../domain/diagnostic.ts"
import { exits } from "../domain/exit.ts"
import { brief } from "../domain/problem.ts"
import { counted } from "../domain/words.ts"
import type { Checked, CheckedPipeline } from "../jobs/check.ts"
import { readyRows } from "../jobs/readyRows.ts"
import { choosing, command, flag, json, output as format, pipelines } from "./command.ts"
import { CommandEnded } from "./Failure.ts"
import { commandFor } from "./Invocation.ts"
import { chosenPipelines, projectFolder } from "./openProject.ts"
import { showDiagnostics } from "./terminal/diagnostics.ts"
import { withProgress } from "./terminal/progress.ts"
import { indentedLines, paints, type Screen } from "./terminal/screen.ts"
import { showTranslations } from "./terminal/translations.ts"

export const check = command({
  name: "check",
  about:
    "Checks pipelines: their files, the live form and its changes, all rows of the source, and the examples. Reports every mistake at once. Sends nothing.",
  examples: [
    { words: "check", about: "Checks all pipelines." },
    { words: "check contacts --offline", about: "Checks one pipeline against the recorded form." },
  ],
  arguments: { pipelines },
  options: {
    ...choosing,
    strict: flag("Treat warnings as errors."),
    offline: flag("Don't contact a service. Check against the recorded form."),
    acceptForm: flag("Record the form as it is now, after you have seen how it changed."),
    output: format,
    json,
  },
  *run(input, { invocation, output }) {
    const folder = yield* projectFolder
    const names = yield* chosenPipelines(input)
    const { checkProject, checkStatus } = yield* Effect.promise(() => import("../jobs/check.ts"))
    const { acceptForm, offline, strict } = input
    const found = yield* withProgress("check", () => checkProject(folder, names, { acceptForm, offline }))
    const checked = strict ? asErrors(found) : found
    const { pipelines } = checked
    const findings = allFindings(checked)
    const status = checkStatus(checked)
    if (invocation.json) yield* output.print(JSON.stringify({ exitCode: status, ...plain(checked) }))
    else if (invocation.github) {
      const { annotations } = yield* Effect.promise(() => import("./github.ts"))
      for (const line of yield* annotations(folder, checked)) yield* output.print(line)
    } else {
      if (findings.length > 0) yield* output.print(`${showDiagnostics(findings, output.out)}\n`)
      for (const one of pipelines) {
        yield* output.print(showChecked(one, commandFor(invocation, ["check", one.pipeline, "--json"]), output.out))
      }
      if (findings.length === 0 && pipelines.length === 0) {
        yield* output.print("config/formferry.yaml is in order; there are no pipelines in pipelines/ yet.")
      }
    }
    if (status !== exits.complete.code) {
      // No command helps: a person must fix what was found.
      return yield* new CommandEnded({ status, next: undefined })
    }
  },
})

const asErrors = ({ diagnostics, pipelines }: Checked): Checked => {
  const strict = (list: ReadonlyArray<Diagnostic>) => list.map((one): Diagnostic => ({ ...one, severity: "error" }))
  return {
    diagnostics: strict(diagnostics),
    pipelines: pipelines.map((one) => ({ ...one, diagnostics: strict(one.diagnostics) })),
  }
}

const plain = ({ diagnostics, pipelines }: Checked) => ({
  diagnostics,
  pipelines: pipelines.map(({ data, failures, fits, ...one }) => ({
    ...one,
    problems: failures.map(({ _tag, message }) => ({ error: _tag, message })),
    fits: fits === undefined
      ? null
      : { ...fits, form: { id: fits.form.id, name: fits.form.name, questions: fits.form.questions.length } },
    data: data === undefined ? null : withoutFindings(data),
  })),
})

const withoutFindings = (data: NonNullable<CheckedPipeline["data"]>) => ({ ...data, diagnostics: undefined })

/**
 * Shows the result of checking one pipeline.
 *
 * @param all the command that prints everything
 */
const showChecked = (checked: CheckedPipeline, all: string, screen: Screen): string => {
  const paint = paints(screen)
  const { accepted, data, failures, fits, pipeline, recorded, taken, target } = checked
  const name = paint.strong(target === undefined ? pipeline : `${pipeline} --to ${target}`)
  const errors = checked.diagnostics.filter(({ severity }) => severity === "error").length
  const lines = (text: string) => indentedLines(text, screen.width, 2)
  const notes = [
    ...(accepted === undefined ? [] : lines(`The form as it is now is recorded in ${accepted}.`)),
    ...(checked.editor === undefined ? [] : lines(checked.editor)),
  ]
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
      `${fits.answers} of ${counted(fits.form.questions.length, "question")} of "${brief(fits.form.name)}" ${
        fits.answers === 1 ? "gets" : "get"
      } an answer${fits.beside.length === 0 ? "" : `, also ${fits.beside.join(", ")}`}, from ${
        counted(fits.columns, "column")
      }.`,
    ),
    ...(data === undefined ? [] : [readyRows(data), ...data.accounts].flatMap(lines)),
    ...showTranslations(checked.translations, all, screen),
    ...lines(taken.map(({ what, value }) => `${what} ${value}`).join(", ")).map(paint.soft),
    ...notes,
    ...(recorded || accepted !== undefined
      ? []
      : lines("The form is not recorded yet: the first run records it, so that a later change is noticed.").map(
        paint.soft,
      )),
  ].join("\n")
}
