import { Command, Path } from "@effect/platform"
import { Effect } from "effect"
import type { Project } from "../project/Project.ts"
import { readLatestReports, readReport } from "../report/pastRuns.ts"

/** A run's report, by default the latest one's, with its folder and the other runs that left one. */
export const findReport = (project: Project, pipeline: string, run: string | undefined) =>
  Effect.gen(function*() {
    const path = yield* Path.Path
    const { report, folder } = yield* readReport(project.reports, pipeline, run)
    const { runs, unfinished, warnings } = yield* readLatestReports(project.reports, pipeline)
    return { report, folder, page: path.join(folder, "report.html"), runs, unfinished, warnings }
  })

/** What opens a file in its usual program, by platform. */
const openers: Readonly<Partial<Record<NodeJS.Platform, readonly [string, ...ReadonlyArray<string>]>>> = {
  darwin: ["open"],
  win32: ["cmd", "/c", "start", ""],
}

/** Opens a page in the browser. Gives false when this machine has nothing to open it with. */
export const openPage = (page: string, platform: NodeJS.Platform) => {
  const [command, ...args] = openers[platform] ?? ["xdg-open"]
  return Command.make(command, ...args, page).pipe(
    Command.stdout("pipe"),
    Command.stderr("pipe"),
    Command.exitCode,
    Effect.map((code) => code === 0),
    Effect.orElseSucceed(() => false),
  )
}
