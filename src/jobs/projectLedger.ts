import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Random from "effect/Random"
import { isoOf } from "../domain/times.ts"
import { notNewest } from "../ledger/behind.ts"
import type { LedgerError, LedgerRefused } from "../ledger/errors.ts"
import type { Ledger, MarkPlaces, RequestedPlace } from "../ledger/Ledger.ts"
import { type AnyLedgerOptions, databaseOf, openLedger } from "../ledger/openLedger.ts"
import { type ConfigurationInvalid, PipelineUnknown } from "../project/errors.ts"
import { listPipelines } from "../project/loadProject.ts"
import type { Project } from "../project/Project.ts"
import { findTarget, type OfPipeline, openTarget, type PipelineTarget, type Target } from "./target.ts"

type WithLedger = Pick<Project, "ledger">

/** What a command is about. Undefined for several pipelines. */
type About = Pick<PipelineTarget, "pipeline" | "target"> | undefined

type ProjectLedger = AnyLedgerOptions & { readonly marks: MarkPlaces }

/** Returns the options for opening a project's ledger. */
export const ledgerOf = ({ ledger }: WithLedger, about?: About): Effect.Effect<ProjectLedger, ConfigurationInvalid> =>
  Effect.gen(function*() {
    const options = yield* ledger.options
    if (about === undefined) return options
    return { ...options, asker: { pipeline: about.pipeline.name, target: about.target.target } }
  })

/** Copies a project's ledger for the scope. Returns how to open the copy. The copy is refused whenever a run would be, and writes no marks. */
export const copyOfLedger = (project: WithLedger, about: About) =>
  Effect.gen(function*() {
    const options = yield* ledgerOf(project, about)
    return { ...yield* databaseOf(options).copy, asker: options.asker, marks: { ...options.marks, write: false } }
  })

/** Opens a project's ledger for the scope. If there is none, creates it. */
export const openOwn = (project: WithLedger, about?: About) => Effect.flatMap(ledgerOf(project, about), openLedger)

/** Opens a project's ledger for the scope. Returns undefined if there is none, even if the project had one. Creates none. */
export const openExisting = (project: WithLedger) =>
  Effect.gen(function*() {
    const options = yield* ledgerOf(project)
    return (yield* databaseOf(options).exists) ? yield* openLedger(options) : undefined
  })

/** Says that a project has no ledger, for a command that needs one. */
export const noLedger = ({ ledger }: WithLedger): string =>
  `There is no ledger ${ledger.name}: nothing has been imported yet.`

/** Returns a project's ledger, or undefined if the project never had one. */
export type MaybeLedger<R = never> = Effect.Effect<
  Ledger | undefined,
  LedgerError | LedgerRefused | ConfigurationInvalid,
  R
>

/**
 * Opens a project's ledger. Returns undefined if the project never had one. Fails if the ledger is missing.
 *
 * @param overruling whether a person accepts that the ledger is missing or not the newest copy; a missing one is then created
 */
export const openIfAny = (project: WithLedger, about?: About, overruling = false) =>
  Effect.gen(function*() {
    const options = yield* ledgerOf(project, about)
    const { exists, missing } = databaseOf(options)
    const neverWas = !(yield* exists) && (yield* missing) === undefined
    return neverWas ? undefined : yield* openLedger({ ...options, overruling })
  })

/**
 * Returns a project's pipelines: their files, the names of those with a file, the places where the ledger has rows, and all names without repetition.
 * Fails for an unknown name, because a mistyped name must not look like a pipeline without rows.
 *
 * @param names the names that the user gave
 */
export const knownPipelines = (
  { root }: Pick<Project, "root">,
  ledger: Ledger | undefined,
  names: ReadonlyArray<string>,
) =>
  Effect.gen(function*() {
    const { names: own, texts } = yield* listPipelines(root)
    const places = ledger === undefined
      ? []
      : (yield* ledger.places).toSorted((a, b) => (a.pipeline < b.pipeline ? -1 : a.pipeline > b.pipeline ? 1 : 0))
    const all = [...new Set([...own, ...places.map(({ pipeline }) => pipeline)])]
    const unknown = names.filter((name) => !all.includes(name))
    if (unknown.length > 0) return yield* new PipelineUnknown({ names: unknown, known: all })
    return { texts, own, places, all }
  })

/** A pipeline whose runs are refused, because the ledger is missing or not the newest copy. */
export interface LedgerMissed {
  readonly pipeline: string
  /** Sentences that say what is wrong and what to do. */
  readonly message: string
}

/** Returns the pipelines whose ledger is missing or not the newest copy, unless a person has accepted that. Writes nothing. */
export const missedBy = (project: Project, pipelines: ReadonlyArray<string>, ledger: Ledger | undefined) =>
  Effect.gen(function*() {
    const behind = ledger === undefined ? undefined : yield* ledger.behind
    const found = ledger === undefined ? yield* databaseOf(yield* ledgerOf(project)).missing : behind
    if (found === undefined) return []
    const places = ledger === undefined ? [] : yield* ledger.places
    const accepted = ledger === undefined || behind === undefined ? [] : yield* Effect.filter(
      places,
      (place) =>
        Effect.flatMap(
          ledger.pipeline({ ...place, renamedFrom: undefined, alongside: [] }),
          (view) => view.accepted("ledger", behind.states),
        ),
    )
    return pipelines
      .filter((pipeline) => !accepted.some((place) => place.pipeline === pipeline))
      .map((pipeline): LedgerMissed => ({
        pipeline,
        message: notNewest(found, { pipeline, target: undefined }).message,
      }))
  })

export const serviceAddress = (project: Project, name: string): string => project.services.get(name)?.address ?? name

/** Returns the addresses under which the ledger may record a service: its current one, then its earlier ones. */
export const addressesOf = (project: Project, name: string): ReadonlyArray<string> => {
  const service = project.services.get(name)
  return [serviceAddress(project, name), ...(service?._tag === "Live" ? service.previous : [])]
}

/**
 * Opens the ledger's rows of a pipeline at a target. Fails if the rows may belong to a different pipeline.
 *
 * @param form the form's id in its metadata
 */
export const openPlace = (at: PipelineTarget, ledger: Ledger, form: string) => ledger.pipeline(placeOf(at, form))

/** Returns where a pipeline's rows are in the ledger. */
export const placeOf = ({ pipeline, project, target }: PipelineTarget, form: string): RequestedPlace => {
  const [service = target.service, ...previous] = addressesOf(project, target.service)
  return {
    pipeline: pipeline.name,
    destination: { service, form },
    renamedFrom: pipeline.renamedFrom,
    alongside: pipeline.sink.alongside,
    typed: target.form,
    serviceName: target.service,
    previous,
    separate: new Map(
      Array.from(project.services).flatMap(([name, one]) =>
        one._tag === "Live" && one.separate ? [[one.address, name] as const] : []
      ),
    ),
  }
}

/** Returns what the ledger knows of a pipeline's rows at a target under their current names. `openPlace` also finds those with earlier names. */
export const viewOf = ({ pipeline, project, target }: PipelineTarget, ledger: Ledger, form: string) =>
  ledger.view({ pipeline: pipeline.name, destination: { service: serviceAddress(project, target.service), form } })

/** Returns the id of a target's form in its metadata, if a run has read it. */
export const knownForm = (project: Project, ledger: Ledger, { form, service }: Target) => {
  const addresses = addressesOf(project, service)
  return Effect.map(
    ledger.places,
    (places) =>
      places.findLast(({ destination, typed }) => typed === form && addresses.includes(destination.service))
        ?.destination.form,
  )
}

/**
 * Opens the ledger's rows of a pipeline, for a command that reads no source. Returns undefined if the project never had a ledger. Fetches the form
 * from the service only if no run has used it.
 */
export const openRows = (project: Project, of: OfPipeline) =>
  Effect.gen(function*() {
    const at = yield* findTarget(project, of)
    const { target } = at
    const ledger = yield* openIfAny(project, at)
    if (ledger === undefined) return undefined
    const form = (yield* knownForm(project, ledger, target))
      ?? (yield* Effect.scoped(
        Effect.flatMap(openTarget(at), (service) => service.form(target.form)),
      )).id
    return { ...at, ledger, view: yield* openPlace(at, ledger, form) }
  })

/** Returns a new run id. Run ids sort by time and are valid file names on every platform. */
export const newRunId: Effect.Effect<string> = Effect.gen(function*() {
  const time = isoOf(yield* Clock.currentTimeMillis).slice(0, -1).replaceAll(":", "")
  const random = yield* Random.nextIntBetween(0, 36 ** 4)
  return `${time}Z-${random.toString(36).padStart(4, "0")}`
})
