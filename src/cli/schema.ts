import * as Effect from "effect/Effect"
import { chosenArgument, command, text } from "./command.ts"
import { wrong } from "./Failure.ts"
import { projectFolder } from "./openProject.ts"

export const schema = command({
  name: "schema",
  about:
    "Prints the JSON Schema of the configuration files, for editors. With --for, the schema lists the columns of a pipeline's source, and the questions and options of its form.",
  examples: [
    { words: "schema project > project.schema.json", about: "Writes the schema of config/formferry.yaml." },
    {
      words: "schema pipeline --for contacts > config/schemas/pipelines/contacts.json",
      about: "Writes the schema of pipelines/contacts.yaml. `check` keeps it up to date.",
    },
  ],
  arguments: {
    file: chosenArgument(
      "FILE",
      ["pipeline", "project"],
      "The kind of file to describe. Default: pipeline.",
      "pipeline",
    ),
  },
  options: { for: text("NAME", "The pipeline whose columns, questions and options are listed in the schema.") },
  *run(input, { output }) {
    if (input.for === undefined) {
      const { jsonSchemas } = yield* Effect.promise(() => import("../project/jsonSchemas.ts"))
      return yield* output.print(JSON.stringify(jsonSchemas()[input.file], null, 2))
    }
    if (input.file === "project") {
      return yield* wrong("`--for` works with `schema pipeline` only: a project has no columns.")
    }
    const folder = yield* projectFolder
    const { editorSchema } = yield* Effect.promise(() => import("../jobs/editorSchema.ts"))
    yield* output.print((yield* editorSchema(folder, input.for)).trimEnd())
  },
})
