import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import { messageOf } from "../domain/systemErrors.ts"
import { makeDraftReadings } from "../jobs/draftReadings.ts"
import { turn } from "../jobs/firstRows.ts"
import { JobRefused } from "../jobs/JobRefused.ts"
import { discardSource, removeUnusedSources } from "../jobs/newSource.ts"
import { FileChanged } from "../jobs/pipelineFile.ts"
import { ConfigurationInvalid } from "../project/errors.ts"
import { loadProject } from "../project/loadProject.ts"
import type { Project } from "../project/Project.ts"
import { Refused } from "./Api.ts"
import { type JobOptions, makeJobs, shown } from "./Jobs.ts"

export interface StudioOptions extends JobOptions {
  readonly isDemo: boolean
  /** How someone gets another link, as a sentence. */
  readonly anotherLink: string
  /** The maximum size of an uploaded file in bytes. */
  readonly maxUpload: number
}

/** What the studio's calls share. It keeps no drafts, so pages don't disturb each other. */
export class Studio extends Context.Tag("formferry/Studio")<
  Studio,
  Effect.Effect.Success<ReturnType<typeof makeStudio>>
>() {}

/** Makes what the calls share, until the scope closes. */
export const makeStudio = (options: StudioOptions) =>
  Effect.gen(function*() {
    const { root } = options
    /** Uploaded files from which no pipeline was made, from the project's folder. */
    const uploaded = new Set<string>()
    yield* Effect.ignoreLogged(removeUnusedSources(root))
    yield* Effect.addFinalizer(() => Effect.forEach(uploaded, (file) => Effect.ignore(discardSource(root, file))))
    return {
      ...options,
      ...yield* makeDraftReadings(options),
      uploaded,
      jobs: yield* makeJobs(options),
    }
  })

export const projectWith = (pipelines: ReadonlyArray<string>) =>
  Effect.flatMap(Studio, ({ guard, root }) => Effect.map(loadProject(root, { pipelines }), guard))

/** The fields of every failed job's error. */
type Failure = Readonly<{ _tag: string; message: string }>

/**
 * Does the work of a call, with the sources that are kept open. Neither the answer nor a failure contains a secret.
 *
 * @param isText whether the answer is the text of a file, which someone may save, so that it must not be changed
 */
export const answering = <A, E extends Failure, R>(
  work: (studio: Studio["Type"]) => Effect.Effect<A, E, R>,
  isText = false,
) =>
  Effect.flatMap(Studio, (studio) => {
    const refusal = (error: E) =>
      error instanceof Refused ? error : new Refused({
        code: error instanceof JobRefused ? error.code : error._tag,
        ...shown(studio, { message: messageOf(error) }),
        ...error instanceof ConfigurationInvalid && { diagnostics: shown(studio, error.diagnostics) },
        ...error instanceof FileChanged && { text: error.text, version: error.version },
      })
    // The work may compile a long text.
    const whole = Effect.zipRight(turn, studio.withSources(Effect.scoped(Effect.suspend(() => work(studio)))))
    return Effect.mapBoth(whole, { onFailure: refusal, onSuccess: (answer) => isText ? answer : shown(studio, answer) })
  })

export const answeringOf = <A, E extends Failure, R>(work: (project: Project) => Effect.Effect<A, E, R>) =>
  answering(() => Effect.flatMap(projectWith([]), work))
