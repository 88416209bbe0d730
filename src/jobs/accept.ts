import * as FileSystem from "@effect/platform/FileSystem"
import * as Effect from "effect/Effect"
import type { AcceptReason } from "../domain/acceptance.ts"
import type { Json } from "../domain/json.ts"
import { acceptedLedger } from "../ledger/behind.ts"
import type { LedgerError } from "../ledger/errors.ts"
import type { Acceptance, Recorded, RefusedState } from "../ledger/facts.ts"
import type { Ledger, PipelineLedger } from "../ledger/Ledger.ts"
import { recordFile } from "../project/formRecord.ts"
import type { Project } from "../project/Project.ts"
import { canaryBasis } from "../run/canary.ts"
import { historyOf, openGap, unreadFiles } from "../run/history.ts"
import { formFingerprint } from "../service/codec.ts"
import { isRefused } from "./formChanges.ts"
import { JobRefused } from "./JobRefused.ts"
import { prepare, type Prepared } from "./prepare.ts"
import { newRunId, openIfAny, openPlace } from "./projectLedger.ts"
import { findPipeline, type OfPipeline } from "./target.ts"

/** A pipeline with everything that a run needs. */
interface Checked {
  readonly prepared: Prepared
  readonly ledger: Ledger
  readonly view: PipelineLedger
}

/** A state in which runs are refused. `states` identify it for `view.accepted`. `what` describes it for people. */
interface Refused extends Pick<RefusedState, "states" | "what"> {
  /** What is recorded in addition to the acceptance. If it is the form, the same state is refused again if it recurs. */
  readonly facts?: Pick<Recorded, "form" | "pulled">
}

type Entry = (checked: Checked) => Effect.Effect<Refused | undefined, LedgerError, FileSystem.FileSystem>

/**
 * Finds what is refused now, by reason. To add a reason, add a line to `acceptReasons` and an entry here. The run must check `view.accepted(reason,
 * states)` with the same states before it fails with a message that contains `acceptCommand`.
 */
const acceptances: { readonly [R in AcceptReason]: Entry } = {
  files: ({ prepared: { source }, view }) =>
    Effect.map(unreadFiles(view, source), (files) =>
      files.length === 0 ? undefined : {
        states: files.map(({ version }) => version),
        what: `Files that match and were not read as they are now: ${files.map(({ name }) => name).join(", ")}.`,
      }),
  gap: ({ view }) =>
    Effect.gen(function*() {
      const gap = yield* openGap(view, yield* historyOf(view, ""))
      return gap === undefined
        ? undefined
        : { states: [gap], what: `The source of run ${gap} shared no row with the source of the previous run.` }
    }),
  canary: ({ ledger, prepared: { form, mapping, pipeline }, view }) =>
    Effect.map(view.facts, ({ canary }) => {
      const basis = canaryBasis({ mapping, formFingerprint: formFingerprint(form), pipeline }, ledger)
      return canary?.state === "failed" && canary.standing === basis
        ? { states: [basis], what: `The canary failed. ${canary.because}` }
        : undefined
    }),
  ledger: ({ ledger }) =>
    Effect.map(
      ledger.behind,
      (behind) =>
        behind && {
          states: behind.states,
          what: `${behind.wrong}. ${acceptedLedger}`,
          // Runs that this copy of the ledger lacks may have handled older records.
          facts: { pulled: null },
        },
    ),
  form: ({ ledger, prepared: { changed, form } }) =>
    Effect.succeed(
      changed.record === undefined || !isRefused(changed) ? undefined : {
        states: [ledger.digest.value({ was: changed.record.form, is: form } as unknown as Json).toString("hex")],
        what: changed.changes.map(({ message }) => message).join(" "),
        facts: { form },
      },
    ),
  "row-key": ({ view }) =>
    Effect.map(view.facts, ({ refused }) => (refused?.reason === "row-key" ? refused : undefined)),
}

/**
 * Records that a person accepts the state in which runs of the pipeline are refused. The acceptance is valid for exactly that state. Takes the
 * pipeline's lock. Returns a description of the state.
 *
 * @param options.by name of the person
 */
export const acceptRefused = (
  project: Project,
  options: OfPipeline & Pick<Acceptance, "reason" | "because" | "by">,
) =>
  Effect.scoped(
    Effect.gen(function*() {
      const { because, by, reason } = options
      const named = yield* findPipeline(project, options.pipeline)
      const nothing = new JobRefused({
        code: "NothingToAccept",
        next: ["status", named.name],
        message:
          `No run of ${named.name} was refused because of its ${reason}, so there is nothing to accept. Run the pipeline: if the run is refused, its message contains the command to accept that.`,
      })
      const prepared = yield* prepare(project, named, { to: options.to, source: undefined })
      const { changed, form, pipeline, target } = prepared
      if (reason === "form" && changed.record?.by === "file" && isRefused(changed)) {
        return yield* new JobRefused({
          code: "NothingToAccept",
          next: ["check", named.name, "--accept-form"],
          message: `${
            recordFile(named.name, target.target)
          } records the form of ${named.name}, so the changes are accepted there. First correct the mapping, then record the form as it is now.`,
        })
      }
      const ledger = yield* openIfAny(project, { pipeline, target }, reason === "ledger")
      if (ledger === undefined) return yield* nothing
      const view = yield* openPlace({ project, pipeline, target }, ledger, form.id)
      if (reason !== "ledger") yield* view.isNewest
      const refused = yield* acceptances[reason]({ prepared, ledger, view })
      if (refused === undefined) return yield* nothing
      if (refused.facts?.form === undefined && (yield* view.accepted(reason, refused.states))) return yield* nothing
      const session = yield* view.hold(yield* newRunId, reason === "ledger" ? refused.states : [])
      const acceptance = { reason, states: refused.states, because, by }
      yield* session.recordFacts({ acceptance, ...refused.facts })
      return { what: refused.what }
    }),
  )
