import { Args, Command } from "@effect/cli"
import { Path } from "@effect/platform"
import { Effect } from "effect"
import { json } from "./arguments.ts"
import { Output } from "./Output.ts"

const options = { json }

const about =
  "Recognises a file: its format, the form tool that wrote it, its columns and what is in them, traps, row keys."

/** `inspect FILE…`: what files are and why, and what is in them. */
export const inspect = {
  name: "inspect",
  about,
  options,
  command: Command.make("inspect", {
    ...options,
    files: Args.text({ name: "FILE" }).pipe(Args.withDescription("A file that holds rows."), Args.atLeast(1)),
  }, (input) =>
    Effect.gen(function*() {
      const output = yield* Output
      const path = yield* Path.Path
      const { inspectFile } = yield* Effect.promise(() => import("../jobs/inspect/inspectFile.ts"))
      const { showInspection } = yield* Effect.promise(() => import("./show/inspect.ts"))
      for (const [index, file] of input.files.entries()) {
        const inspection = yield* inspectFile(path.resolve(file))
        if (input.json) yield* output.print(JSON.stringify({ ...inspection, file }))
        else yield* output.print((index === 0 ? "" : "\n") + showInspection({ ...inspection, file }, output.out))
      }
    })).pipe(Command.withDescription(about)),
}
