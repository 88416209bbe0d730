import { Args, Command, Options } from "@effect/cli"
import { FileSystem, Path } from "@effect/platform"
import { Effect, Option } from "effect"
import { json } from "./arguments.ts"
import { askForInit } from "./initQuestions.ts"
import { commandFor, Invocation } from "./Invocation.ts"
import { hidingKeys } from "./openProject.ts"
import { Output } from "./Output.ts"

const optionalText = (name: string, pseudo: string, description: string) =>
  Options.text(name).pipe(
    Options.withPseudoName(pseudo),
    Options.withDescription(description),
    Options.optional,
    Options.map(Option.getOrUndefined),
  )

const options = {
  source: optionalText("source", "FILE", "The file that holds the rows."),
  sheet: optionalText("sheet", "NAME", "Which sheet of a workbook; the first visible one when left out."),
  service: optionalText("service", "SERVICE", "The service, as config/formferry.yaml names it, or is to name it."),
  form: optionalText("form", "ID", "The form's id."),
  baseUrl: optionalText("base-url", "URL", "For a new project: the service's address, with the version segment."),
  keyEnv: optionalText("key-env", "VARIABLE", "For a new project: the variable that holds the API key."),
  forms: optionalText("forms", "DIR", "For a new project: use the practice service, with the forms of this folder."),
  json,
}

const about =
  "Writes a pipeline: its source as recognised, its mapping suggested from the form. Adds what is new to one that exists."

/** The folder of the project, and whether it is one already: `--project DIR`, else the nearest one upwards, else this folder. */
const rootOf = (asked: string | undefined) =>
  Effect.gen(function*() {
    const fs = yield* FileSystem.FileSystem
    const path = yield* Path.Path
    const { findProject } = yield* Effect.promise(() => import("../project/loadProject.ts"))
    if (asked === undefined) {
      const found = yield* Effect.option(findProject("."))
      return Option.isSome(found) ? { root: found.value, exists: true } : { root: path.resolve("."), exists: false }
    }
    const root = path.resolve(asked)
    return { root, exists: yield* fs.exists(path.join(root, "config", "formferry.yaml")) }
  })

/** `init NAME`: a new pipeline, in a new project where there is none; or what is new, for one that exists. */
export const init = {
  name: "init",
  about,
  options,
  command: Command.make("init", {
    ...options,
    name: Args.text({ name: "NAME" }).pipe(
      Args.withDescription("The pipeline's name; asked for at a terminal when left out."),
      Args.optional,
      Args.map(Option.getOrUndefined),
    ),
  }, (input) =>
    Effect.gen(function*() {
      const output = yield* Output
      const invocation = yield* Invocation
      const path = yield* Path.Path
      const { exists, root } = yield* rootOf(invocation.project)
      const asked = yield* askForInit(input, { root, exists, interactive: output.interactive && !input.json })
      const { initialise } = yield* Effect.promise(() => import("../jobs/init.ts"))
      const result = yield* initialise({
        ...asked,
        root,
        sheet: input.sheet,
        source: asked.source === undefined ? undefined : path.resolve(asked.source),
        guard: (project) => hidingKeys(project, output.hide),
      })
      if (input.json) return yield* output.print(JSON.stringify(result, null, 2))
      const { showInit } = yield* Effect.promise(() => import("./show/init.ts"))
      yield* output.print(showInit(result, commandFor(invocation, ["check", result.pipeline]), output.out))
    })).pipe(Command.withDescription(about)),
}
