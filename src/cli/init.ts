import { FileSystem, Path } from "@effect/platform"
import { Effect, Option } from "effect"
import { command, json, optionalArgument, text } from "./command.ts"
import { askForInit } from "./initQuestions.ts"
import { commandFor, Invocation } from "./Invocation.ts"
import { hidingKeys } from "./openProject.ts"
import { Output } from "./Output.ts"

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

/** `init NAME`. */
export const init = command({
  name: "init",
  about:
    "Writes a pipeline: its source as detected, its mapping suggested from the form. Adds what is new if the pipeline already exists.",
  examples: [
    {
      words: "init contacts --source contacts.csv --service live --form 8f2c",
      about: "Writes pipelines/contacts.yaml.",
    },
    { words: "init contacts", about: "Asks for what is missing, or adds new columns and questions." },
  ],
  arguments: { name: optionalArgument("NAME", "The pipeline's name. In a terminal, you are asked for it.") },
  options: {
    source: text("FILE", "The file with the rows."),
    sheet: text("NAME", "The sheet of a workbook. Default: the first visible one."),
    service: text("SERVICE", "The service, by its name in config/formferry.yaml."),
    form: text("ID", "The form's id."),
    baseUrl: text("URL", "For a new project: the service's address, with the version segment."),
    keyEnv: text("VARIABLE", "For a new project: the environment variable with the API key."),
    forms: text("DIR", "For a new project: use the practice service, with the forms of this folder."),
    json,
  },
  run: (input) =>
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
    }),
})
