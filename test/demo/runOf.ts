import { Effect } from "effect"
import { asThePipelineSays, runPipeline } from "../../src/jobs/run.ts"
import { loadProject } from "../../src/project/loadProject.ts"

/** Runs a pipeline of the project in a folder without a terminal, as `formferry run` does. */
export const runOf = (root: string, pipeline: string, source?: string) =>
  Effect.flatMap(loadProject(root), (project) =>
    runPipeline(project, {
      ...asThePipelineSays,
      pipeline,
      source,
      confirm: () => false,
      progress: () => Effect.void,
      warn: () => Effect.void,
      interrupted: Effect.never,
    }))
