import * as Schema from "effect/Schema"
import type { YamlPath } from "../domain/diagnostic.ts"
import { maxItems } from "../domain/item.ts"
import { filled, Identifier, Name, Share, Time, whole } from "./fields.ts"
import { allDefaults, becoming, expecting, needed, oneOfThese, optional, section } from "./section.ts"

/** Smaller numbers of rows prove nothing. */
export const fewRows = 10

/** A limit: a number of rows, or a share (0 to 1) that applies if there are at least `atLeast` rows (default: `fewRows`). */
export type StopLimit = { readonly rows: number } | { readonly share: number; readonly atLeast?: number }

const Limit = oneOfThese(
  becoming(whole(0), (rows): StopLimit => ({ rows })).annotations(expecting("a number of rows")),
  becoming(Share, (share): StopLimit => ({ share })).annotations(expecting("a share such as `5%`")),
  section({
    share: needed(Share, { description: "The maximum share of the rows" }),
    atLeast: needed(whole(1), { description: "The minimum number of rows for the share to apply" }),
  }),
).annotations({
  ...expecting("a number of rows, a share such as `5%`, or { share: 20%, atLeast: 50 }"),
  identifier: "StopLimit",
  description:
    `A number of rows, or a share of the rows that are new in this run. A share applies only if there are at least ${fewRows} rows`,
})

const limit = (standard: string | number, description: string) => optional(Limit, { description, default: standard })

const stopWhen = section({
  new: limit("100%", "Rows never seen before"),
  replaced: limit(
    "10%",
    "New rows whose answers equal those of a vanished row, apart from formatting and the key, so the key may have changed. A share applies to two rows or more if no imported row is left in the source and most have their answers in new rows. With `rowKey: content`, it applies to any number",
  ),
  changed: limit("10%", "Rows that changed since they were imported"),
  invalid: limit("20%", "Rows that can't be turned into a valid submission"),
  refused: limit("5%", "Rows that the service refused"),
  differing: limit("1%", "Rows that did not come back as they were sent"),
  inDoubt: limit(20, "Rows whose outcome is unknown"),
})

const retries = section({
  attempts: optional(whole(1, 100), { description: "The maximum number of attempts", default: 6 }),
  base: optional(Time, { description: "The first wait", default: "500 millis" }),
  max: optional(Time, { description: "The longest wait", default: "30 seconds" }),
})

/** The destination of the rows. */
interface Target {
  /** Undefined if the pipeline has a single `service` and `form`. */
  readonly target: string | undefined
  readonly service: string
  readonly form: string
  readonly path: YamlPath
}

const service = { description: "The name of a service in config/formferry.yaml" }
const form = { description: "The form's id in the service" }

const Targets = becoming(
  filled(
    Identifier,
    section({ service: needed(Identifier, service), form: needed(Name, form) }).annotations({ identifier: "Target" }),
  ),
  (targets, path) =>
    Object.entries(targets).map(([target, place]): Target => ({ target, ...place, path: [...path, target] })),
).annotations(expecting("a mapping from names to targets"))

const ParameterName = Name.annotations({ identifier: "UrlParameter.name" })

/** The section that describes where the rows go, and how. */
export const sink = becoming(
  section({
    service: optional(Identifier, service),
    form: optional(Name, form),
    targets: optional(Targets, {
      description: "Several destinations by name, chosen with --to, instead of service and form",
    }),
    alongside: optional(Schema.Array(Identifier), {
      description: "Other pipelines that feed the same form with other rows",
      absent: [],
    }),
    batchSize: optional(whole(1, maxItems), {
      description: "The number of rows in one request",
      default: maxItems,
    }),
    concurrency: optional(whole(1, 64), { description: "The maximum number of batches in flight", default: 4 }),
    retries: optional(retries, {
      description: "How often a request that is proven not to have arrived is retried",
      absent: allDefaults(retries),
    }),
    inDoubt: optional(Schema.Literal("hold", "resend"), {
      description:
        "What to do with rows whose outcome is unknown: hold them, or resend them in the next run, unless their content or the mapping has changed. This may create duplicates",
      default: "hold",
    }),
    onChange: optional(Schema.Literal("report", "ignore", "import-again"), {
      description:
        "What to do with rows that changed since they were imported: report them, ignore them, or import them again. The earlier submission stays, because the service can't change submissions. Needs columns as `rowKey`",
      default: "report",
    }),
    blankRows: optional(Schema.Literal("reject", "allow"), {
      description: "What to do with rows in which no cell gives an answer: reject them as `blank-row`, or send them",
      default: "reject",
    }),
    canary: optional(
      oneOfThese(whole(1, 10), becoming(Schema.Literal("off"), () => 0))
        .annotations(expecting("a number of rows from 1 to 10, or `off`")),
      { description: "The maximum number of rows that are sent and verified before all others, or `off`", default: 10 },
    ),
    stopWhen: optional(stopWhen, { description: "Limits that stop the run", absent: allDefaults(stopWhen) }),
    stamp: optional(
      section({
        urlParameter: optional(ParameterName, {
          description: "The name of the URL parameter that carries the row key",
          examples: ["row_key"],
        }),
        run: optional(ParameterName, {
          description: "The name of the URL parameter that carries the id of the run that sends the row",
          examples: ["run_id"],
        }),
        pipeline: optional(ParameterName, {
          description: "The name of the URL parameter that carries the pipeline's name",
          examples: ["imported_by"],
        }),
      }, { rules: { atLeastOne: ["urlParameter", "run", "pipeline"] } }),
      {
        description:
          "Also sends the row key, the run's id and the pipeline's name, so that people recognise imported submissions. No row counts as changed because of them",
        examples: [{ urlParameter: "row_key", run: "run_id", pipeline: "imported_by" }],
      },
    ),
  }, { rules: { exactlyOne: ["service", "targets"], needs: { service: ["form"] }, excludes: { targets: ["form"] } } }),
  ({ form = "", service = "", targets, ...rest }, path) => ({
    ...rest,
    targets: targets ?? [{ target: undefined, service, form, path } satisfies Target],
  }),
)

export type SinkConfig = typeof sink.Type
