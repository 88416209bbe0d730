// Calls about runs, and about what they left.
import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import * as Chunk from "effect/Chunk"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { reasonIn, reasonPlaceholder, reasonWanted } from "../domain/reason.ts"
import { afterTestEntry, nextRunTexts, settleAdvice, settledText } from "../domain/settled.ts"
import { commandLine } from "../domain/shell.ts"
import { named, storeFile } from "../jobs/newSource.ts"
import { fixRejected, shownRejected } from "../jobs/rejectedRows.ts"
import { findReport } from "../jobs/report.ts"
import { type SettleEvidence, settlePipeline } from "../jobs/settle.ts"
import { userName } from "../jobs/userName.ts"
import { disk } from "../project/disk.ts"
import { Refused, StudioApi } from "./Api.ts"
import { answering, answeringOf, projectWith, Studio } from "./Studio.ts"

/** How many runs, or rows in doubt, are shown. */
const mostShown = 200

export const runCalls = HttpApiBuilder.group(StudioApi, "runs", (handlers) =>
  handlers
    .handle("start", ({ payload }) => Effect.flatMap(Studio, ({ jobs }) => jobs.start(payload)))
    .handle(
      "answer",
      ({ payload: { job, service } }) => Effect.flatMap(Studio, ({ jobs }) => jobs.answer(job, service)),
    )
    .handle("stop", ({ payload: { job } }) => Effect.flatMap(Studio, ({ jobs }) => jobs.stop(job)))
    .handleRaw("events", () =>
      Effect.map(Studio, ({ jobs }) =>
        HttpServerResponse.stream(
          Stream.encodeText(
            // The page waits for the first bytes to know that the connection is open.
            Stream.prepend(Stream.map(jobs.changes, (job) => `data: ${JSON.stringify(job)}\n\n`), Chunk.of(":\n\n")),
          ),
          { contentType: "text/event-stream" },
        ))))

export const resultCalls = HttpApiBuilder.group(StudioApi, "results", (handlers) =>
  handlers
    .handle("report", ({ payload: { pipeline, run } }) =>
      answering(Effect.fn(function*() {
        const { older, report, runs, warnings } = yield* findReport(yield* projectWith([]), pipeline, run, mostShown)
        return { report, runs, warnings, allRuns: runs.length + older }
      })))
    .handle("rejected", ({ payload: { pipeline, rows, run } }) =>
      answeringOf((project) => shownRejected(project, pipeline, run, rows)))
    .handle("fix", ({ payload }) =>
      answeringOf((project) => Effect.as(fixRejected(project, payload), {})))
    .handle("doubts", ({ payload }) => answering(() => settled(payload, { _tag: "Nothing" })))
    .handleRaw("settle", ({ request, urlParams: { complete = false, name, ...about } }) =>
      answering(Effect.fn(function*({ maxUpload }) {
        const { fs, path } = yield* disk
        if (complete && reasonIn(about.because ?? "") === undefined) {
          return yield* new Refused({ code: "NothingSettled", message: `Give ${reasonWanted}: it is recorded.` })
        }
        const folder = yield* fs.makeTempDirectoryScoped({ prefix: "formferry-settle-" })
        const file = yield* storeFile(request.stream, folder, name, maxUpload)
        const place = path.join(folder, file)
        return yield* named(settled(about, { _tag: "Export", file: place, isComplete: complete }), place, name)
      }))))

/** The rows that are settled, and why. */
type About = Readonly<{ pipeline: string; to?: string | undefined; because?: string | undefined }>

const settled = ({ because = "", pipeline, to }: About, evidence: SettleEvidence) =>
  Effect.gen(function*() {
    const project = yield* projectWith([pipeline])
    const by = yield* userName
    const result = yield* settlePipeline(project, { pipeline, to, evidence, by, because: because.trim() || undefined })
    const options = { "--to": to, "--as": "landed", "--rows": "KEY", "--because": reasonPlaceholder }
    const { testEntry } = result
    const known = evidence._tag === "Nothing" && testEntry !== undefined ? [afterTestEntry(testEntry)] : []
    const advice = settleAdvice(result, {
      vouch: "tick the box below, give the reason and choose the export again",
      settle: `settle them in a terminal with \`${commandLine(["settle", pipeline], options)}\` or --as not-landed`,
    })
    const open = result.rows.filter(({ outcome }) => outcome === "in doubt")
    const { left, warnings } = result
    const done = evidence._tag === "Nothing" ? [] : [settledText(result), ...nextRunTexts(result)]
    return { done, left, warnings, rows: open.slice(0, mostShown), advice: [...known, ...advice] }
  })
