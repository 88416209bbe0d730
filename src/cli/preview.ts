import { Command, Options } from "@effect/cli"
import { Path } from "@effect/platform"
import { Effect, Option } from "effect"
import { json, pipeline, source, to, wholeNumber } from "./arguments.ts"
import { openProject } from "./openProject.ts"
import { Output } from "./Output.ts"
import { showDiagnostics } from "./show/diagnostics.ts"
import { showPreview } from "./show/preview.ts"

const options = {
  rows: wholeNumber("rows", 1).pipe(
    Options.withDescription("How many rows to show, from the first one."),
    Options.withDefault(5),
  ),
  row: wholeNumber("row", 1).pipe(
    Options.withDescription("Only this row; the first record below the header is 1."),
    Options.optional,
    Options.map(Option.getOrUndefined),
  ),
  to,
  source,
  json,
}

const about = "Shows what would be sent for some rows: each cell, the answer it becomes, and what is wrong with it."

/** `preview NAME`: what would be sent for some rows, problems included. */
export const preview = {
  name: "preview",
  about,
  options,
  command: Command.make("preview", { ...options, pipeline }, (input) =>
    Effect.gen(function*() {
      const output = yield* Output
      const path = yield* Path.Path
      const project = yield* openProject([input.pipeline])
      const { preview } = yield* Effect.promise(() => import("../jobs/preview.ts"))
      const { rows, warnings, notes } = yield* preview(project, input.pipeline, {
        ...input,
        source: input.source === undefined ? undefined : path.resolve(input.source),
      })
      if (input.json) {
        const shown = rows.map((row) => ({ ...row, key: row.key ?? null }))
        return yield* output.print(JSON.stringify({ pipeline: input.pipeline, rows: shown, warnings, notes }))
      }
      if (warnings.length > 0) output.tell(`${showDiagnostics(warnings, output.err)}\n`)
      for (const note of notes) output.tell(`Warning: ${note}`)
      yield* output.print(
        showPreview(rows.map((row) => ({ ...row, fate: fateOf(row) })), output.out),
      )
    })).pipe(Command.withDescription(about)),
}

const fateOf = (row: { readonly filtered: boolean; readonly valid: boolean }) =>
  row.filtered ? "filtered" : row.valid ? undefined : "invalid"
