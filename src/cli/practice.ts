import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import { command, filePath, json, wholeNumber } from "./command.ts"
import { openProject } from "./openProject.ts"
import { Interrupts } from "./runMain.ts"

export const practice = command({
  name: "practice",
  about:
    "Serves the practice service on this machine: a form service to try pipelines with. Nothing leaves the machine.",
  examples: [
    { words: "practice --forms forms --port 8080", about: "Serves the forms of a folder until Ctrl-C." },
    { words: "practice --faults faults.yaml", about: "Serves the project's forms, with faults that you choose." },
  ],
  arguments: {},
  options: {
    port: wholeNumber(0, "The port on 127.0.0.1. Default: any free one.", 65_535),
    forms: filePath("DIR", "A folder of form files. Default: the forms of the project's practice service."),
    faults: filePath("FILE", "A faults file: what fails, how often, and the seed."),
    json,
  },
  *run(input, { output }) {
    const interrupts = yield* Interrupts
    const project = input.forms === undefined ? yield* projectIfAny : undefined
    const { servePractice } = yield* Effect.promise(() => import("../jobs/practice.ts"))
    // The first signal is the normal way to stop the service, not a failure.
    yield* interrupts.takeOver
    const { baseUrl, apiKey, forms, results } = yield* servePractice(project, {
      forms: input.forms,
      faults: input.faults,
      port: input.port ?? 0,
    })
    // This key was made for this process only and is of no use elsewhere.
    const key = Redacted.value(apiKey)
    yield* output.print(
      input.json
        ? JSON.stringify({ baseUrl, apiKey: key, results, forms })
        : `Base URL  ${baseUrl}\nAPI key   ${key}\nResults   ${results}\nForms     ${
          forms.map(({ id, name }) => `${id} (${name})`).join("\n          ")
        }`,
    )
    output.say("The practice service is running. Ctrl-C stops it.")
    yield* interrupts.first
  },
})

const projectIfAny = openProject([]).pipe(
  Effect.asSome,
  Effect.catchTag("ProjectNotFound", () => Effect.succeedNone),
  Effect.map(Option.getOrUndefined),
)
