import { Effect } from "effect"
import { argument, command, json } from "./command.ts"
import { openProject } from "./openProject.ts"
import { Output } from "./Output.ts"
import { showForm } from "./show/form.ts"

/** `form SERVICE FORM`. */
export const form = command({
  name: "form",
  about: "Fetches a form and shows its questions and other lists.",
  examples: [
    { words: "form live 8f2c", about: "Shows the form 8f2c of the service live." },
  ],
  arguments: {
    service: argument("SERVICE", "A service of config/formferry.yaml."),
    form: argument("FORM", "The form's id."),
  },
  options: { json },
  run: (input) =>
    Effect.gen(function*() {
      const output = yield* Output
      const project = yield* openProject([])
      const { fetchForm } = yield* Effect.promise(() => import("../jobs/form.ts"))
      const form = yield* fetchForm(project, input.service, input.form)
      yield* output.print(input.json ? JSON.stringify(form, null, 2) : showForm(form, output.out))
    }),
})
