import * as FileSystem from "@effect/platform/FileSystem"
import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import * as Path from "@effect/platform/Path"
import * as Effect from "effect/Effect"
import { settleAdvice } from "../domain/settled.ts"
import { commandLine } from "../domain/shell.ts"
import { fixRejected, rejectedRows } from "../jobs/rejectedRows.ts"
import { findReport } from "../jobs/report.ts"
import { type SettleBy, settlePipeline } from "../jobs/settle.ts"
import { userName } from "../jobs/userName.ts"
import { Refused, StudioApi } from "./Api.ts"
import { answering, projectWith, saving } from "./Studio.ts"
import { receiveUpload } from "./uploads.ts"

const runsShown = 200
const rowsShown = 100
const settledShown = 200

export const resultCalls = HttpApiBuilder.group(StudioApi, "results", (handlers) =>
  handlers
    .handle("report", ({ payload: { pipeline, run } }) =>
      answering(Effect.gen(function*() {
        const found = yield* findReport(yield* projectWith([]), pipeline, run)
        const { duplicate, invalid, changed, refused } = found.report.rows
        return {
          report: found.report,
          rejected: invalid + refused + duplicate + changed,
          runs: found.runs.slice(0, runsShown).map(({ form, mode, outcome, rows, run, startedAt }) => (
            { form, mode, outcome, rows, run, startedAt }
          )),
        }
      })))
    .handle("rejected", ({ payload: { from, pipeline, rows, run } }) =>
      answering(Effect.gen(function*() {
        const found = yield* rejectedRows(yield* projectWith([]), pipeline, run)
        const shown = found.rows.slice(from, from + Math.min(rows, rowsShown))
        return {
          columns: found.columns,
          total: found.rows.length,
          fixed: found.isFixed,
          unfixable: found.unfixable,
          version: found.version,
          rows: shown.map((row, at) => ({ ...row, index: from + at })),
        }
      })))
    .handle("fix", ({ payload }) => saving(Effect.flatMap(projectWith([]), (project) => fixRejected(project, payload))))
    .handle("doubts", ({ payload }) => answering(settled(payload, { _tag: "Nothing" })))
    .handleRaw("settle", ({ request, urlParams: { complete = false, name, ...about } }) =>
      answering(Effect.gen(function*() {
        const fs = yield* FileSystem.FileSystem
        const path = yield* Path.Path
        if (complete && (about.because ?? "").trim() === "") {
          return yield* new Refused({ code: "NothingSettled", message: "Give a reason: it is recorded." })
        }
        const folder = yield* fs.makeTempDirectoryScoped({ prefix: "formferry-settle-" })
        const { file } = yield* receiveUpload(request, folder, name)
        return yield* settled(about, { _tag: "Export", file: path.join(folder, file), isComplete: complete })
      }))))

/** The rows that are settled, and why. */
type About = Readonly<{ pipeline: string; to?: string | undefined; because?: string | undefined }>

const settled = ({ because = "", pipeline, to }: About, by: SettleBy) =>
  Effect.gen(function*() {
    const project = yield* projectWith([pipeline])
    const who = yield* userName
    const result = yield* settlePipeline(project, { pipeline, to, by, who, because: because.trim() || undefined })
    const options = { "--to": to, "--as": "landed", "--rows": "KEY", "--because": "TEXT" }
    const advice = settleAdvice(result, {
      vouch: "tick the box below, give the reason and choose the export again",
      settle: `settle them in a terminal with \`${commandLine(["settle", pipeline], options)}\` or --as not-landed`,
    })
    const open = result.rows.filter(({ outcome }) => outcome === "in doubt")
    return { ...result, rows: open.slice(0, settledShown), advice }
  })
