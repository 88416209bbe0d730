import { Args, Command } from "@effect/cli"
import { Effect } from "effect"
import type { SchemaName } from "../jobs/schema.ts"
import { Output } from "./Output.ts"

const options = {}

const about = "Prints the JSON Schema of the configuration files, for editors."

/** `schema [pipeline|project]`: the JSON Schema of a configuration file. */
export const schema = {
  name: "schema",
  about,
  options,
  command: Command.make("schema", {
    file: Args.choice<SchemaName>([["pipeline", "pipeline"], ["project", "project"]], { name: "FILE" }).pipe(
      Args.withDescription("Which file: `pipeline`, the default, or `project`."),
      Args.withDefault("pipeline"),
    ),
  }, ({ file }) =>
    Effect.gen(function*() {
      const output = yield* Output
      const { schemaOf } = yield* Effect.promise(() => import("../jobs/schema.ts"))
      yield* output.print(JSON.stringify(schemaOf(file), null, 2))
    })).pipe(Command.withDescription(about)),
}
