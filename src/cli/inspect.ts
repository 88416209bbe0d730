import { Path } from "@effect/platform"
import { Effect } from "effect"
import { argumentList, command, json } from "./command.ts"
import { Output } from "./Output.ts"

/** `inspect FILE…`. */
export const inspect = command({
  name: "inspect",
  about:
    "Shows what a file is: its format, the form tool that wrote it, its columns and their values, traps, and row key candidates.",
  examples: [
    { words: "inspect contacts.csv", about: "Shows what formferry detects, and why." },
  ],
  arguments: { files: argumentList("FILE", true, "A file with rows.") },
  options: { json },
  run: (input) =>
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
    }),
})
