import { Effect } from "effect"
import { runPipeline } from "../../src/jobs/run.ts"
import { loadProject } from "../../src/project/loadProject.ts"
import { unattended } from "../run/unattended.ts"

/** Runs a pipeline of the project in a folder without a terminal, as `formferry run` does. */
export const runOf = (root: string, pipeline: string, source?: string) =>
  Effect.flatMap(loadProject(root), (project) =>
    runPipeline(project, {
      ...unattended,
      pipeline,
      source,
      confirm: () => false,
    }))
