import * as FileSystem from "@effect/platform/FileSystem"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as RcMap from "effect/RcMap"
import * as Scope from "effect/Scope"
import { setImmediate } from "node:timers/promises"
import type { Form } from "../domain/form.ts"
import { type DraftOptions, type DraftSurvey, type OpenDraft, openDraft, surveyDraft } from "../jobs/draft.ts"
import { FileChanged } from "../jobs/pipelineFile.ts"
import { openShown, OwnSource } from "../jobs/prepare.ts"
import { openService, type Services } from "../jobs/services.ts"
import { ConfigurationInvalid } from "../project/errors.ts"
import { loadProject, type PipelineDraftText } from "../project/loadProject.ts"
import type { SourceConfig } from "../project/sourceSection.ts"
import type { Source } from "../source/Source.ts"
import { Refused } from "./Api.ts"
import { type JobOptions, makeJobs } from "./Jobs.ts"

export interface StudioOptions extends JobOptions {
  readonly isDemo: boolean
  /** The maximum size of an uploaded file in bytes. */
  readonly maxUpload: number
}

/** What the studio's calls share. It keeps no drafts, so pages don't disturb each other. */
export class Studio extends Context.Tag("formferry/Studio")<
  Studio,
  Effect.Effect.Success<ReturnType<typeof makeStudio>>
>() {}

/** How long a form may be used without fetching it again, in milliseconds. */
const formKept = 30_000

/** How many surveys are kept. */
const surveysKept = 4

/** Returns a text that changes whenever reading the source may give different rows. Only files have times, so a pulled source is pulled again only after a while. */
const sourceKey = (config: SourceConfig) =>
  Effect.gen(function*() {
    const fs = yield* FileSystem.FileSystem
    const files = typeof config.file === "string" ? [config.file] : Array.isArray(config.file) ? config.file : []
    const stats = yield* Effect.forEach(files as ReadonlyArray<string>, (file) =>
      Effect.map(Effect.option(fs.stat(file)), (found) =>
        found._tag === "None"
          ? ""
          : `${found.value.size} ${found.value.mtime._tag === "Some" ? +found.value.mtime.value : ""}`))
    // Row keys and conditions don't change how rows are read.
    return JSON.stringify([{ ...config, rowKey: undefined, where: undefined }, stats])
  })

/** Makes what the calls share, until the scope closes. */
export const makeStudio = (options: StudioOptions) =>
  Effect.gen(function*() {
    const { guard, root } = options
    const clock = yield* Effect.clock
    const configs = new Map<string, SourceConfig>()
    const kept = yield* RcMap.make({
      lookup: (key: string) => Effect.suspend(() => openShown(configs.get(key)!)),
      idleTimeToLive: "2 minutes",
    })
    const openSource: typeof openShown = (config, open = {}) =>
      open.from !== undefined ? openShown(config, open) : Effect.flatMap(sourceKey(config), (key) => {
        configs.set(key, config)
        // A source that could not be opened may be opened later.
        return Effect.tapError(RcMap.get(kept, key), () => RcMap.invalidate(kept, key))
      })
    /** Lets jobs use the sources that are kept open. */
    const withSources = Effect.provideService(OwnSource, { open: openSource })

    const forms = new Map<string, { readonly form: Form; readonly at: number }>()
    /** How calls about drafts open what they need: services are closed with the call, and forms are kept for a while. */
    const drafting = Effect.map(Effect.scope, (scope): DraftOptions & { readonly services: Services } => ({
      root,
      guard,
      services: {
        open: (config) =>
          Effect.map(Effect.provideService(openService(config), Scope.Scope, scope), ({ name, service }) => ({
            name,
            service: {
              ...service,
              form: (id) =>
                Effect.suspend(() => {
                  // The practice service's address changes with every start.
                  const key = JSON.stringify([name, config._tag === "Live" ? config.baseUrl : config.forms, id])
                  const known = forms.get(key)
                  const at = clock.unsafeCurrentTimeMillis()
                  if (known !== undefined && at - known.at < formKept) return Effect.succeed(known.form)
                  return Effect.tap(service.form(id), (form) => Effect.sync(() => forms.set(key, { form, at })))
                }),
            },
          })),
      },
    }))

    const surveys = new Map<string, DraftSurvey>()
    const surveyKey = ({ form, pipeline }: Pick<OpenDraft, "form" | "pipeline">) =>
      Effect.map(sourceKey(pipeline.source), (source) => JSON.stringify([source, form]))
    const keepSurvey = (of: string, found: DraftSurvey) => {
      surveys.set(`${of} ${found.isWhole}`, found)
      for (const key of [...surveys.keys()].slice(0, -surveysKept)) surveys.delete(key)
    }
    /** Surveys a draft's source, unless its survey is kept. */
    const survey = ({ form, pipeline, source }: OpenDraft, whole: boolean) =>
      Effect.gen(function*() {
        const of = yield* surveyKey({ form, pipeline })
        const known = [`${of} true`, ...whole ? [] : [`${of} false`]].flatMap((key) => surveys.get(key) ?? [])[0]
        if (known !== undefined) return known
        const found = yield* surveyDraft({ form, source }, whole)
        keepSurvey(of, found)
        return found
      })
    /** How many rows of new pipelines' sources were read so far, by the pipeline's name. Sources are read twice. */
    const rowsRead = new Map<string, number>()
    /** Surveys a new pipeline's source. `keep` keeps the result for the pipeline's draft. */
    const surveyNew = (name: string) => {
      let found: DraftSurvey | undefined
      let before = 0
      const note = (row: number) => {
        if (row === 1) before = rowsRead.get(name) ?? 0
        rowsRead.set(name, before + row)
      }
      return {
        survey: (source: Source, form: Form) =>
          surveyDraft({ form, source }, true, note).pipe(
            Effect.tap((survey) => Effect.sync(() => found = survey)),
            Effect.ensuring(Effect.sync(() => rowsRead.delete(name))),
          ),
        // If the pipeline names columns, the survey of the file lacks these names.
        keep: (draft: OpenDraft) =>
          found === undefined || draft.pipeline.source.columns.length > 0
            ? Effect.void
            : Effect.map(surveyKey(draft), (of) => keepSurvey(of, found!)),
      }
    }

    return {
      ...options,
      /** Uploaded files from which no pipeline was made, from the project's folder. */
      uploaded: new Set<string>(),
      jobs: yield* makeJobs(options),
      drafting,
      /** Opens a draft's source and fetches its form. Both are kept for a while. */
      open: (draft: PipelineDraftText) => Effect.flatMap(drafting, (options) => openDraft(options, draft)),
      survey,
      surveyNew,
      rowsRead,
      withSources,
    }
  })

/** Loads the project with some of its pipelines. */
export const projectWith = (pipelines: ReadonlyArray<string>) =>
  Effect.flatMap(Studio, ({ guard, root }) => Effect.map(loadProject(root, { pipelines }), guard))

/** The fields of every failed job's error. */
type Failure = Readonly<{ _tag: string; message: string }>

/** Lets Node answer other requests before the work of a call, which may compile a long text. */
const turn = Effect.promise(() => setImmediate())

/** Does the work of a call, with the sources that are kept open. A failure becomes an answer without secrets. */
export const answering = <A, E extends Failure, R>(work: (studio: Studio["Type"]) => Effect.Effect<A, E, R>) =>
  Effect.flatMap(Studio, (studio) => {
    const refusal = (error: E) =>
      error instanceof Refused ? error : new Refused({
        code: error._tag,
        message: studio.mask(error.message),
        ...error instanceof ConfigurationInvalid && { diagnostics: error.diagnostics },
        ...error instanceof FileChanged && { text: error.text, version: error.version },
      })
    const whole = studio.withSources(Effect.scoped(Effect.suspend(() => work(studio))))
    return Effect.mapError(Effect.zipRight(turn, whole), refusal)
  })
