// The studio's interface: what the page asks and what the server answers. The page imports only its types.
import * as HttpApi from "@effect/platform/HttpApi"
import * as HttpApiEndpoint from "@effect/platform/HttpApiEndpoint"
import * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import * as HttpApiSchema from "@effect/platform/HttpApiSchema"
import * as Schema from "effect/Schema"
import type { DraftCounts, DraftState, Edited, PipelineFile, ShownSurvey } from "../domain/draft.ts"
import type { PreviewedRows } from "../domain/previewedRow.ts"
import type { ProgressEvent } from "../domain/progress.ts"
import type { RejectedRows } from "../domain/rejectedLine.ts"
import { RunReport } from "../domain/report.ts"
import { Count, Flag, Text } from "../domain/reportFields.ts"
import type { SendQuestion } from "../domain/run.ts"
import type { SettleResult } from "../domain/settled.ts"
import type { Label } from "../domain/words.ts"
import { Operation } from "../jobs/draftEdit.ts"
import type { Overview } from "../jobs/pipelineCard.ts"
import { DiagnosticSchema } from "../project/errors.ts"

const may = Schema.optional
const number = Schema.Number
const string = Schema.String
const struct = Schema.Struct

const List = <A extends Schema.Schema.Any>(member: A, description = "") =>
  Schema.Array(member).annotations({ description })

/** What a job returns, as the job declares it. The page and the server are always of the same build. */
const Shown = <A>() => Schema.declare((shown: unknown): shown is A => shown !== undefined)

// Errors

/** A call that could not be done. */
export class Refused extends Schema.TaggedError<Refused>()("Refused", {
  /** The tag of the job's error, such as `SourceError`. */
  code: string,
  message: string,
  /** If someone else changed the file after the page read it: what it says now, and the digest of that. */
  text: may(string),
  version: may(string),
  /** The mistakes in configuration files, if that is the reason. */
  diagnostics: List(DiagnosticSchema).pipe(Schema.propertySignature, Schema.withConstructorDefault(() => [])),
}, HttpApiSchema.annotations({ status: 422 })) {}

const ofPipeline = struct({ pipeline: Text("the pipeline's name") })
const ofTarget = struct({ ...ofPipeline.fields, to: may(Text("the target, if the pipeline has several")) })

// Home

/** Every pipeline, and whether the project is the demonstration. */
export type Home = Overview & { readonly isDemo: boolean }

// Drafts. A draft is a text that the page keeps. The server keeps none, so tabs don't disturb each other.

/** A pipeline's text, which may differ from its file. */
const Draft = struct({ ...ofPipeline.fields, text: Text("the text of its file, as edited") })

// Runs

const Start = struct({
  ...ofTarget.fields,
  mode: Schema.Literal("check", "rehearsal", "dry-run", "run"),
  fixedOf: may(Text("the id of a run whose fixed rejected rows are the source")),
})

/** A check or a run that was started in the studio. It continues without a page. */
const Job = struct({
  ...Start.fields,
  id: Text("the job's id, which is not the run's"),
  startedAt: Text("when it started, ISO 8601"),
  progress: may(Shown<ProgressEvent>()),
  pace: struct({
    rate: may(Count("requests a second, recently")),
    limit: may(Count("requests a second that the project allows; absent: no limit")),
    concurrency: may(Count("requests that may be in flight at the same time; absent: no limit")),
  }),
  state: Schema.Union(
    Schema.TaggedStruct("Running", { stopping: Flag("whether a stop was requested") }),
    Schema.TaggedStruct("Asking", { question: Shown<SendQuestion>() }),
    Schema.TaggedStruct("Ended", {
      exitCode: Count("the exit code that the command would have"),
      word: Shown<Label>(),
      run: may(Text("the run's id, if it left a report")),
      message: Text("what happened, as sentences"),
      diagnostics: List(DiagnosticSchema, "findings of a check, or why a run did not start"),
      next: may(Text("the command to run next")),
    }),
  ),
})
export type Job = typeof Job.Type

// Results

const PastRun = RunReport.pick("form", "mode", "needReview", "outcome", "rows", "run", "startedAt")

const Results = struct({
  report: struct({
    ...PastRun.fields,
    ...RunReport.pick("anomalies", "because", "differences", "next", "pipeline", "readBack", "warnings")
      .fields,
  }),
  runs: List(PastRun, "the newest runs, the newest first"),
  allRuns: Count("all runs"),
  warnings: List(string, "which reports can't be read"),
})

const FixedCells = List(struct({ row: string, column: number, text: string }), "by the row's name; columns from 0")

/** How rows in doubt were settled, what to do about those that were not, and the first 200 of them. */
export type Settled = Pick<SettleResult, "left" | "rows" | "warnings"> & {
  readonly done: ReadonlyArray<string>
  readonly advice: ReadonlyArray<string>
}

// Endpoints. Every call is `POST /api/GROUP/NAME` with a JSON body.

const call = <const Name extends string, P extends Schema.Schema.Any, A extends Schema.Schema.Any>(
  name: Name,
  payload: P & HttpApiEndpoint.HttpApiEndpoint.ValidatePayload<"POST", P>,
  success: A,
) => HttpApiEndpoint.post(name, `/${name}`).setPayload(payload).addSuccess(success).addError(Refused)

const ofRun = struct({ ...ofPipeline.fields, run: Text("the run's id") })
const ofJob = struct({ job: Text("the job's id") })

const project = HttpApiGroup.make("project")
  .add(call("home", struct({}), Shown<Home>()))
  .add(call("forms", struct({ service: string }), List(struct({ id: string, name: string }))))
  .add(call(
    "create",
    struct({
      pipeline: Text("the new pipeline's name"),
      source: Text("the source: a file of `upload`"),
      service: string,
      form: Text("the form's id"),
    }),
    Shown<PipelineFile>(),
  ))
  // Removes an uploaded file that no pipeline was made from.
  .add(call("discard", struct({ file: Text("a file of `upload`") }), struct({})))
  // How many rows `create` has read so far.
  .add(call("reading", ofPipeline, struct({ rows: may(number) })))
  .add(
    HttpApiEndpoint.post("upload", "/upload")
      .setUrlParams(struct({ name: Text("the file's name") }))
      .addSuccess(struct({ file: Text("where it was stored, from the project's folder") }))
      .addError(Refused),
  )
  .prefix("/project")

const draft = HttpApiGroup.make("draft")
  .add(call("open", ofPipeline, Shown<PipelineFile>()))
  .add(call("survey", struct({ ...Draft.fields, whole: Schema.Boolean }), Shown<ShownSurvey>()))
  .add(call("state", Draft, Shown<DraftState>()))
  .add(call("edit", struct({ ...Draft.fields, operation: Operation }), Shown<Edited>()))
  .add(call("preview", struct({ ...Draft.fields, row: number, rows: number }), Shown<PreviewedRows>()))
  .add(call("counts", struct({ ...Draft.fields, whole: Schema.Boolean }), Shown<DraftCounts>()))
  .add(call("schema", Draft, Schema.Unknown.annotations({ description: "the JSON Schema of the pipeline's file" })))
  .add(call("save", struct({ ...Draft.fields, version: string }), Shown<PipelineFile>()))
  .prefix("/draft")

const runs = HttpApiGroup.make("runs")
  .add(call("start", Start, Job))
  .add(call("answer", struct({ ...ofJob.fields, service: may(Text("as a person typed it; absent: no")) }), Job))
  .add(call("stop", ofJob, Job))
  // Each job is sent when the page connects, and when it changes.
  .add(HttpApiEndpoint.get("events", "/events").addSuccess(HttpApiSchema.Text({ contentType: "text/event-stream" })))
  .prefix("/runs")

const results = HttpApiGroup.make("results")
  .add(call("report", struct({ ...ofPipeline.fields, run: may(string) }), Results))
  .add(call("rejected", struct({ ...ofRun.fields, rows: number }), Shown<RejectedRows>()))
  .add(call("fix", struct({ ...ofRun.fields, version: string, cells: FixedCells }), struct({})))
  .add(call("doubts", ofTarget, Shown<Settled>()))
  .add(
    HttpApiEndpoint.post("settle", "/settle")
      .setUrlParams(struct({
        ...ofTarget.fields,
        name: Text("the export's name"),
        complete: may(Schema.BooleanFromString),
        because: may(string),
      }))
      .addSuccess(Shown<Settled>())
      .addError(Refused),
  )
  .prefix("/results")

export const StudioApi = HttpApi.make("studio").add(project).add(draft).add(runs).add(results).prefix("/api")

type Groups = typeof StudioApi extends HttpApi.HttpApi<string, infer G, infer _E, infer _R> ? G : never

/** What each call takes and returns, by group and name: `Calls["draft"]["open"]["payload"]`. */
export type Calls = {
  readonly [G in Groups as HttpApiGroup.HttpApiGroup.Name<G>]: {
    readonly [E in HttpApiGroup.HttpApiGroup.Endpoints<G> as HttpApiEndpoint.HttpApiEndpoint.Name<E>]: {
      readonly payload: HttpApiEndpoint.HttpApiEndpoint.Payload<E>
      readonly success: HttpApiEndpoint.HttpApiEndpoint.Success<E>
    }
  }
}
