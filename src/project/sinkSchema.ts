import { Duration, Schema } from "effect"
import { expecting, needed, optional, withRules } from "./annotated.ts"
import { byName, Identifier, Name, Time, whole } from "./scalars.ts"
import { stopFields } from "./stopLimit.ts"

const destination = {
  service: optional(Identifier, { description: "The service, by its name in config/formferry.yaml" }),
  form: optional(Name, { description: "The form's id in the service" }),
}

const Target = Schema.Struct({
  service: needed(Identifier, { description: "The service, by its name in config/formferry.yaml" }),
  form: needed(Name, { description: "The form's id in the service" }),
}).annotations({ identifier: "Target" })

export const sink = withRules(
  Schema.Struct({
    ...destination,
    targets: optional(byName(Target).annotations(expecting("targets by name")), {
      description: "Several destinations by name, chosen with --to; instead of service and form",
    }),
    alongside: optional(Schema.Array(Identifier), { description: "Other pipelines that feed the same form" }),
    batchSize: optional(whole(1, 10), { description: "Rows in one request", default: 10 }),
    concurrency: optional(whole(1, 64), { description: "Batches in flight", default: 4 }),
    retries: optional(
      Schema.Struct({
        attempts: optional(whole(1, 100), { description: "Attempts in all", default: 6 }),
        base: optional(Time, { description: "The first wait", default: Duration.millis(500) }),
        max: optional(Time, { description: "The longest wait", default: Duration.seconds(30) }),
      }),
      { description: "How often something that was proven not to have arrived is tried again" },
    ),
    inDoubt: optional(Schema.Literal("hold", "resend"), {
      description: "Rows whose outcome is not known: held, or sent once more in the next run (may create duplicates)",
      default: "hold",
    }),
    onChange: optional(Schema.Literal("report", "ignore", "import-again"), {
      description:
        "Rows that changed since they were imported: reported, ignored, or imported once more beside what they were, for the service can't change a submission (needs columns as rowKey)",
      default: "report",
    }),
    blankRows: optional(Schema.Literal("reject", "allow"), {
      description: "Rows of which no answer comes from a cell: rejected as `blank-row`, or sent",
      default: "reject",
    }),
    canary: optional(
      Schema.Union(whole(1, 10), Schema.Literal("off")).annotations(
        expecting("a number of rows from 1 to 10, or `off`"),
      ),
      { description: "Rows that are sent and verified before all others, at most; or off", default: 10 },
    ),
    stopWhen: optional(
      Schema.Struct({
        ...stopFields,
      }),
      { description: "Limits that stop the run" },
    ),
    stamp: optional(
      Schema.Struct({
        urlParameter: needed(Name, {
          description: "The URL parameter, by name, that carries the row key",
          examples: ["row_key"],
        }),
      }),
      {
        description: "Sends the row key along, so that people can find a row's submission",
        examples: [{ urlParameter: "row_key" }],
      },
    ),
  }),
  { exactlyOne: ["service", "targets"], needs: { service: ["form"] }, excludes: { targets: ["form"] } },
)
