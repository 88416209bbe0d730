import * as Path from "@effect/platform/Path"
import * as Effect from "effect/Effect"
import { counted, listed } from "../domain/words.ts"
import { argument, command, json, optionalArgument } from "./command.ts"
import { requireNew, wrong } from "./Failure.ts"
import { commandFor } from "./Invocation.ts"
import { openProject } from "./openProject.ts"
import { cutToWidth } from "./terminal/screen.ts"

export const template = command({
  name: "template",
  about:
    "Writes an empty file for people who collect rows themselves: a column for each question of a form, and one for the row key. `init` and `run` import it when it is filled in.",
  examples: [
    { words: "template live 8f2c", about: "Writes 8f2c.csv." },
    { words: "template live 8f2c people.xlsx", about: "Writes a workbook. Its second sheet lists the choices." },
  ],
  arguments: {
    service: argument("SERVICE", "A service of config/formferry.yaml."),
    form: argument("FORM", "The form's id."),
    file: optionalArgument(
      "FILE",
      "The file to write, which must not exist yet: .csv, or .xlsx for a workbook. Default: FORM.csv.",
    ),
  },
  options: { json },
  *run(input, { invocation, output }) {
    const path = yield* Path.Path
    const name = input.file ?? `${encodeURIComponent(input.form)}.csv`
    const file = path.resolve(name)
    if (!/\.(?:csv|xlsx)$/i.test(name)) {
      return yield* wrong(`A template is a .csv file or an .xlsx workbook, not ${name}.`)
    }
    yield* requireNew(file)
    const project = yield* openProject([])
    const { fetchForm } = yield* Effect.promise(() => import("../jobs/services.ts"))
    const { writeTemplate } = yield* Effect.promise(() => import("../jobs/template.ts"))
    const form = yield* fetchForm(project, input.service, input.form)
    const written = yield* writeTemplate(form, file)
    if (input.json) return yield* output.print(JSON.stringify({ file, ...written }, null, 2))
    const shown = (text: string) => cutToWidth(text, 60)
    const next = commandFor(invocation, [
      "init",
      "NAME",
      "--source",
      name,
      "--service",
      input.service,
      "--form",
      input.form,
    ])
    yield* output.print([
      `${name}: ${counted(written.columns.length, "column")} for the form "${
        shown(form.name)
      }". Fill in one row for each submission, and give each a different "${written.rowKey}".`,
      ...(written.leftOut.length === 0
        ? []
        : [
          `Questions without a column, because the form does not list their rows: ${
            listed(written.leftOut.map(shown))
          }.`,
        ]),
      `Next: fill it in, then run ${next}`,
    ].join("\n"))
  },
})
