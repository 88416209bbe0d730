import * as Path from "@effect/platform/Path"
import type * as Terminal from "@effect/platform/Terminal"
import * as Effect from "effect/Effect"
import type { SendQuestion } from "../domain/run.ts"
import { count, permanence } from "../domain/words.ts"
import { choosing, command, flag, runOptions, somePipelines, text } from "./command.ts"
import { UsageWrong } from "./Failure.ts"
import { Invocation } from "./Invocation.ts"
import { openChosen } from "./openProject.ts"
import { Output } from "./Output.ts"
import { runPipelines } from "./runs.ts"
import { confirm } from "./terminal/prompt.ts"
import { cutToWidth } from "./terminal/screen.ts"

/** `run NAME…`. */
export const run = command({
  name: "run",
  about:
    "Runs pipelines: checks, sends a few rows first and then the others, reads every submission back, and reports.",
  examples: [
    { words: "run contacts --dry-run", about: "Checks every row and writes the full report. Sends nothing." },
    {
      words: "run contacts --confirm live",
      about: "Runs the pipeline, and confirms that rows may be sent to the service named live.",
    },
    { words: "run --tag nightly --failed", about: "Runs the pipelines tagged nightly again if their last run failed." },
    { words: "run contacts --source reports/contacts/latest/rejected.csv", about: "Imports the rows that you fixed." },
  ],
  arguments: { pipelines: somePipelines },
  options: {
    ...choosing,
    dryRun: flag("Read, map and check every row and write the full report. Send nothing."),
    confirm: text(
      "SERVICE",
      "Confirm that rows may be sent to this service. This can't be undone, unless the service can delete: see `undo`.",
    ),
    ...runOptions,
  },
  run: (input) =>
    Effect.gen(function*() {
      const path = yield* Path.Path
      const output = yield* Output
      const invocation = yield* Invocation
      const { names, project } = yield* openChosen(input)
      if (input.source !== undefined && names.length > 1) {
        return yield* new UsageWrong({ message: "`--source` works with one pipeline only: name exactly one." })
      }
      const { attempt } = yield* Effect.promise(() => import("../jobs/attempt.ts"))
      const { runPipeline } = yield* Effect.promise(() => import("../jobs/run.ts"))
      const { shareServices } = yield* Effect.promise(() => import("../jobs/services.ts"))
      const services = yield* shareServices
      const prompts = yield* Effect.context<Terminal.Terminal>()
      yield* runPipelines(project, names, ({ hideProgress, ...surroundings }) =>
        attempt(
          project,
          surroundings.pipeline,
          runPipeline(project, {
            ...surroundings,
            to: input.to,
            source: input.source === undefined ? undefined : path.resolve(input.source),
            dryRun: input.dryRun,
            limit: input.limit,
            retryRefused: input.retryRefused,
            resendUndone: input.resendUndone,
            full: input.full,
            redact: input.redact,
            services,
            confirm: (service) => input.confirm === service,
            ask: input.confirm !== undefined || invocation.json || !output.interactive
              ? undefined
              : (question) =>
                hideProgress.pipe(
                  Effect.zipRight(Effect.raceFirst(ask(question), Effect.as(surroundings.interrupted, false))),
                  Effect.provide(prompts),
                ),
          }),
        ))
    }).pipe(Effect.scoped),
})

/** Asks whether to send. Ctrl-C means no. */
const ask = ({ canDelete, form, rows, service }: SendQuestion) => {
  const sent = rows === 1 ? "1 row" : `${count(rows)} rows`
  const to = `${cutToWidth(form.name, 60)} (${cutToWidth(form.id, 40)})`
  return confirm(`${permanence(service, canDelete)} ${sent} will be sent to form ${to}. Continue?`).pipe(
    Effect.orElseSucceed(() => false),
  )
}
