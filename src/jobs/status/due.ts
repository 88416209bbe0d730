import { DateTime, Effect } from "effect"
import type { Ledger } from "../../ledger/Ledger.ts"
import { loadProject } from "../../project/loadProject.ts"
import { addressesOf } from "../openPlace.ts"
import type { Scheduled } from "../schedule/schedules.ts"
import { chooseTarget } from "../target.ts"

/** A pipeline that was due by schedule, and no run could begin: its failure left no run to tell of. */
export interface NotBegun {
  readonly pipeline: string
  /** When it was due last, ISO 8601. */
  readonly at: string
}

/** Which pipelines could not begin when they were due last; one that ran since, also by hand, is none. */
export const notBegun = (ledger: Ledger, scheduled: ReadonlyArray<Scheduled>) =>
  Effect.map(
    Effect.forEach(scheduled, ({ pipeline }) =>
      Effect.map(ledger.turns.last(pipeline), ({ at, ran, state, tries }): ReadonlyArray<NotBegun> =>
        at === undefined || tries === 0 || state !== "done" || (ran !== undefined && ran >= at)
          ? []
          : [{ pipeline, at: DateTime.formatIso(DateTime.unsafeMake(at)) }])),
    (found) =>
      found.flat(),
  )

/** Where a pipeline's scheduled runs go: what another target got says nothing of them. Undefined: its file can't be read. */
export const scheduledDestination = (root: string, { pipeline, schedule }: Scheduled, ledger: Ledger | undefined) =>
  Effect.gen(function*() {
    const project = yield* loadProject(root, { pipelines: [pipeline] })
    const found = project.pipelines.get(pipeline)
    if (found === undefined) return undefined
    const target = yield* chooseTarget(found, schedule.to)
    const services = addressesOf(project, target.service)
    return { services, form: (yield* ledger?.formId(services, target.form) ?? Effect.void) ?? target.form }
  }).pipe(Effect.orElseSucceed(() => undefined))
