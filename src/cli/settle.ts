import { Path } from "@effect/platform"
import { Effect } from "effect"
import type { SettleBy, WhichRows } from "../jobs/settle.ts"
import { choice, command, flag, json, pipeline, text, texts, to, wholeNumber } from "./command.ts"
import { CommandEnded, UsageWrong } from "./Failure.ts"
import { commandFor, Invocation } from "./Invocation.ts"
import { openProject } from "./openProject.ts"
import { Output } from "./Output.ts"
import { wrapToWidth } from "./show/fit.ts"
import { userName } from "./userName.ts"

interface Input {
  readonly results: string | undefined
  readonly complete: boolean
  readonly as: "landed" | "not-landed" | undefined
  readonly all: boolean
  readonly batch: number | undefined
  readonly rows: ReadonlyArray<string>
  readonly because: string | undefined
}

/** `settle NAME --results FILE`, or `settle NAME --as OUTCOME (--all | --batch ID | --rows KEY…) --because TEXT`. */
export const settle = command({
  name: "settle",
  about:
    "Settles rows in doubt, from an export of the form's results or manually. The next run reads back the rows that landed and sends the others.",
  examples: [
    { words: "settle contacts --results results.csv", about: "Settles what an export of the form's results proves." },
    {
      words: "settle contacts --as landed --rows K-17 --because 'seen in the results'",
      about: "Settles one row manually.",
    },
  ],
  arguments: { pipeline },
  options: {
    results: text("FILE", "An export of the form's results, with their submission ids."),
    complete: flag("You vouch that the export is complete: a row that it lacks did not land. Needs --because."),
    as: choice("OUTCOME", ["landed", "not-landed"], "Manually: whether the rows have landed."),
    all: flag("Manually: all rows in doubt."),
    batch: wholeNumber(1, "Manually: the rows of a batch, the column _batch of in-doubt.csv.", undefined, "ID"),
    rows: texts("KEY", "Manually: row keys, the column _key of in-doubt.csv."),
    because: text("TEXT", "Why. Needed to settle manually."),
    to,
    json,
  },
  run: (input) =>
    Effect.gen(function*() {
      const output = yield* Output
      const invocation = yield* Invocation
      const by = yield* asked(input)
      const project = yield* openProject([input.pipeline])
      const { settlePipeline } = yield* Effect.promise(() => import("../jobs/settle.ts"))
      const { showSettled } = yield* Effect.promise(() => import("./show/settled.ts"))
      const who = yield* userName
      const because = input.because?.trim()
      const result = yield* settlePipeline(project, { pipeline: input.pipeline, to: input.to, by, who, because })
      for (const warning of result.warnings) output.tell(`Warning: ${warning}`)
      yield* output.print(
        input.json ? JSON.stringify({ ...result, by: who, because: because ?? null }) : showSettled(result, output.out),
      )
      if (result.left === 0) return
      const target = input.to === undefined ? [] : ["--to", input.to]
      const open = result.rows.find((row) => row.outcome === "in doubt")
      if (by._tag === "Look") {
        const how =
          `To settle them, export the form's results and run \`settle ${input.pipeline}\` with --results FILE. If you know `
          + "yourself what became of them, run it with --as landed or --as not-landed."
        output.tell(wrapToWidth(how, output.err.width).join("\n"))
      }
      const next = by._tag !== "Export" || result.wants !== "a person" || open === undefined
        ? ["status", input.pipeline]
        : ["acknowledge", input.pipeline, ...target, "--rows", open.key, "--because", "…"]
      return yield* new CommandEnded({ status: 4, next: commandFor(invocation, next) })
    }),
})

const wrong = (message: string) => Effect.fail(new UsageWrong({ message }))

/** What the options ask for. */
const asked = (input: Input): Effect.Effect<SettleBy, UsageWrong, Path.Path> =>
  Effect.gen(function*() {
    const path = yield* Path.Path
    const which = [
      ...(input.all ? [{ _tag: "All" } as const] : []),
      ...(input.batch === undefined ? [] : [{ _tag: "Batch", batch: input.batch } as const]),
      ...(input.rows.length === 0 ? [] : [{ _tag: "Rows", keys: [...new Set(input.rows)] } as const]),
    ] satisfies ReadonlyArray<WhichRows>
    const [rows, more] = which
    if (input.results !== undefined) {
      if (input.as !== undefined || rows !== undefined) {
        return yield* wrong("`--results` finds out by itself what became of each row: leave out `--as` and which rows.")
      }
      if (input.complete && (input.because === undefined || input.because.trim() === "")) {
        return yield* wrong("`--complete` needs `--because TEXT`: it is kept with what was settled.")
      }
      return { _tag: "Export", file: path.resolve(input.results), isComplete: input.complete }
    }
    const isBare = rows === undefined && !input.complete && input.because === undefined
    if (input.as === undefined && isBare) return { _tag: "Look" }
    if (input.as === undefined) {
      return yield* wrong(
        "Say what tells: `--results FILE`, an export of the form's results; or by hand `--as landed` or `--as not-landed`.",
      )
    }
    if (input.complete) return yield* wrong("`--complete` belongs to `--results`.")
    if (rows === undefined || more !== undefined) {
      return yield* wrong("Say which rows, in one way: `--all`, `--batch ID` or `--rows KEY…`.")
    }
    if (input.because === undefined || input.because.trim() === "") {
      return yield* wrong("`--because` needs a reason: it is kept with what was settled.")
    }
    return { _tag: "Person", landed: input.as === "landed", which: rows }
  })
