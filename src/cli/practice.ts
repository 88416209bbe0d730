import { Command, Options } from "@effect/cli"
import { Path } from "@effect/platform"
import { Effect, Option, Redacted } from "effect"
import { json, wholeNumber } from "./arguments.ts"
import { Interrupts } from "./Interrupts.ts"
import { openProject } from "./openProject.ts"
import { Output } from "./Output.ts"

const options = {
  port: wholeNumber("port", 0, 65_535).pipe(
    Options.withDescription("The port on 127.0.0.1 to listen on; 0, the default, takes any free one."),
    Options.withDefault(0),
  ),
  forms: Options.text("forms").pipe(
    Options.withPseudoName("DIR"),
    Options.withDescription("A folder of form files to serve; without it those of the project's practice service."),
    Options.optional,
    Options.map(Option.getOrUndefined),
  ),
  faults: Options.text("faults").pipe(
    Options.withPseudoName("FILE"),
    Options.withDescription("A faults file: what goes wrong, how often, and by which seed."),
    Options.optional,
    Options.map(Option.getOrUndefined),
  ),
  json,
}

const about = "Serves the practice service on this machine: a form service that keeps what it is sent to itself."

/** `practice`: the practice service on its own, until Ctrl-C. */
export const practice = {
  name: "practice",
  about,
  options,
  command: Command.make("practice", options, (input) =>
    Effect.scoped(Effect.gen(function*() {
      const output = yield* Output
      const path = yield* Path.Path
      const interrupts = yield* Interrupts
      const project = input.forms === undefined ? yield* projectIfAny : undefined
      const { servePractice } = yield* Effect.promise(() => import("../jobs/practice.ts"))
      // To end it is what the first signal is for here, not a failure.
      yield* interrupts.takeOver
      const { baseUrl, apiKey, forms, results } = yield* servePractice(project, {
        forms: input.forms === undefined ? undefined : path.resolve(input.forms),
        faults: input.faults === undefined ? undefined : path.resolve(input.faults),
        port: input.port,
      })
      // Its own key, made for this process, opens nothing else.
      const key = Redacted.value(apiKey)
      yield* output.print(
        input.json
          ? JSON.stringify({ baseUrl, apiKey: key, results, forms })
          : `Base URL  ${baseUrl}\nAPI key   ${key}\nResults   ${results}\nForms     ${
            forms.map(({ id, name }) => `${id} (${name})`).join("\n          ")
          }`,
      )
      output.tell("The practice service is running. Ctrl-C ends it.")
      yield* interrupts.first
    }))).pipe(Command.withDescription(about)),
}

const projectIfAny = openProject([]).pipe(
  Effect.asSome,
  Effect.catchTag("ProjectNotFound", () => Effect.succeedNone),
  Effect.map(Option.getOrUndefined),
)
