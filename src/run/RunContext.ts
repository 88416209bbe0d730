import type { Effect } from "effect"
import type { Destination } from "../domain/destination.ts"
import type { Form } from "../domain/form.ts"
import type { Progress } from "../domain/progress.ts"
import type { Column } from "../domain/row.ts"
import type { Mode } from "../domain/run.ts"
import type { Ledger, LedgerSession, PipelineLedger } from "../ledger/Ledger.ts"
import type { Mapping } from "../mapping/Mapping.ts"
import type { Pipeline } from "../project/Pipeline.ts"
import type { RunFolder } from "../report/RunFolder.ts"
import type { FormService } from "../service/FormService.ts"
import type { Source } from "../source/Source.ts"
import type { Carried } from "./nextCommand.ts"
import type { Rehearsed } from "./sinceRehearsal.ts"
import type { Stop } from "./Stop.ts"

/** Everything that a run works with, opened and checked. Made by the job that starts it. */
export interface RunContext {
  readonly id: string
  readonly mode: Mode
  readonly pipeline: Pipeline
  /** The target's name, as `--to` takes it; undefined if the pipeline has only one. */
  readonly target: string | undefined
  /** The service's name in the project, and where it is. */
  readonly serviceName: string
  readonly destination: Destination
  readonly form: Form
  readonly formFingerprint: string
  readonly mapping: Mapping
  /** Names of the mapped columns, sorted: what a row's content is taken over. */
  readonly shape: ReadonlyArray<string>
  /** Names of the row key's columns, for people. */
  readonly keyColumns: ReadonlyArray<string>
  readonly source: Source
  /** The source's own columns: without those that a rejected.csv adds. */
  readonly columns: ReadonlyArray<Column>
  /** Whether the source is the one that the pipeline names, and not another one that it was given. */
  readonly ownSource: boolean
  /** Whether the source is a mended rejected.csv. */
  readonly mended: boolean
  readonly service: FormService
  readonly ledger: Ledger
  readonly view: PipelineLedger
  /** Absent for a dry run: nothing is written then. */
  readonly session: LedgerSession | undefined
  /** For a dry run whose rows have other keys than in the ledger: a session on the copy of the ledger that it works with. */
  readonly recorder?: LedgerSession | undefined
  readonly folder: RunFolder
  readonly stop: Stop
  /** Asks whether so many rows may be sent; absent: they may. */
  readonly mayBeSent?: ((rows: number) => Effect.Effect<boolean>) | undefined
  /** What goes along to the command to run next. */
  readonly carried: Carried
  readonly progress: (event: Progress) => Effect.Effect<void>
  /** New rows to send at most. */
  readonly limit: number | undefined
  readonly retryRefused: boolean
  /** For a rehearsal: submissions of earlier runs that it leaves unread, for they are not where it reads; and the pace that the real run will have. */
  readonly rehearsal?: { readonly leftUnread: number; readonly requestsPerSecond: number } | undefined
  /** The rehearsal before this run, if there was one since the last run. */
  readonly rehearsed?: Rehearsed | undefined
  /** Things to tell that are no problem of a row. */
  readonly warnings: ReadonlyArray<string>
}
