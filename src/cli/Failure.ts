import type { PlatformError } from "@effect/platform/Error"
import type { QuitException } from "@effect/platform/Terminal"
import { Data } from "effect"
import { exits } from "../domain/exit.ts"
import type { NothingToAccept } from "../jobs/acceptances.ts"
import type { NothingAcknowledged } from "../jobs/acknowledge.ts"
import { type AttemptFailure, exitStatus } from "../jobs/attempt.ts"
import type { DemonstrationMissing } from "../jobs/demo.ts"
import type { PracticeFormsMissing } from "../jobs/practice.ts"
import type { NothingScheduled, ScheduleUnconfirmed } from "../jobs/schedule.ts"
import type { ServiceUnknown } from "../jobs/services.ts"
import type { NothingSettled } from "../jobs/settle.ts"
import type { ExportUnusable } from "../jobs/settleFromExport.ts"
import type { InitRefused } from "../jobs/suggestMapping.ts"
import type { LedgerBusy } from "../ledger/Ledger.ts"
import type { SourceChanged } from "../source/Source.ts"
import type { OutputLost } from "./Output.ts"

/** A command did its work and said what there is to say. It exits with this code. */
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

/** Everything that ends a command early. */
export type Failure =
  | CommandEnded
  | UsageWrong
  | OutputLost
  | QuitException
  | PlatformError
  | AttemptFailure
  | ServiceUnknown
  | NothingAcknowledged
  | NothingToAccept
  | InitRefused
  | NothingSettled
  | NothingScheduled
  | ScheduleUnconfirmed
  | ExportUnusable
  | PracticeFormsMissing
  | DemonstrationMissing
  | SourceChanged
  | LedgerBusy

/** The exit code of each failure. `CommandEnded` has its own. */
export const statusOf: { readonly [T in Exclude<Failure["_tag"], "CommandEnded">]: number } = {
  ...exitStatus,
  UsageWrong: exits.wrong.code,
  ServiceUnknown: exits.wrong.code,
  NothingAcknowledged: exits.wrong.code,
  NothingToAccept: exits.wrong.code,
  InitRefused: exits.wrong.code,
  NothingSettled: exits.wrong.code,
  NothingScheduled: exits.wrong.code,
  ScheduleUnconfirmed: exits.wrong.code,
  ExportUnusable: exits.wrong.code,
  PracticeFormsMissing: exits.wrong.code,
  SourceChanged: exits.unavailable.code,
  LedgerBusy: exits.busy.code,
  OutputLost: exits.internalError.code,
  DemonstrationMissing: exits.internalError.code,
  BadArgument: exits.internalError.code,
  SystemError: exits.internalError.code,
  // Ctrl-C while a question is asked.
  QuitException: exits.interrupted.code,
}
