import * as Effect from "effect/Effect"
import { acceptReasons } from "../domain/acceptance.ts"
import { namesOf } from "../domain/words.ts"
import { userName } from "../jobs/userName.ts"
import { chosenArgument, command, json, neededReason, pipeline, to } from "./command.ts"
import { openProject } from "./openProject.ts"

const meanings = [
  "The reason in the refused run's message:",
  ...Object.entries(acceptReasons).map(([name, meaning]) => `- ${name}: ${meaning}`),
].join("\n")

export const accept = command({
  name: "accept",
  about:
    "Accepts the state that a run refused, so that the next run continues. The acceptance is recorded and covers only this state.",
  examples: [
    {
      words: "accept contacts canary --because 'compared with the form manually'",
      about: "Accepts the failed canary, so that the next run sends the other rows.",
    },
    {
      words: "accept contacts form --because 'the new question stays empty'",
      about: "Accepts the changes to the form.",
    },
  ],
  arguments: {
    pipeline,
    reason: {
      ...chosenArgument("REASON", namesOf(acceptReasons), meanings),
      hint: "A changed address of the service is accepted in config/formferry.yaml: `previousBaseUrls` or `separate`.",
    },
  },
  options: { because: neededReason("The reason, which is recorded."), to, json },
  *run(input, { output }) {
    const project = yield* openProject([input.pipeline])
    const { acceptRefused } = yield* Effect.promise(() => import("../jobs/accept.ts"))
    const by = yield* userName
    const { because, reason } = input
    const { what } = yield* acceptRefused(project, { ...input, by })
    yield* output.print(
      input.json
        ? JSON.stringify({ pipeline: input.pipeline, reason, accepted: what, by, because })
        : `Accepted by ${by}: ${what} Reason: ${because}`,
    )
  },
})
