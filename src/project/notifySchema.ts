import { Schema } from "effect"
import { outcomes } from "../domain/run.ts"
import { expecting, needed, optional } from "./annotated.ts"
import { secretPlace } from "./secretPlace.ts"

/**
 * What a webhook can be told of: the outcomes of a run; `failed`, when a run ended without a report, or could not begin; `degraded`, when something
 * about a run is unlike the runs before.
 */
export const notices = [...outcomes, "failed", "degraded"] as const

export type Notice = (typeof notices)[number]

/** All that a person has to look at. */
export const usualNotices: ReadonlyArray<Notice> = notices.filter((notice) =>
  notice !== "complete" && notice !== "interrupted"
)

const Webhook = Schema.Struct({
  webhook: needed(
    secretPlace({ what: "the webhook's address", variable: "SLACK_WEBHOOK_URL", file: "/run/secrets/webhook" }),
    { description: "Where the webhook's address is, which is a secret: { env: NAME } or { file: PATH }" },
  ),
  on: optional(
    Schema.NonEmptyArray(Schema.Literal(...notices)).annotations(expecting("a list of outcomes")),
    {
      description:
        "The ends of a run that it is told of: outcomes; `failed`, when a run ended without a report or could not begin; `degraded`, when something about a run is unlike the runs before",
      default: ["attention", "inDoubt", "differing", "stopped", "unavailable", "failed", "degraded"],
    },
  ),
}).annotations({ ...expecting("{ webhook: { env: NAME }, on: [attention, …] }"), identifier: "Webhook" })

/** Who is told how runs end (configuration.md, "config/formferry.yaml"). */
export const Notify = Schema.Array(Webhook).annotations(expecting("a list of webhooks"))
