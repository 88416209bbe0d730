import type { Effect } from "effect"
import type { loadProject } from "../project/loadProject.ts"
import type { reconcilePipeline } from "./reconcile.ts"
import type { runPipeline } from "./run.ts"

/** Everything that can keep a pipeline's run from its report. */
export type AttemptFailure =
  | Effect.Effect.Error<ReturnType<typeof loadProject>>
  | Effect.Effect.Error<ReturnType<typeof runPipeline>>
  | Effect.Effect.Error<ReturnType<typeof reconcilePipeline>>

/** The exit status of each (product.md, "Exit status"). */
export const exitStatus: { readonly [T in AttemptFailure["_tag"]]: number } = {
  // Configuration, mapping, sources, confirmation: nothing was sent.
  ConfigurationInvalid: 2,
  ProjectNotFound: 2,
  PipelineUnknown: 2,
  TargetUnknown: 2,
  ConfirmationMissing: 2,
  FormFileInvalid: 2,
  FaultsFileInvalid: 2,
  StoreUnusable: 2,
  PracticeNotServed: 2,
  SourceError: 2,
  LedgerRefused: 2,
  ReportUnreadable: 2,
  ServiceUnusable: 5,
  LedgerLocked: 6,
  LedgerOvertaken: 6,
  // A fault in formferry, its ledger or the disk.
  LedgerError: 70,
  OutcomeUnrecorded: 70,
  ReportError: 70,
}
