import { Args, Command, Options } from "@effect/cli"
import { Effect } from "effect"
import { type AcceptReason, acceptReasons } from "../domain/acceptance.ts"
import { nearest, oneOf, quoted } from "../project/suggestion.ts"
import { json, pipeline, to } from "./arguments.ts"
import { UsageWrong } from "./Failure.ts"
import { openProject } from "./openProject.ts"
import { Output } from "./Output.ts"
import { userName } from "./userName.ts"

const options = {
  because: Options.text("because").pipe(
    Options.withPseudoName("TEXT"),
    Options.withDescription("Why this is fine."),
  ),
  to,
  json,
}

const reasons = Object.keys(acceptReasons)

const isReason = (text: string): text is AcceptReason => reasons.includes(text)

const reason = Args.text({ name: "REASON" }).pipe(
  Args.withDescription(Object.entries(acceptReasons).map(([name, meaning]) => `${name}: ${meaning}`).join(" ")),
)

const about =
  "Accepts what a run is refused for, as the refusal says: recorded, and valid for exactly the state that is refused now."

/** `accept NAME REASON --because TEXT`: a person accepts what a run is refused for. */
export const accept = {
  name: "accept",
  about,
  options,
  command: Command.make("accept", { ...options, pipeline, reason }, (input) =>
    Effect.gen(function*() {
      const output = yield* Output
      const wrong = (message: string) => new UsageWrong({ message, command: "accept" })
      if (!isReason(input.reason)) {
        const near = nearest(input.reason, reasons)
        return yield* wrong(
          `There is no reason ${quoted(input.reason)} to accept. ${
            near === undefined
              ? `There ${reasons.length === 1 ? "is" : "are"} ${oneOf(reasons.map(quoted), "and")}.`
              : `Did you mean ${quoted(near)}?`
          }`,
        )
      }
      if (input.because.trim() === "") return yield* wrong("`--because` needs a reason.")
      const project = yield* openProject([input.pipeline])
      const { acceptRefused } = yield* Effect.promise(() => import("../jobs/acceptances.ts"))
      const by = yield* userName
      const { because, reason } = input
      const { what } = yield* acceptRefused(project, { pipeline: input.pipeline, to: input.to, reason, because, by })
      yield* output.print(
        input.json
          ? JSON.stringify({ pipeline: input.pipeline, reason, accepted: what, by, because })
          : `Accepted by ${by}: ${what} Reason: ${because}`,
      )
    })).pipe(Command.withDescription(about)),
}
