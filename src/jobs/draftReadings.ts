// What drafts of pipelines read is kept for a while, because each key press reads it again, and several pages may read the same.
import * as FileSystem from "@effect/platform/FileSystem"
import type * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Equal from "effect/Equal"
import * as Hash from "effect/Hash"
import * as Option from "effect/Option"
import * as RcMap from "effect/RcMap"
import * as Scope from "effect/Scope"
import type { Form } from "../domain/form.ts"
import { openLedger } from "../ledger/openLedger.ts"
import { isAtAddress } from "../project/address.ts"
import type { Disk } from "../project/disk.ts"
import type { PipelineDraftText } from "../project/loadProject.ts"
import { isPull, type SourceConfig } from "../project/sourceSection.ts"
import { FateTable } from "../run/FateTable.ts"
import { findFiles } from "../source/findFiles.ts"
import type { Source } from "../source/Source.ts"
import { checkData } from "./checkData.ts"
import { type DraftOptions, type DraftSurvey, type OpenDraft, openDraft, surveyDraft } from "./draft.ts"
import { firstRows } from "./firstRows.ts"
import { openKeys, type Readable } from "./openKeys.ts"
import { compileFor, openShown, OwnSource } from "./prepare.ts"
import { copyOfLedger, openIfAny } from "./projectLedger.ts"
import { openService, type Services } from "./services.ts"
import type { PipelineTarget } from "./target.ts"

/** How long a form of a live service may be used without fetching it again, in milliseconds. */
const formKept = 30_000

const surveysKept = 4

/** How long the rows of an address or a connection may be used without fetching them again, in milliseconds. Form tools limit how often they can be asked. */
const rowsKept = 5 * 60_000

/** Makes a function that returns a text, which changes whenever reading a source may give different rows. Only files have times, so other rows count as changed after a while. */
const sourceKeys = (clock: Clock.Clock) => {
  const fetchedAt = new Map<string, number>()
  return (config: SourceConfig) =>
    Effect.gen(function*() {
      const fs = yield* FileSystem.FileSystem
      const { combine, file: where } = config
      const found = isPull(where) ? undefined : Option.getOrUndefined(yield* Effect.option(findFiles(where)))
      const files = [...found?.files ?? [], ...combine?.with.flatMap(({ file }) => file ?? []) ?? []]
      const stats = yield* Effect.forEach(files, (file) =>
        Effect.map(Effect.option(fs.stat(file)), (found) =>
          found._tag === "None"
            ? ""
            : `${found.value.size} ${found.value.mtime._tag === "Some" ? +found.value.mtime.value : ""}`))
      // Row keys and conditions don't change how rows are read.
      const key = JSON.stringify([{ ...config, rowKey: undefined, where: undefined }, files, stats])
      if (!isPull(where) && !files.some(isAtAddress)) {
        return key
      }
      const now = clock.unsafeCurrentTimeMillis()
      for (const [fetched, at] of fetchedAt) {
        if (now - at >= rowsKept) {
          fetchedAt.delete(fetched)
        }
      }
      const at = fetchedAt.get(key) ?? now
      fetchedAt.set(key, at)
      return `${key} ${at}`
    })
}

/** A source that is kept open, by its text of `sourceKeys`. */
class KeptSource implements Equal.Equal {
  readonly key: string
  readonly config: SourceConfig
  constructor(key: string, config: SourceConfig) {
    this.key = key
    this.config = config
  }
  [Equal.symbol](other: unknown): boolean {
    return other instanceof KeptSource && other.key === this.key
  }
  [Hash.symbol](): number {
    return Hash.string(this.key)
  }
}

/** Makes what drafts of a project's pipelines share, until the scope closes. */
export const makeDraftReadings = ({ guard, root }: Required<Pick<DraftOptions, "guard" | "root">>) =>
  Effect.gen(function*() {
    const clock = yield* Effect.clock
    const sourceKey = sourceKeys(clock)
    const kept = yield* RcMap.make({
      lookup: ({ config }: KeptSource) => openShown(config),
      idleTimeToLive: "2 minutes",
    })
    const openSource: typeof openShown = (config, open = {}) =>
      open.from !== undefined ? openShown(config, open) : Effect.flatMap(sourceKey(config), (key) => {
        const source = new KeptSource(key, config)
        // A source that could not be opened may be opened later.
        return Effect.tapError(RcMap.get(kept, source), () => RcMap.invalidate(kept, source))
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
          Effect.map(Effect.provideService(openService(config), Scope.Scope, scope), (service) => ({
            ...service,
            form: (id) =>
              Effect.suspend(() => {
                // The practice service reads its forms from files at each start.
                if (config._tag === "Practice") return service.form(id)
                const key = JSON.stringify([config.name, config.baseUrl, id])
                const known = forms.get(key)
                const at = clock.unsafeCurrentTimeMillis()
                if (known !== undefined && at - known.at < formKept) return Effect.succeed(known.form)
                return Effect.tap(service.form(id), (form) => Effect.sync(() => forms.set(key, { form, at })))
              }),
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
    /** The readings that are in progress, by what they depend on. */
    const works = new Map<string, Effect.Effect<unknown, unknown, Disk>>()
    const readings = yield* RcMap.make({ lookup: (key: string) => works.get(key)! })
    /** Does work once for all calls that ask for it at the same time. The work ends when no call waits for it any more. */
    const shared = <A, E, R>(key: unknown, work: Effect.Effect<A, E, R>) =>
      Effect.flatMap(Effect.context<R>(), (context) => {
        const known = JSON.stringify(key)
        works.set(known, Effect.provide(work, context))
        const done = Effect.scoped(RcMap.get(readings, known)) as Effect.Effect<A, E>
        return Effect.ensuring(done, Effect.sync(() => works.delete(known)))
      })
    const survey = ({ form, pipeline, source }: OpenDraft, whole: boolean) =>
      Effect.gen(function*() {
        const of = yield* surveyKey({ form, pipeline })
        const known = [`${of} true`, ...whole ? [] : [`${of} false`]].flatMap((key) => surveys.get(key) ?? [])[0]
        if (known !== undefined) return known
        const found = yield* shared([of, whole], surveyDraft({ form, source }, whole))
        keepSurvey(of, found)
        return found
      })
    const counts = (draft: OpenDraft, whole: boolean) =>
      Effect.flatMap(surveyKey(draft), (of) => shared([of, whole, draft.text], countDraft(draft, whole)))
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
      drafting,
      /** Opens a draft's source and fetches its form. Both are kept for a while. */
      open: (draft: PipelineDraftText) => Effect.flatMap(drafting, (options) => openDraft(options, draft)),
      survey,
      surveyNew,
      counts,
      rowsRead,
      withSources,
    }
  })

/**
 * Reads rows through a draft's mapping, and gives each the fate that it would have in a dry run to the draft's first target. Fails with what is wrong if
 * the mapping doesn't compile. Writes nothing.
 */
const countDraft = (draft: OpenDraft, whole: boolean) =>
  Effect.scoped(Effect.gen(function*() {
    const { form, pipeline, source, target } = draft
    const { isCut, source: first } = firstRows(source, whole)
    const { mapping, pipeline: keyed } = yield* compileFor(pipeline, first, form)
    const classified = yield* Effect.option(
      classifying({ ...draft, pipeline: keyed }, { form, mapping, source: first }),
    )
    const { fates, lookUp, note } = classified._tag === "Some"
      ? classified.value
      : { fates: undefined, lookUp: undefined, note: unreadable }
    const { accounts: _, ...counts } = yield* checkData(keyed, first, mapping, form, { findsMore: false, lookUp })
    const { duplicate, filtered, invalid, rows } = counts
    const pending = rows - filtered - invalid - duplicate
    const unlooked = { ...new FateTable().byFate, filtered, invalid, duplicate, pending }
    return { ...counts, isWhole: !isCut(), to: target.target, fates: fates?.() ?? unlooked, note }
  }))

const unreadable = "The ledger can't be read, so rows that were imported before are counted as well."
const otherKeys =
  "The ledger's row keys were made from different columns. Until a run has made new ones, rows that were imported before are counted as new. A dry run counts them correctly."

/** Prepares to give a draft's rows their fates while they are read. `note` says what can't be known. */
const classifying = (at: PipelineTarget, given: Readable) =>
  Effect.gen(function*() {
    const { project } = at
    const ledger = (yield* openIfAny(project, at)) ?? (yield* openLedger(yield* copyOfLedger(project, at)))
    const { end, isComparable, look } = yield* openKeys(at, given, ledger)
    return { lookUp: look, fates: () => end().fates.byFate, note: isComparable ? undefined : otherKeys }
  })
