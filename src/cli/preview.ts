import { Path } from "@effect/platform"
import { Effect } from "effect"
import { command, json, pipeline, source, to, wholeNumber } from "./command.ts"
import { openProject } from "./openProject.ts"
import { Output } from "./Output.ts"
import { showDiagnostics } from "./show/diagnostics.ts"
import { showPreview } from "./show/preview.ts"

/** `preview NAME`. */
export const preview = command({
  name: "preview",
  about: "Shows what would be sent for some rows: each cell, the answer it becomes, and its problems.",
  examples: [
    { words: "preview contacts", about: "Shows the first 5 rows." },
    { words: "preview contacts --row 17 --json", about: "Shows row 17, for a program." },
  ],
  arguments: { pipeline },
  options: {
    rows: wholeNumber(1, "How many rows to show, from the first one. Default: 5."),
    row: wholeNumber(1, "Show only this row. The first record below the header is row 1."),
    to,
    source,
    json,
  },
  run: (input) =>
    Effect.gen(function*() {
      const output = yield* Output
      const path = yield* Path.Path
      const project = yield* openProject([input.pipeline])
      const { preview } = yield* Effect.promise(() => import("../jobs/preview.ts"))
      const { rows, warnings, notes } = yield* preview(project, input.pipeline, {
        ...input,
        rows: input.rows ?? 5,
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
    }),
})

const fateOf = (row: { readonly filtered: boolean; readonly valid: boolean }) =>
  row.filtered ? "filtered" : row.valid ? undefined : "invalid"
