import { Command, Options } from "@effect/cli"
import { Effect } from "effect"
import { counted } from "../report/words.ts"
import { json, pipeline, to } from "./arguments.ts"
import { UsageWrong } from "./Failure.ts"
import { openProject } from "./openProject.ts"
import { Output } from "./Output.ts"
import { userName } from "./userName.ts"

const options = {
  rows: Options.text("rows").pipe(
    Options.withPseudoName("KEY"),
    Options.withDescription("Keys of the rows, several behind one another: the column _key of rejected.csv."),
    Options.repeated,
  ),
  all: Options.boolean("all").pipe(Options.withDescription("All rows of the pipeline that need a person.")),
  because: Options.text("because").pipe(
    Options.withPseudoName("TEXT"),
    Options.withDescription("Why this is in order."),
  ),
  leaveOut: Options.boolean("leave-out").pipe(Options.withDescription("Never import these rows.")),
  to,
  json,
}

const about =
  "Records that a person has seen rows that were rejected, changed, differ or are in doubt: they stop raising the exit status."

/** `acknowledge NAME (--rows KEY… | --all) --because TEXT`: a person has seen these rows. */
export const acknowledge = {
  name: "acknowledge",
  about,
  options,
  command: Command.make("acknowledge", { ...options, pipeline }, (input) =>
    Effect.gen(function*() {
      const output = yield* Output
      if (input.all === (input.rows.length > 0)) {
        const message = "Say which rows: either `--rows KEY…` or `--all`."
        return yield* new UsageWrong({ message, command: "acknowledge" })
      }
      if (input.because.trim() === "") {
        return yield* new UsageWrong({ message: "`--because` needs a reason.", command: "acknowledge" })
      }
      const project = yield* openProject([input.pipeline])
      const job = yield* Effect.promise(() => import("../jobs/acknowledge.ts"))
      const by = yield* userName
      const { acknowledged, unknown } = yield* job.acknowledge(project, {
        pipeline: input.pipeline,
        to: input.to,
        keys: input.all ? "all" : [...new Set(input.rows)],
        because: input.because,
        by,
        leaveOut: input.leaveOut,
      })
      if (unknown.length > 0) {
        output.tell(
          `No row that needs a person has ${unknown.length === 1 ? "the key" : "the keys"} ${unknown.join(", ")}.`,
        )
      }
      yield* output.print(
        input.json
          ? JSON.stringify({ pipeline: input.pipeline, acknowledged, unknown, by, because: input.because })
          : `${counted(acknowledged, "row")} acknowledged by ${by}: ${input.because}`
            + (input.leaveOut ? ". They are never imported." : ""),
      )
    })).pipe(Command.withDescription(about)),
}
