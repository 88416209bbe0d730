import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"
import type { Disk } from "../project/disk.ts"
import { PipelineUnknown } from "../project/errors.ts"
import type { Pipeline, SinkConfig } from "../project/Pipeline.ts"
import type { Project } from "../project/Project.ts"
import { nearest, quoted } from "../project/suggestion.ts"
import type { FormService } from "../service/FormService.ts"
import { type OpenFailure, openService, type Services } from "./services.ts"

export const findPipeline = (project: Project, name: string): Effect.Effect<Pipeline, PipelineUnknown> => {
  const pipeline = project.pipelines.get(name)
  return pipeline === undefined
    ? Effect.fail(new PipelineUnknown({ names: [name], known: [...project.pipelines.keys()] }))
    : Effect.succeed(pipeline)
}

/** The pipeline has several targets, and the user chose none or an unknown one (exit code 2). */
class TargetUnknown extends Schema.TaggedError<TargetUnknown>()("TargetUnknown", {
  pipeline: Schema.String,
  target: Schema.UndefinedOr(Schema.String),
  known: Schema.Array(Schema.String),
}) {
  override get message() {
    const names = this.known.map(quoted).join(", ")
    if (this.known.length === 0) {
      return `The pipeline ${this.pipeline} has no targets, so omit --to. Its rows go to the \`service\` and \`form\` in its file.`
    }
    if (this.target === undefined) {
      return `The pipeline ${this.pipeline} has several targets: choose one with --to (${names}).`
    }
    const near = nearest(this.target, this.known)
    return `The pipeline ${this.pipeline} has no target ${quoted(this.target)}. `
      + (near === undefined ? `Its targets are ${names}.` : `Did you mean ${quoted(near)}?`)
  }
}

export type Target = SinkConfig["targets"][number]

export interface OfPipeline {
  readonly pipeline: string
  /** The target, if the pipeline has several. */
  readonly to: string | undefined
}

/** A pipeline at one of its targets. */
export interface PipelineTarget {
  readonly project: Project
  readonly pipeline: Pipeline
  readonly target: Target
}

/** Returns the target that `--to` names. Without `--to`, returns the pipeline's only one. */
export const chooseTarget = (pipeline: Pipeline, to: string | undefined): Effect.Effect<Target, TargetUnknown> => {
  const { targets } = pipeline.sink
  const known = targets.flatMap((one) => (one.target === undefined ? [] : [one.target]))
  const chosen = to === undefined
    ? targets.length === 1 ? targets[0] : undefined
    : targets.find((one) => one.target === to)
  return chosen === undefined
    ? Effect.fail(new TargetUnknown({ pipeline: pipeline.name, target: to, known }))
    : Effect.succeed(chosen)
}

/** Returns the project's pipeline with this name, and the target that `to` names, as `chooseTarget` does. */
export const findTarget = (project: Project, { pipeline: name, to }: OfPipeline) =>
  Effect.gen(function*() {
    const pipeline = yield* findPipeline(project, name)
    return { project, pipeline, target: yield* chooseTarget(pipeline, to) } satisfies PipelineTarget
  })

export const findFirstTarget = (project: Project, name: string) =>
  Effect.flatMap(
    findPipeline(project, name),
    ({ sink }) => findTarget(project, { pipeline: name, to: sink.targets[0]?.target }),
  )

/**
 * Opens the service of a target.
 *
 * @param services the services that the process shares; if undefined, the service is opened for this scope only
 */
export const openTarget = (
  { project, target }: PipelineTarget,
  services?: Services,
): Effect.Effect<FormService, OpenFailure, Scope.Scope | Disk> => {
  // A project is loaded only if it has every service that its pipelines name.
  const config = project.services.get(target.service)!
  return services === undefined ? openService(config) : services.open(config)
}
