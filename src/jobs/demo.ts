import * as Path from "@effect/platform/Path"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { wasInterrupted } from "../domain/exit.ts"
import type { ProgressEvent } from "../domain/progress.ts"
import type { RunReport } from "../domain/report.ts"
import { disk } from "../project/disk.ts"
import { loadProject } from "../project/loadProject.ts"
import type { Signal } from "../run/Stop.ts"
import { reconcilePipeline } from "./reconcile.ts"
import { runPipeline, withoutOptions } from "./run.ts"

/** The demonstration project is missing from this installation (exit code 70). */
export class DemonstrationMissing extends Schema.TaggedError<DemonstrationMissing>()("DemonstrationMissing", {
  start: Schema.String,
}) {
  override get message() {
    return `The demonstration project is not next to ${this.start}: this installation of formferry is incomplete. Install it again.`
  }
}

/** The steps of the demonstration for each pipeline: import it, run it again, and read everything back. */
export type DemonstrationStep = "import" | "again" | "reconcile"

export interface Demonstrated {
  readonly step: DemonstrationStep
  readonly report: RunReport
  /** The folder of the report. */
  readonly folder: string
}

interface DemonstrationOptions {
  readonly progress: (pipeline: string, event: ProgressEvent) => Effect.Effect<void>
  /** Called after each step of a pipeline. */
  readonly done: (step: Demonstrated) => Effect.Effect<void>
  readonly interrupted: Effect.Effect<Signal>
}

/** Folders of the repository that the demonstration copies. */
const parts = ["config", "pipelines", "samples"] as const

const Manifest = Schema.parseJson(Schema.Struct({ name: Schema.String }))

/** Finds formferry's own folder by searching upwards from this file, which is in dist/, or in src/ during a test. */
export const ownFolder = Effect.gen(function*() {
  const { fs, path } = yield* disk
  const start = path.dirname(yield* path.fromFileUrl(new URL(import.meta.url)))
  for (let folder = start;; folder = path.dirname(folder)) {
    const manifest = yield* fs.readFileString(path.join(folder, "package.json")).pipe(
      Effect.flatMap(Schema.decode(Manifest)),
      Effect.option,
    )
    if (Option.isSome(manifest) && manifest.value.name === "formferry") {
      const whole = yield* Effect.every(parts, (part) => fs.exists(path.join(folder, part)))
      return whole ? folder : yield* new DemonstrationMissing({ start: folder })
    }
    if (path.dirname(folder) === folder) return yield* new DemonstrationMissing({ start })
  }
})

/** Copies the demonstration project to a new temporary folder, which remains. */
export const copyDemonstration = Effect.gen(function*() {
  const { fs, path } = yield* disk
  const own = yield* ownFolder
  const folder = yield* fs.makeTempDirectory({ prefix: "formferry-demo-" })
  for (const part of parts) yield* fs.copy(path.join(own, part), path.join(folder, part))
  return folder
})

/**
 * Runs the demonstration project in a new temporary folder. Imports every pipeline into the embedded practice service over HTTP, runs all of them
 * again, which sends nothing, and reconciles. Returns the folder, which remains because it contains the reports.
 */
export const demonstrate = (options: DemonstrationOptions) =>
  Effect.gen(function*() {
    const path = yield* Path.Path
    const folder = yield* copyDemonstration
    const project = yield* loadProject(folder)
    const pipelines = [...project.pipelines.keys()]

    const steps: Array<Demonstrated> = []
    const step = <E, R>(name: DemonstrationStep, run: (pipeline: string) => Effect.Effect<RunReport, E, R>) =>
      Effect.gen(function*() {
        for (const pipeline of pipelines) {
          if (steps.some(({ report }) => wasInterrupted(report.exitCode))) return
          const report = yield* run(pipeline)
          const done = { step: name, report, folder: path.join(project.reports, pipeline, report.run) }
          yield* options.done(done)
          steps.push(done)
        }
      })

    const runOnce = (pipeline: string) =>
      runPipeline(project, {
        pipeline,
        ...withoutOptions,
        projectOption: folder,
        confirm: () => true,
        progress: (event) => options.progress(pipeline, event),
        warn: () => Effect.void,
        interrupted: options.interrupted,
      })
    yield* step("import", runOnce)
    yield* step("again", runOnce)
    yield* step("reconcile", (pipeline) =>
      reconcilePipeline(project, {
        pipeline,
        to: undefined,
        projectOption: folder,
        progress: (event) => options.progress(pipeline, event),
        interrupted: options.interrupted,
      }))
    return { folder, steps }
  })
