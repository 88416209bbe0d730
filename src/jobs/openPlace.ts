import { Effect } from "effect"
import type { Ledger } from "../ledger/Ledger.ts"
import type { Pipeline } from "../project/Pipeline.ts"
import type { Project } from "../project/Project.ts"
import { openTarget, type Target } from "./target.ts"

/** Returns what stands for a service in the ledger, by the service's name in the project. */
export const serviceAddress = (project: Project, name: string): string => project.services.get(name)?.address ?? name

/** Returns the addresses under which the ledger may know a service: its own, then those that it had before. */
export const addressesOf = (project: Project, name: string): ReadonlyArray<string> => {
  const service = project.services.get(name)
  return [serviceAddress(project, name), ...(service?._tag === "Live" ? service.previous : [])]
}

/**
 * Opens what the ledger holds of a pipeline at a target: every command that works on a pipeline's rows finds them here, and is refused here if they may be somebody else's.
 *
 * @param form the form's id by its metadata
 */
export const openPlace = (project: Project, ledger: Ledger, pipeline: Pipeline, target: Target, form: string) => {
  const [service = target.service, ...previous] = addressesOf(project, target.service)
  return ledger.pipeline({
    pipeline: pipeline.name,
    destination: { service, form },
    renamedFrom: pipeline.renamedFrom,
    alongside: pipeline.sink.alongside,
    typed: target.form,
    serviceName: target.service,
    previous,
    separate: Array.from(project.services.values()).flatMap((one) =>
      one._tag === "Live" && one.separate ? [one.address] : []
    ),
  })
}

/** The same for a command that needs no metadata otherwise: the service is asked only for a form that no run has met. */
export const openKnownPlace = (project: Project, ledger: Ledger, pipeline: Pipeline, target: Target) =>
  Effect.gen(function*() {
    const known = yield* knownForm(ledger, addressesOf(project, target.service), target.form)
    const form = known
      ?? (yield* Effect.scoped(
        Effect.flatMap(openTarget(project, pipeline, target), ({ service }) => service.form(target.form)),
      )).id
    return yield* openPlace(project, ledger, pipeline, target, form)
  })

/** Returns the id that the form has by its metadata, if a run has read it at one of these addresses under the id that a pipeline names. */
export const knownForm = (ledger: Ledger, services: ReadonlyArray<string>, typed: string) =>
  Effect.map(
    ledger.places,
    (places) =>
      places.findLast((one) => one.typed === typed && services.includes(one.destination.service))?.destination.form,
  )
