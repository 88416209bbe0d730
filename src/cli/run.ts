import { Args, Command, Options, Prompt } from "@effect/cli"
import { Path } from "@effect/platform"
import { Effect, Option } from "effect"
import type { SendQuestion } from "../jobs/run.ts"
import { count } from "../report/words.ts"
import { UsageWrong } from "./Failure.ts"
import { Invocation } from "./Invocation.ts"
import { openProject } from "./openProject.ts"
import { Output } from "./Output.ts"
import { progressOf } from "./progress.ts"
import { runOptions } from "./runOptions.ts"
import { oneByOne, showRun } from "./runs.ts"
import { cutToWidth } from "./show/fit.ts"

const { json, limit, redact, retryRefused, source, to } = runOptions

const options = {
  to,
  source,
  dryRun: Options.boolean("dry-run").pipe(
    Options.withDescription("Read, map and check every row and write the full report, but send nothing."),
  ),
  limit,
  retryRefused,
  confirm: Options.text("confirm").pipe(
    Options.withPseudoName("SERVICE"),
    Options.withDescription("Confirms that rows may be sent to this service, which can't be undone."),
    Options.optional,
    Options.map(Option.getOrUndefined),
  ),
  redact,
  json,
}

const names = Args.text({ name: "NAME" }).pipe(
  Args.withDescription("Names of pipelines; several run one after the other."),
  Args.atLeast(1),
)

const about =
  "Runs pipelines: checks, sends a few rows first, then the others, reads every submission back, and reports."

/** `run NAME…`: the main job. */
export const run = {
  name: "run",
  about,
  options,
  command: Command.make("run", { ...options, names }, (input) =>
    Effect.gen(function*() {
      const path = yield* Path.Path
      const output = yield* Output
      const invocation = yield* Invocation
      if (input.source !== undefined && input.names.length > 1) {
        return yield* new UsageWrong({
          message: "`--source` feeds a file to one pipeline: name only one.",
          command: "run",
        })
      }
      const project = yield* openProject(input.names)
      const { attempt } = yield* Effect.promise(() => import("../jobs/attempt.ts"))
      const { shareServices } = yield* Effect.promise(() => import("../jobs/shareServices.ts"))
      const services = yield* shareServices
      const prompts = yield* Effect.context<Prompt.Prompt.Environment>()
      yield* oneByOne(input.names, (pipeline, interrupted) =>
        Effect.gen(function*() {
          const progress = yield* progressOf(pipeline)
          const report = yield* attempt(project, {
            pipeline,
            to: input.to,
            source: input.source === undefined ? undefined : path.resolve(input.source),
            projectOption: invocation.project,
            dryRun: input.dryRun,
            limit: input.limit,
            retryRefused: input.retryRefused,
            redact: input.redact,
            services,
            confirm: (service) => input.confirm === service,
            ask: input.confirm !== undefined || invocation.json || !output.interactive
              ? undefined
              : (question) =>
                progress.done.pipe(
                  Effect.zipRight(Effect.raceFirst(ask(question), Effect.as(interrupted, false))),
                  Effect.provide(prompts),
                ),
            progress: progress.show,
            // The summary tells them; with --json they are events of their own.
            warn: (warnings) =>
              invocation.json && warnings.length > 0
                ? output.print(JSON.stringify({ event: "warnings", pipeline, warnings }))
                : Effect.void,
            interrupted,
          }).pipe(Effect.ensuring(progress.done))
          return yield* showRun(project, report)
        }))
    }).pipe(Effect.scoped)).pipe(Command.withDescription(about)),
}

/** Asks the person at the terminal; Ctrl-C means no. */
const ask = ({ form, rows, service }: SendQuestion) => {
  const sent = rows === 1 ? "1 row" : `${count(rows)} rows`
  const to = `${cutToWidth(form.name, 60)} (${cutToWidth(form.id, 40)})`
  return Prompt.run(Prompt.confirm({
    message: `Writes to ${service} can't be undone. ${sent} will be sent to form ${to}. Continue?`,
    initial: false,
  })).pipe(Effect.orElseSucceed(() => false))
}
