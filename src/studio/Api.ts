// The studio's interface: what the page asks and what the server answers. The page imports only its types.
import * as HttpApi from "@effect/platform/HttpApi"
import * as HttpApiEndpoint from "@effect/platform/HttpApiEndpoint"
import * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import * as HttpApiSchema from "@effect/platform/HttpApiSchema"
import * as Schema from "effect/Schema"
import type { CheckedData } from "../domain/checkedData.ts"
import type { InspectedColumn } from "../domain/inspectedColumn.ts"
import type { PreviewedRow } from "../domain/previewedRow.ts"
import type { Progress } from "../domain/progress.ts"
import { RunReport } from "../domain/report.ts"
import { Count, Flag, Text, Value } from "../domain/reportFields.ts"
import { modes, outcomes, recordedModes } from "../domain/run.ts"
import type { SettleResult } from "../domain/settled.ts"
import { Operation } from "../jobs/draftEdit.ts"
import { DiagnosticSchema } from "../project/errors.ts"

const may = Schema.optional
const number = Schema.Number
const string = Schema.String

/** A list, with an optional description. */
const List = <A extends Schema.Schema.Any>(member: A, description = "") =>
  Schema.Array(member).annotations({ description })

const struct = Schema.Struct

/** What a job returns, as the job declares it. The page and the server are always of the same build. */
const Shown = <A>() => Schema.declare((shown: unknown): shown is A => shown !== undefined)

// Errors

/** A call that could not be done. Nothing was changed. */
export class Refused extends Schema.TaggedError<Refused>()("Refused", {
  /** The tag of the job's error, such as `SourceError`. */
  code: string,
  message: string,
  /** The mistakes in configuration files, if that is the reason. */
  diagnostics: List(DiagnosticSchema).pipe(Schema.propertySignature, Schema.withConstructorDefault(() => [])),
}, HttpApiSchema.annotations({ status: 422 })) {}

/** A file was changed since the page read it. Nothing was written. Contains what the file says now. */
export class Conflict extends Schema.TaggedError<Conflict>()("Conflict", {
  message: string,
  text: string,
  version: string,
}, HttpApiSchema.annotations({ status: 409 })) {}

// Home

const Named = struct({ id: Text("the id"), name: Text("the name") })

const VerdictCounts = struct({ verified: number, differing: number, missing: number, unread: number })

/** A past run, which the home page shows as a bar. */
const RunBar = struct({
  run: Text("the run's id"),
  mode: Schema.Literal(...recordedModes),
  startedAt: Text("when the run started, ISO 8601"),
  outcome: may(Schema.Literal(...outcomes)),
  sent: may(Count("rows for which it created submissions")),
})
export type RunBar = typeof RunBar.Type

/** What the ledger contains for a pipeline at one destination, as in `status`. */
const StandingCard = struct({
  to: may(Text("the name of the target, if the pipeline has several")),
  service: Text("the service's address"),
  form: Text("the form's id"),
  imported: Count("rows that have a submission"),
  inDoubt: Count("rows in doubt"),
  refused: Count("rows that the service refused"),
  verdicts: VerdictCounts,
  going: may(struct({ run: Text("a run in progress"), since: Text("since when, ISO 8601") })),
  runs: List(RunBar, "the last runs, the newest first"),
})

const PipelineCard = struct({
  name: Text("the pipeline's name"),
  targets: List(struct({ to: string, service: string, form: string }), "empty: it has one target without a name"),
  standings: List(StandingCard, "empty: nothing was sent yet"),
  nextRun: may(Text("the next scheduled run, ISO 8601 with offset")),
  notBegun: may(Text("when a scheduled run was due that failed before it started")),
  problem: may(Text("why runs are refused, if the ledger is the reason")),
})
export type PipelineCard = typeof PipelineCard.Type

const Home = struct({
  folder: Text("the name of the project's folder"),
  isDemo: Flag("whether this is the demonstration project"),
  pipelines: List(PipelineCard),
  services: List(string, "the names of the project's services"),
  diagnostics: List(DiagnosticSchema, "mistakes in files that can't be read"),
})
export type Home = typeof Home.Type

// Drafts. A draft is a text that the page keeps. The server keeps none, so tabs don't disturb each other.

/** A pipeline's text, which may differ from its file. */
const Draft = struct({ pipeline: Text("the pipeline's name"), text: Text("the text of its file, as edited") })

/** A pipeline's file. */
const PipelineFile = struct({
  ...Draft.fields,
  file: Text("the file, from the project's folder"),
  version: Text("the digest of the file's content"),
})

export type SurveyedColumn = Omit<InspectedColumn, "described">

/** Columns that may answer a question. */
const Candidate = struct({
  columns: List(number, "their positions, counting from 1"),
  shown: Text("their names, or the title of their block"),
  confidence: Count("0 to 1"),
  because: List(string, "what the confidence is based on"),
  cells: List(string, "a few of their cells"),
})
export type Candidate = typeof Candidate.Type

const SurveyedQuestion = struct({
  ...Named.fields,
  type: may(Text("the question's type, if the service returns one")),
  options: may(List(struct({ value: string, label: string }))),
  candidates: List(Candidate),
})
export type SurveyedQuestion = typeof SurveyedQuestion.Type

/** The source's columns, the form's questions, and what connects them. It doesn't depend on the draft's mapping. */
const Survey = struct({
  rows: Count("the rows that were read"),
  isWhole: Flag("whether these are all rows of the source"),
  warnings: List(string),
  tool: may(Text("the form tool that wrote the source")),
  columns: Shown<ReadonlyArray<SurveyedColumn>>(),
  form: struct({ ...Named.fields, service: Text("the service's name in the project") }),
  questions: List(SurveyedQuestion),
  rowKeys: List(struct({ columns: List(string), because: string })),
})
export type Survey = typeof Survey.Type

/** What a draft says about a question. */
const QuestionState = struct({
  id: Text("the question's id"),
  /** `open`: a comment proposes an entry. `unanswered`: on purpose (`ignoreQuestions`). `missing`: not mentioned. */
  state: Schema.Literal("mapped", "open", "unanswered", "missing"),
  from: List(number, "the columns of a mapped question, counting from 1"),
  shown: may(Text("the columns' names, the block's title or the constant")),
  as: may(Text("the kind of value, if the draft names one")),
  confidence: may(Count("absent: a person wrote or reviewed the entry")),
  required: Flag("whether the entry requires an answer"),
  /** The entry's own `values`: cells and their answers, the first 200. */
  values: may(Schema.Record({ key: string, value: Value("the answer; null: none") })),
  line: may(Count("the entry's first line in the text, counting from 1")),
})
export type QuestionState = typeof QuestionState.Type

/** What is wrong and what is open in a draft. Reads the source's header, not its rows. */
const DraftState = struct({
  diagnostics: List(
    DiagnosticSchema,
    "as in `check`, about this text and the project's file; `isRunnable` is false if one is an error",
  ),
  failures: List(string, "why the source, the form or the ledger can't be used"),
  isRunnable: Flag("whether `check` would find no error before it reads the rows"),
  questions: List(QuestionState, "empty if the text can't be read"),
  unused: List(number, "columns that the draft doesn't mention, counting from 1: their cells are left behind"),
  /** The names of the columns that identify a row. `open`: a person must decide. */
  rowKey: Schema.Union(List(string), Schema.Literal("content", "open")),
  proposals: List(struct({ key: Schema.Literal("empty", "where"), value: Value("the proposed value") })),
  openTimes: List(Schema.Literal("submissionTime", "lastUpdatedAt")),
})
export type DraftState = typeof DraftState.Type

/** A key of an entry that only a person can decide, such as a date's format. */
const Ask = struct({
  key: Text("the entry's key, such as `format`"),
  why: Text("why a person must decide"),
  choices: List(struct({
    value: Text("a value to choose"),
    samples: List(struct({ cell: string, value: may(Value("what this value reads from the cell; absent: nothing")) })),
  })).annotations({ description: "empty: any text" }),
})
export type Ask = typeof Ask.Type

const OpenChoice = struct({
  choice: Text("a cell that is not an option"),
  count: Count("the number of cells that contain it"),
  likely: may(Text("the label of the option that it most likely means")),
})

const Edited = struct({
  text: Text("the draft's new text"),
  entry: may(struct({
    kind: may(string),
    asks: List(
      Ask,
      "open questions about the entry: repeat the operation with `answers`. Until then, the entry is a comment",
    ),
    open: may(Text("what is open but can't be settled by an answer")),
    misfit: may(Text("why the columns' cells don't fit the question")),
    choices: List(OpenChoice),
  })).annotations({ description: "after `Map` and `MapTime`" }),
})
export type Edited = typeof Edited.Type

/** What reading rows through a draft's mapping shows, and whether all rows of the source were read. */
export type Counts = CheckedData & { readonly isWhole: boolean }

// Runs

const Question = struct({
  service: Text("the service to which rows are sent: type this name to confirm"),
  form: Named,
  rows: Count("how many rows will be sent"),
  canDelete: Flag("whether the service can delete submissions"),
})

/** A check or a run that was started in the studio. It continues without a page. */
const Job = struct({
  id: Text("the job's id, which is not the run's"),
  pipeline: Text("the pipeline's name"),
  to: may(Text("the target")),
  mode: Schema.Literal("check", ...modes),
  startedAt: Text("when it started, ISO 8601"),
  progress: may(Shown<Progress>()),
  pace: struct({
    rate: may(Count("requests a second, recently")),
    limit: may(Count("requests a second that the project allows; absent: no limit")),
    concurrency: may(Count("requests that may be in flight at the same time; absent: no limit")),
  }),
  state: Schema.Union(
    Schema.TaggedStruct("Running", { stopping: Flag("whether a stop was requested") }),
    Schema.TaggedStruct("Asking", { question: Question }),
    Schema.TaggedStruct("Ended", {
      exitCode: Count("the exit code that the command would have"),
      outcome: may(Schema.Literal(...outcomes)),
      run: may(Text("the run's id, if it left a report")),
      message: Text("what happened, as sentences"),
      diagnostics: List(DiagnosticSchema, "findings of a check, or why a run did not start"),
      next: may(Text("the command to run next")),
    }),
  ),
})
export type Job = typeof Job.Type

// Results

type PastRun = Pick<RunReport, "form" | "mode" | "outcome" | "rows" | "run" | "startedAt">

const Results = struct({
  report: RunReport,
  runs: Shown<ReadonlyArray<PastRun>>().annotations({
    description: "runs with a report, the newest first; at most 200",
  }),
  rejected: Count("rows of rejected.csv"),
})

const RejectedRows = struct({
  columns: List(string, "the titles of the source's columns"),
  total: Count("all rejected rows"),
  fixed: Flag("whether this is the fixed file"),
  unfixable: may(Text("why the rows can't be fixed and sent, if they can't")),
  version: Text("the digest of the file that is shown"),
  rows: List(struct({
    index: Count("the row's place in the file, counting from 0"),
    row: Text("the row's number in the source"),
    key: Text("the row key"),
    codes: Text("the codes of its problems"),
    wrong: List(string, "the columns that cause its problems"),
    message: Text("a sentence about each problem"),
    cells: List(string),
  })),
})
export type RejectedRows = typeof RejectedRows.Type

/** How rows in doubt were settled, what to do about those that were not, and the first 200 of them. */
export type Settled = Omit<SettleResult, "file" | "list"> & { readonly advice: ReadonlyArray<string> }

// Endpoints. Every call is `POST /api/GROUP/NAME` with a JSON body.

const call = <const Name extends string, P extends Schema.Schema.Any, A extends Schema.Schema.Any>(
  name: Name,
  payload: P & HttpApiEndpoint.HttpApiEndpoint.ValidatePayload<"POST", P>,
  success: A,
) => HttpApiEndpoint.post(name, `/${name}`).setPayload(payload).addSuccess(success).addError(Refused)

const ofPipeline = struct({ pipeline: Text("the pipeline's name") })
const ofTarget = struct({ ...ofPipeline.fields, to: may(Text("the target, if the pipeline has several")) })
const ofRun = struct({ ...ofPipeline.fields, run: Text("the run's id") })
const ofJob = struct({ job: Text("the job's id") })

const project = HttpApiGroup.make("project")
  .add(call("home", struct({}), Home))
  .add(call("forms", struct({ service: string }), List(Named)))
  .add(call(
    "create",
    struct({
      pipeline: Text("the new pipeline's name"),
      source: Text("the source: a file of `upload`, or a path in the project's folder"),
      service: string,
      form: Text("the form's id"),
    }),
    PipelineFile,
  ))
  // How many rows `create` has read so far, and out of how many if that is known.
  .add(call("reading", ofPipeline, struct({ rows: may(number), of: may(number) })))
  .add(
    HttpApiEndpoint.post("upload", "/upload")
      .setUrlParams(struct({ name: Text("the file's name") }))
      .addSuccess(struct({ file: Text("where it was stored, from the project's folder"), bytes: number }))
      .addError(Refused),
  )
  .prefix("/project")

const draft = HttpApiGroup.make("draft")
  .add(call("open", ofPipeline, PipelineFile))
  .add(call("survey", struct({ ...Draft.fields, whole: Schema.Boolean }), Survey))
  .add(call("state", Draft, DraftState))
  .add(call("edit", struct({ ...Draft.fields, operation: Operation }), Edited))
  .add(
    call(
      "preview",
      struct({ ...Draft.fields, row: number, rows: number }),
      Shown<{ readonly rows: ReadonlyArray<PreviewedRow> }>(),
    ),
  )
  .add(call("counts", struct({ ...Draft.fields, whole: Schema.Boolean }), Shown<Counts>()))
  .add(call("schema", Draft, Schema.Unknown.annotations({ description: "the JSON Schema of the pipeline's file" })))
  .add(call("save", struct({ ...Draft.fields, version: string }), PipelineFile).addError(Conflict))
  .prefix("/draft")

const runs = HttpApiGroup.make("runs")
  .add(call(
    "start",
    struct({
      ...ofTarget.fields,
      mode: Schema.Literal("check", "rehearsal", "dry-run", "run"),
      limit: may(Count("send at most this many new rows")),
      fixedOf: may(Text("the id of a run whose fixed rejected rows are the source")),
    }),
    Job,
  ))
  .add(call("confirm", struct({ ...ofJob.fields, service: Text("as a person typed it") }), Job))
  .add(call("decline", ofJob, Job))
  .add(call("stop", ofJob, Job))
  // Each job is sent when the page connects, and when it changes.
  .add(HttpApiEndpoint.get("events", "/events").addSuccess(HttpApiSchema.Text({ contentType: "text/event-stream" })))
  .prefix("/runs")

const results = HttpApiGroup.make("results")
  .add(call("report", struct({ ...ofPipeline.fields, run: may(string) }), Results))
  .add(call("rejected", struct({ ...ofRun.fields, from: number, rows: number }), RejectedRows))
  .add(
    call(
      "fix",
      struct({
        ...ofRun.fields,
        version: string,
        cells: List(struct({ index: number, column: number, text: string }), "the fixed cells; `column` counts from 0"),
      }),
      struct({ version: string, file: string }),
    ).addError(Conflict),
  )
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
      readonly query: HttpApiEndpoint.HttpApiEndpoint.UrlParams<E>
      readonly success: HttpApiEndpoint.HttpApiEndpoint.Success<E>
    }
  }
}
