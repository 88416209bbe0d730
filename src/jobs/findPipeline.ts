import { Effect } from "effect"
import { PipelineUnknown } from "../project/errors.ts"
import type { Pipeline } from "../project/Pipeline.ts"
import type { Project } from "../project/Project.ts"

/** A pipeline of a project by its name. */
export const findPipeline = (project: Project, name: string): Effect.Effect<Pipeline, PipelineUnknown> => {
  const pipeline = project.pipelines.get(name)
  return pipeline === undefined
    ? Effect.fail(new PipelineUnknown({ names: [name], known: [...project.pipelines.keys()] }))
    : Effect.succeed(pipeline)
}
