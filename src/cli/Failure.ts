import type { PlatformError } from "@effect/platform/Error"
import type { QuitException } from "@effect/platform/Terminal"
import { Data } from "effect"
import type { NothingToAccept } from "../jobs/acceptances.ts"
import type { NothingAcknowledged } from "../jobs/acknowledge.ts"
import type { DemonstrationMissing } from "../jobs/demo.ts"
import { exitStatus } from "../jobs/exitStatus.ts"
import type { ServiceUnknown } from "../jobs/form.ts"
import type { InitRefused } from "../jobs/init/Initialised.ts"
import type { PracticeFormsMissing } from "../jobs/practice.ts"
import type { ConfirmationMissing } from "../jobs/run.ts"
import type { NothingScheduled, ScheduleUnconfirmed } from "../jobs/schedule/begin.ts"
import type { NothingSettled } from "../jobs/settle.ts"
import type { ExportUnusable } from "../jobs/settleFromExport.ts"
import type { TargetUnknown } from "../jobs/target.ts"
import type { LedgerBusy, LedgerError, LedgerLocked, LedgerOvertaken, LedgerRefused } from "../ledger/Ledger.ts"
import type { PracticeFailure } from "../practice/embedded.ts"
import type { ConfigurationInvalid, PipelineUnknown, ProjectNotFound } from "../project/errors.ts"
import type { ReportError } from "../report/partFiles.ts"
import type { ReportUnreadable } from "../report/pastRuns.ts"
import type { ServiceUnusable } from "../service/FormService.ts"
import type { OutcomeUnrecorded } from "../sink/Sink.ts"
import type { SourceChanged, SourceError } from "../source/Source.ts"
import type { OutputLost } from "./Output.ts"

/** A command did what it could and said what there was to say; it ends with this exit status. */
export class CommandEnded extends Data.TaggedError("CommandEnded")<{
  readonly status: number
  /** The command to run next. */
  readonly next: string | undefined
}> {}

/** The command line can't be read, or asks for what is impossible (exit code 2). */
export class UsageWrong extends Data.TaggedError("UsageWrong")<{
  readonly message: string
  /** An option with which the same command works. */
  readonly lacks?: string
}> {}

/** Everything that ends a command of formferry early. */
export type Failure =
  | CommandEnded
  | UsageWrong
  | OutputLost
  | QuitException
  | PlatformError
  | ConfigurationInvalid
  | ProjectNotFound
  | PipelineUnknown
  | TargetUnknown
  | ServiceUnknown
  | ConfirmationMissing
  | NothingAcknowledged
  | NothingToAccept
  | InitRefused
  | NothingSettled
  | NothingScheduled
  | ScheduleUnconfirmed
  | ExportUnusable
  | PracticeFormsMissing
  | PracticeFailure
  | DemonstrationMissing
  | SourceError
  | SourceChanged
  | ServiceUnusable
  | LedgerRefused
  | LedgerBusy
  | LedgerLocked
  | LedgerOvertaken
  | LedgerError
  | OutcomeUnrecorded
  | ReportError
  | ReportUnreadable

/** The exit status of each (product.md, "Exit status"). `CommandEnded` brings its own. */
export const statusOf: { readonly [T in Exclude<Failure["_tag"], "CommandEnded">]: number } = {
  UsageWrong: 2,
  // What keeps a run from its report.
  ...exitStatus,
  // Configuration that only other commands look at.
  ServiceUnknown: 2,
  NothingAcknowledged: 2,
  NothingToAccept: 2,
  InitRefused: 2,
  NothingSettled: 2,
  NothingScheduled: 2,
  ScheduleUnconfirmed: 2,
  ExportUnusable: 2,
  PracticeFormsMissing: 2,
  LedgerBusy: 6,
  // The source changed under a run.
  SourceChanged: 5,
  // A fault in formferry, its ledger or the disk.
  OutputLost: 70,
  DemonstrationMissing: 70,
  BadArgument: 70,
  SystemError: 70,
  // Ctrl-C at a prompt.
  QuitException: 130,
}
