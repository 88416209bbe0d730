import * as Effect from "effect/Effect"
import { anyKeyOf, counted } from "../domain/words.ts"
import { userName } from "../jobs/userName.ts"
import { command, flag, json, neededReason, pipeline, texts, to } from "./command.ts"
import { wrong } from "./Failure.ts"
import { openProject } from "./openProject.ts"

export const acknowledge = command({
  name: "acknowledge",
  about:
    "Records that you have reviewed rejected, changed, differing or in-doubt rows. They no longer raise the exit code.",
  examples: [
    { words: "acknowledge contacts --rows K-17 K-18 --because 'left the company'", about: "Acknowledges two rows." },
    {
      words: "acknowledge contacts --all --leave-out --because 'test data'",
      about: "Acknowledges all rows that need review, and never imports them.",
    },
  ],
  arguments: { pipeline },
  options: {
    rows: texts("KEY", "Row keys: the column _key of rejected.csv."),
    all: flag("All rows of the pipeline that need review."),
    because: neededReason("The reason, which is recorded."),
    leaveOut: flag("Never import these rows."),
    to,
    json,
  },
  *run(input, { output }) {
    if (input.all === (input.rows.length > 0)) {
      return yield* wrong("Choose the rows: give either `--rows KEY…` or `--all`.")
    }
    const project = yield* openProject([input.pipeline])
    const job = yield* Effect.promise(() => import("../jobs/acknowledge.ts"))
    const by = yield* userName
    const { acknowledged, duplicates, unknown } = yield* job.acknowledge(project, {
      ...input,
      keys: input.all ? "all" : [...new Set(input.rows)],
      by,
    })
    if (unknown.length > 0) {
      output.say(`No row that needs review has ${anyKeyOf(unknown)}.`)
    }
    yield* output.print(
      input.json
        ? JSON.stringify({ pipeline: input.pipeline, acknowledged, unknown, by, because: input.because })
        : `${counted(acknowledged, "row")} acknowledged by ${by}: ${input.because}`
          + (duplicates === undefined ? "" : `. ${acknowledged === 1 ? "It is" : "They are"} never imported`)
          + (duplicates === undefined || duplicates === 0
            ? ""
            : `, but ${
              counted(duplicates, "duplicate is", "duplicates are")
            } only skipped as long as another row has the same key`)
          + (duplicates === undefined ? "" : "."),
    )
  },
})
