import * as Effect from "effect/Effect"
import type { Form } from "../domain/form.ts"
import { counted } from "../domain/words.ts"
import { serve } from "../practice/PracticeService.ts"
import { forgettingStore } from "../practice/store.ts"
import type { Project } from "../project/Project.ts"
import { execute } from "../run/Run.ts"
import { CurrentRun, RunLedger } from "../run/RunContext.ts"
import { make } from "../service/client.ts"
import type { FormService } from "../service/FormService.ts"
import { openRun } from "./openRun.ts"
import { prepareRun } from "./prepare.ts"
import { copyOfLedger } from "./projectLedger.ts"
import { pullsOf, type RunOptions } from "./run.ts"
import { can, practiceSettings } from "./services.ts"
import { findPipeline } from "./target.ts"

/** The options of a run, without those for its confirmation, because nothing is sent to a live service. */
type RehearsalOptions = Omit<RunOptions, "ask" | "confirm" | "dryRun">

/**
 * Performs a complete run against a practice service that has the live form's metadata. Only the creation of live submissions is omitted. Fetches
 * only the form from the real service. Uses a temporary copy of the ledger under the real destination, so that it recognises imported rows.
 */
export const rehearsePipeline = (project: Project, options: RehearsalOptions) =>
  Effect.scoped(
    Effect.gen(function*() {
      const pipeline = yield* findPipeline(project, options.pipeline)
      const prepared = yield* prepareRun(project, pipeline, { ...options, pulls: pullsOf(options) })
      const { form, target } = prepared
      const run = yield* openRun(project, {
        ...options,
        ...prepared,
        service: yield* stage(form),
        copy: yield* copyOfLedger(project, prepared),
        mode: "rehearsal",
      })
      const config = project.services.get(target.service)
      const canList = can(project, target.service, "list")
      const requestsPerSecond = config?._tag === "Live" ? config.requestsPerSecond : Number.POSITIVE_INFINITY
      const rehearsal = Effect.gen(function*() {
        const { verdicts: { unread } } = yield* (yield* RunLedger).view.counts
        return yield* Effect.updateService(execute, CurrentRun, (plan) => ({
          ...plan,
          rehearsal: { leftUnread: unread, requestsPerSecond, canList },
          warnings: [...plan.warnings, ...(unread === 0 ? [] : [leftAlone(unread)])],
        }))
      })
      return yield* Effect.provide(rehearsal, run)
    }),
  )

const leftAlone = (unread: number): string =>
  `${counted(unread, "submission of an earlier run is", "submissions of earlier runs are")} not read back yet. `
  + `A rehearsal does not read ${unread === 1 ? "it" : "them"}; the next run reads ${
    unread === 1 ? "it" : "them"
  } first.`

/** Starts a practice service with this form, over HTTP on loopback. It returns no edit links, because they would stop working when it ends. */
const stage = (form: Form) =>
  Effect.gen(function*() {
    const practice = yield* serve({ forms: [form], store: forgettingStore(), port: 0 })
    const service = yield* make({ ...practiceSettings, baseUrl: practice.baseUrl, apiKey: practice.apiKey })
    const staged: FormService = {
      ...service,
      read: (formId, submissionId, options) =>
        options?.editLink === true ? Effect.succeed(undefined) : service.read(formId, submissionId),
    }
    // A rehearsal fetches the form first, as a run does.
    yield* staged.form(form.id)
    return staged
  })
