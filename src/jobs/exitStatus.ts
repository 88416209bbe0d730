import type { Effect } from "effect"
import { exits } from "../domain/exit.ts"
import type { loadProject } from "../project/loadProject.ts"
import type { reconcilePipeline } from "./reconcile.ts"
import type { runPipeline } from "./run.ts"

/** Everything that can keep a pipeline's run from its report. */
export type AttemptFailure =
  | Effect.Effect.Error<ReturnType<typeof loadProject>>
  | Effect.Effect.Error<ReturnType<typeof runPipeline>>
  | Effect.Effect.Error<ReturnType<typeof reconcilePipeline>>

/** The exit code of each. */
export const exitStatus: { readonly [T in AttemptFailure["_tag"]]: number } = {
  // Configuration, mapping, sources, confirmation: nothing was sent.
  ConfigurationInvalid: exits.wrong.code,
  ProjectNotFound: exits.wrong.code,
  PipelineUnknown: exits.wrong.code,
  TargetUnknown: exits.wrong.code,
  ConfirmationMissing: exits.wrong.code,
  FormFileInvalid: exits.wrong.code,
  FaultsFileInvalid: exits.wrong.code,
  StoreUnusable: exits.wrong.code,
  PracticeNotServed: exits.wrong.code,
  SourceError: exits.wrong.code,
  LedgerRefused: exits.wrong.code,
  ReportUnreadable: exits.wrong.code,
  ServiceUnusable: exits.unavailable.code,
  LedgerLocked: exits.busy.code,
  LedgerOvertaken: exits.busy.code,
  // A fault in formferry, its ledger or the disk.
  LedgerError: exits.internalError.code,
  OutcomeUnrecorded: exits.internalError.code,
  ReportError: exits.internalError.code,
}
