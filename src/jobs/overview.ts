// What the studio's first view shows: every pipeline, and what `status` says about it.
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { basename, resolve } from "node:path"
import { recordedWord, stateAfter } from "../domain/run.ts"
import { listPipelines, type PipelineText } from "../project/loadProject.ts"
import { decodePipeline } from "../project/Pipeline.ts"
import type { Project } from "../project/Project.ts"
import type { Overview, PipelineCard } from "./pipelineCard.ts"
import { addressesOf } from "./projectLedger.ts"
import { readSchedules } from "./schedules.ts"
import { nextRunIn, type PipelineStanding, projectStatus } from "./status.ts"

const runsShown = 14

export const overview = (project: Project) =>
  Effect.gen(function*() {
    const { texts, unreadable } = yield* listPipelines(project.root)
    const status = yield* projectStatus(project, [], { verify: false, runs: runsShown })
    const nextRun = nextRunIn((yield* readSchedules(project)).scheduled, yield* Clock.currentTimeMillis)
    const files = new Map(texts.map(({ called, yaml }) => [called, readFrom(yaml)]))
    // The ledger also knows pipelines whose files were removed.
    const names = new Set([...files.keys(), ...status.pipelines.map(({ pipeline }) => pipeline)])
    return {
      folder: basename(resolve(project.root)),
      pipelines: [...names].map((name): PipelineCard => {
        const own = <A extends { readonly pipeline: string }>(all: ReadonlyArray<A>) =>
          all.filter(({ pipeline }) => pipeline === name)
        const { fault, targets = [] } = files.get(name) ?? {}
        const of = own(status.pipelines)
        const newest = newestOf(of)
        const problem = own(status.missed)[0]?.message ?? fault
        const canRun = problem === undefined || newest?.going !== undefined
        return {
          name,
          targets,
          state: canRun ? stateAfter(newest) : { title: "Can't run", tone: "bad" },
          standings: of.map((one) => standingOf(project, one, targets)),
          nextRun: nextRun(name)?.at,
          notStarted: own(status.notBegun)[0]?.at,
          problem,
        }
      }),
      services: [...project.services.keys()],
      diagnostics: unreadable,
    } satisfies Overview
  })

/** Returns a pipeline's targets that have a name, and what is wrong with its file. */
const readFrom = (
  yaml: PipelineText["yaml"],
): { readonly fault: string | undefined; readonly targets: PipelineCard["targets"] } => {
  const whole = decodePipeline(yaml)
  const read = whole._tag === "Read" ? whole : decodePipeline(yaml, { isPartial: true })
  const { targets } = read._tag === "Read" ? read.value.sink : { targets: [] }
  return {
    targets: targets.flatMap(({ form, service, target: to }) => to === undefined ? [] : [{ to, service, form }]),
    fault: whole === read ? undefined : "The pipeline's file has mistakes, so it can't run. Its map shows them.",
  }
}

/** Returns the standing in progress or, if there is none, that with the newest last run. */
const newestOf = (standings: ReadonlyArray<PipelineStanding>): PipelineStanding | undefined =>
  standings.find(({ going }) => going !== undefined)
    ?? standings.toSorted((a, b) => (b.lastRun?.startedAt ?? "").localeCompare(a.lastRun?.startedAt ?? ""))[0]

const standingOf = (
  project: Project,
  one: PipelineStanding,
  targets: PipelineCard["targets"],
): PipelineCard["standings"][number] => {
  const { destination, going, runs, standing: { imported, inDoubt, refused, verdicts } } = one
  return {
    destination,
    standing: { imported, inDoubt, refused, verdicts },
    state: stateAfter(one),
    // A run's record also names its machine and process, which the page must not get.
    runs: runs.map(({ facts, mode, run, startedAt, ...record }) => ({
      mode,
      run,
      startedAt,
      sent: facts?.sent,
      state: recordedWord(record, run === going?.run),
    })),
    to: targets.find(({ form, service }) =>
      form === destination.form && addressesOf(project, service).includes(destination.service)
    )?.to,
  }
}
