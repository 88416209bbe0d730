import * as Path from "@effect/platform/Path"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import { spawn } from "node:child_process"
import { maskOf } from "../domain/reportFields.ts"
import { LedgerRefused } from "../ledger/errors.ts"
import { disk } from "../project/disk.ts"
import { PipelineUnknown } from "../project/errors.ts"
import { listPipelines } from "../project/loadProject.ts"
import type { Project } from "../project/Project.ts"
import { type FoundReport, readAllReports, readReport, runFolders } from "../report/pastRuns.ts"
import { redactRun } from "../report/redactRun.ts"
import { openExisting } from "./projectLedger.ts"
import { fetchReports } from "./storedReports.ts"

/** How many of the newest reports of other hosts are fetched to be listed. */
const reportsFetched = 50

/**
 * Returns the report of a run, by default the latest one, with its folder, and the newest runs that have a report.
 *
 * @param most how many of the newest reports are read
 */
export const findReport = (project: Project, pipeline: string, run: string | undefined, most = reportsFetched) =>
  Effect.gen(function*() {
    const path = yield* Path.Path
    yield* fetchReports(project, pipeline, { newest: reportsFetched, whole: [run] })
    // A pipeline whose file was removed may still have reports.
    const folders = yield* runFolders(path.join(project.reports, pipeline))
    if (folders.length === 0) {
      const known = (yield* listPipelines(project.root)).names
      if (!known.includes(pipeline)) return yield* new PipelineUnknown({ names: [pipeline], known })
    }
    const { report, folder } = yield* readReport(project.reports, pipeline, run)
    if (run === undefined) yield* fetchReports(project, pipeline, { newest: 0, whole: [report.run] })
    const { runs, warnings } = yield* readAllReports(project.reports, pipeline, most)
    return { report, folder, runs, warnings, older: Math.max(0, folders.length - most) }
  })

/** Copies a run's report with keyed digests instead of values. If the report already contains digests, returns it unchanged. */
export const redactReport = (project: Project, found: FoundReport) =>
  found.report.values === "masked"
    ? Effect.succeed(found)
    : Effect.scoped(Effect.gen(function*() {
      const { id } = found.report.ledger
      const refused = new LedgerRefused({
        message: `The digests are keyed with the secret of the ledger that the run wrote (${id}), and `
          + `the ledger ${project.ledger.name} is a different one. Restore the right ledger with its key file.`,
      })
      const ledger = yield* openExisting(project)
      if (ledger?.id !== id) return yield* refused
      return yield* redactRun(found, maskOf(ledger.digest.value))
    }))

/** The command that opens a file in its default program on each platform. */
const openers: Readonly<Partial<Record<NodeJS.Platform, readonly [string, ...ReadonlyArray<string>]>>> = {
  darwin: ["open"],
  win32: ["rundll32", "url.dll,FileProtocolHandler"],
}

/** If the command still runs after this time, it is the browser itself. */
const openedAfter = Duration.seconds(3)

/** Opens a page in the browser. Returns false if this machine can't do that. */
export const openPage = (page: string, platform: NodeJS.Platform): Effect.Effect<boolean> => {
  const [command, ...args] = openers[platform] ?? ["xdg-open"]
  return Effect.async<boolean>((resume) => {
    const opener = spawn(command, [...args, page], { detached: true, stdio: "ignore" })
    opener.once("error", () => resume(Effect.succeed(false)))
    opener.once("exit", (code) => resume(Effect.succeed(code === 0)))
    opener.unref()
  }).pipe(Effect.timeoutTo({ duration: openedAfter, onSuccess: (done) => done, onTimeout: () => true }))
}

/** Returns a page that leads to the studio. */
export const pageTo = (link: string): string =>
  `<!doctype html><html lang="en"><meta charset="utf-8"><title>formferry studio</title><meta http-equiv="refresh" content="0;url=${link}">`
  + `<a href="${link}">Open the studio</a></html>`

/**
 * Writes a page that leads to the link, for its owner only. Returns its path. Every user of the machine sees the arguments of the program that opens the
 * browser, so these must not contain the link. The page is deleted with the scope.
 */
export const linkFile = (link: string) =>
  Effect.gen(function*() {
    const { fs, path } = yield* disk
    const file = path.join(yield* fs.makeTempDirectoryScoped({ prefix: "formferry-studio-" }), "open.html")
    yield* fs.writeFileString(file, pageTo(link), { mode: 0o600 })
    return file
  })
