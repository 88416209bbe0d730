// What the studio's first view shows: every pipeline, and what `status` says about it.
import * as Effect from "effect/Effect"
import { basename, resolve } from "node:path"
import { listPipelines, type PipelineText } from "../project/loadProject.ts"
import { decodePipeline } from "../project/Pipeline.ts"
import type { Project } from "../project/Project.ts"
import type { Overview, PipelineCard } from "./pipelineCard.ts"
import { addressesOf } from "./projectLedger.ts"
import { type ProjectStatus, projectStatus } from "./status.ts"

const runsShown = 14

export const overview = (project: Project) =>
  Effect.gen(function*() {
    const { texts, unreadable } = yield* listPipelines(project.root)
    const status = yield* projectStatus(project, [], { verify: false, runs: runsShown })
    const files = new Map(texts.map(({ called, yaml }) => [called, readFrom(yaml)]))
    // The ledger also knows pipelines whose files were removed.
    const names = new Set([...files.keys(), ...status.pipelines.map(({ pipeline }) => pipeline)])
    return {
      folder: basename(resolve(project.root)),
      pipelines: [...names].map((name) => cardOf(project, status, name, files.get(name))),
      services: [...project.services.keys()],
      diagnostics: unreadable,
    } satisfies Overview
  })

/** Returns a pipeline's targets that have a name, and what prevents it from running. */
const readFrom = (yaml: PipelineText["yaml"]): Pick<PipelineCard, "problem" | "targets"> => {
  const whole = decodePipeline(yaml)
  const read = whole._tag === "Read" ? whole : decodePipeline(yaml, { isPartial: true })
  const { targets } = read._tag === "Read" ? read.value.sink : { targets: [] }
  return {
    targets: targets.flatMap(({ form, service, target: to }) => to === undefined ? [] : [{ to, service, form }]),
    problem: whole === read ? undefined : "The pipeline's file has mistakes, so it can't run.",
  }
}

const cardOf = (
  project: Project,
  status: ProjectStatus,
  name: string,
  { problem, targets }: ReturnType<typeof readFrom> = { targets: [], problem: undefined },
): PipelineCard => {
  const own = <A extends { readonly pipeline: string }>(all: ReadonlyArray<A>) =>
    all.filter(({ pipeline }) => pipeline === name)
  const of = own(status.pipelines)
  // A run's record also names its machine and process, which the page must not get.
  const standings = of.map(({ destination, going, runs, standing: { imported, inDoubt, refused, verdicts } }) => ({
    destination,
    standing: { imported, inDoubt, refused, verdicts },
    isRunning: going !== undefined,
    runs: runs.map(({ facts, mode, outcome, run, startedAt }) => ({
      mode,
      outcome,
      run,
      startedAt,
      sent: facts?.sent,
    })),
    to: targets.find(({ form, service }) =>
      form === destination.form && addressesOf(project, service).includes(destination.service)
    )?.to,
  }))
  return {
    name,
    targets,
    standings,
    nextRun: [...of, ...own(status.waiting)].find(({ nextRun }) => nextRun !== undefined)?.nextRun?.at,
    notStarted: own(status.notBegun)[0]?.at,
    problem: own(status.missed)[0]?.message ?? problem,
  }
}
