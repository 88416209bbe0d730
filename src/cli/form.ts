import { Args, Command } from "@effect/cli"
import { Effect } from "effect"
import { json } from "./arguments.ts"
import { openProject } from "./openProject.ts"
import { Output } from "./Output.ts"
import { showForm } from "./show/form.ts"

const options = { json }

const about = "Fetches a form and shows its questions and other lists."

/** `form SERVICE FORM`: a form's questions and other lists. */
export const form = {
  name: "form",
  about,
  options,
  command: Command.make("form", {
    ...options,
    service: Args.text({ name: "SERVICE" }).pipe(Args.withDescription("A service of config/formferry.yaml.")),
    form: Args.text({ name: "FORM" }).pipe(Args.withDescription("The form's id.")),
  }, (input) =>
    Effect.gen(function*() {
      const output = yield* Output
      const project = yield* openProject([])
      const { fetchForm } = yield* Effect.promise(() => import("../jobs/form.ts"))
      const form = yield* fetchForm(project, input.service, input.form)
      yield* output.print(input.json ? JSON.stringify(form, null, 2) : showForm(form, output.out))
    })).pipe(Command.withDescription(about)),
}
