import { Effect } from "effect"
import { chosenArgument, command } from "./command.ts"
import { Output } from "./Output.ts"

/** `schema [pipeline|project]`. */
export const schema = command({
  name: "schema",
  about: "Prints the JSON Schema of the configuration files, for editors.",
  examples: [
    { words: "schema project > project.schema.json", about: "Writes the schema of config/formferry.yaml." },
  ],
  arguments: {
    file: chosenArgument("FILE", ["pipeline", "project"], "Which file. Default: pipeline.", "pipeline"),
  },
  options: {},
  run: ({ file }) =>
    Effect.gen(function*() {
      const output = yield* Output
      const { jsonSchemas } = yield* Effect.promise(() => import("../project/jsonSchemas.ts"))
      yield* output.print(JSON.stringify(jsonSchemas()[file], null, 2))
    }),
})
