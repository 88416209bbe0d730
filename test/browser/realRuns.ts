import { Effect } from "effect"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import { rehearsePipeline } from "../../src/jobs/rehearse.ts"
import { loadProject } from "../../src/project/loadProject.ts"
import { runOf } from "../demo/runOf.ts"
import { truthProject } from "../endtoend/truthProject.ts"
import { platform, projectFolder } from "../project/projectFolder.ts"
import { unattended } from "../run/unattended.ts"

const pipeline = "every-kind"

/**
 * Runs and rehearses a real project whose form has a question of every kind. Calls `use` with the addresses of both
 * report pages.
 */
export const realReports = <A>(use: (pages: { readonly run: string; readonly rehearsal: string }) => Promise<A>) =>
  Effect.gen(function*() {
    const root = yield* projectFolder(truthProject(100, 7).files)
    const rehearsal = yield* Effect.flatMap(
      loadProject(root),
      (project) => rehearsePipeline(project, { ...unattended, pipeline }),
    )
    const run = yield* runOf(root, pipeline)
    const page = (id: string) => pathToFileURL(join(root, "reports", pipeline, id, "report.html")).href
    return yield* Effect.promise(() => use({ run: page(run.run), rehearsal: page(rehearsal.run) }))
  }).pipe(Effect.scoped, Effect.provide(platform), Effect.runPromise)
