import { Effect } from "effect"
import type { Form } from "../domain/form.ts"
import { readFormRecord } from "../project/formRecord.ts"
import type { Pipeline } from "../project/Pipeline.ts"
import type { Project } from "../project/Project.ts"
import { addressesOf, knownForm } from "./openPlace.ts"
import { openIfAny } from "./projectLedger.ts"
import type { Target } from "./target.ts"

/** A form as it was. */
export interface RecordedForm {
  readonly form: Form
  /** Titles of the source's columns; undefined: not known. */
  readonly columns: ReadonlyArray<string> | undefined
  /** `file`: in `config/forms/`, as a person accepted it; `ledger`: as the last run that may send met it. */
  readonly by: "file" | "ledger"
}

/**
 * Returns the form as it was, to compare the live one with (decision 18); undefined if nobody recorded it. The file wins. Only reads: a ledger that is refused is left for the run to refuse.
 *
 * @param form the form's id by its metadata; undefined: the one that a run met under the id in the pipeline
 */
export const recordedForm = (project: Project, pipeline: Pipeline, target: Target, form?: string) =>
  Effect.gen(function*() {
    const file = yield* readFormRecord(project.root, pipeline.name, target.target)
    if (file !== undefined) return { form: file.form, columns: file.columns, by: "file" } satisfies RecordedForm
    const kept = yield* inLedger(project, pipeline, target, form).pipe(
      Effect.catchTag("LedgerRefused", () => Effect.succeed(undefined)),
    )
    const recorded: RecordedForm | undefined = kept && { form: kept, columns: undefined, by: "ledger" }
    return recorded
  })

/** A pipeline that was renamed and a service that has moved still have their record: their rows are taken over only by what may write. */
const inLedger = (project: Project, pipeline: Pipeline, target: Target, asked: string | undefined) =>
  Effect.scoped(
    Effect.gen(function*() {
      const ledger = yield* openIfAny(project, { pipeline: pipeline.name, target: target.target })
      const services = addressesOf(project, target.service)
      const form = asked ?? (ledger === undefined ? undefined : yield* knownForm(ledger, services, target.form))
      if (ledger === undefined || form === undefined) return undefined
      for (const name of [pipeline.name, pipeline.renamedFrom]) {
        for (const service of services) {
          if (name === undefined) continue
          const view = ledger.view({ pipeline: name, destination: { service, form } })
          const kept = yield* view.form
          // What an older copy has is out of date, and nothing of it can be accepted.
          if (kept !== undefined) yield* view.isNewest
          if (kept !== undefined) return kept
        }
      }
      return undefined
    }),
  )
