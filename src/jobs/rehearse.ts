import { Effect } from "effect"
import type { Form } from "../domain/form.ts"
import { counted } from "../domain/words.ts"
import { serve } from "../practice/PracticeService.ts"
import { forgettingStore } from "../practice/store.ts"
import type { Project } from "../project/Project.ts"
import { execute } from "../run/Run.ts"
import { CurrentRun, RunLedger } from "../run/RunContext.ts"
import { make } from "../service/client.ts"
import type { FormService } from "../service/FormService.ts"
import { requireUnchangedForm } from "./formChanges.ts"
import { openRun } from "./openRun.ts"
import { orInterrupted } from "./orInterrupted.ts"
import { prepare } from "./prepare.ts"
import { temporaryCopy } from "./projectLedger.ts"
import type { RunOptions } from "./run.ts"
import { practiceSettings } from "./services.ts"
import { findPipeline } from "./target.ts"

/** What `rehearse` was asked to do: what `run` is, but for the confirmation, for nothing is sent. */
type RehearsalOptions = Omit<RunOptions, "ask" | "confirm" | "dryRun">

/**
 * The whole run against a practice service that has the live form's metadata: everything but the live create. The real service is asked for the form and for nothing else; the run works on a
 * copy of the ledger that is thrown away, under the real destination, so that known rows are known.
 */
export const rehearsePipeline = (project: Project, options: RehearsalOptions) =>
  Effect.scoped(
    Effect.gen(function*() {
      const pipeline = yield* findPipeline(project, options.pipeline)
      const prepared = yield* orInterrupted(options.interrupted, prepare(project, pipeline, options))
      const warnings = [...(yield* requireUnchangedForm(prepared.changed)), ...prepared.warnings]
      yield* options.warn(warnings)
      const { form, opened } = prepared
      const run = openRun(project, {
        ...options,
        ...prepared,
        opened: { ...opened, service: yield* stage(form) },
        ledger: yield* temporaryCopy(project.ledger),
        mode: "rehearsal",
        otherSource: options.source,
        warnings: warnings.map((warning) => warning.message),
      })
      const config = project.services.get(opened.name)
      const requestsPerSecond = config?._tag === "Live" ? config.requestsPerSecond : Number.POSITIVE_INFINITY
      const rehearsal = Effect.gen(function*() {
        const { verdicts: { unread } } = yield* (yield* RunLedger).view.counts
        return yield* Effect.updateService(execute, CurrentRun, (plan) => ({
          ...plan,
          rehearsal: { leftUnread: unread, requestsPerSecond },
          warnings: [...plan.warnings, ...(unread === 0 ? [] : [leftAlone(unread)])],
        }))
      })
      return yield* Effect.provide(rehearsal, run)
    }),
  )

const leftAlone = (unread: number): string =>
  `${counted(unread, "submission of an earlier run is", "submissions of earlier runs are")} not read back yet. `
  + "A rehearsal leaves them alone; the run reads them first."

/** A practice service of its own with this form, over real HTTP on loopback. Its edit links lead nowhere once it is gone, so there are none. */
const stage = (form: Form) =>
  Effect.gen(function*() {
    const practice = yield* serve({ forms: [form], store: forgettingStore(), port: 0 })
    const service = yield* make({ ...practiceSettings, baseUrl: practice.baseUrl, apiKey: practice.apiKey })
    const staged: FormService = {
      ...service,
      read: (formId, submissionId, options) =>
        options?.editLink === true ? Effect.succeed(undefined) : service.read(formId, submissionId),
    }
    // The one request that a run makes before its rows.
    yield* staged.form(form.id)
    return staged
  })
