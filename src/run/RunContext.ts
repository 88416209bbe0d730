import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type { Diagnostic } from "../domain/diagnostic.ts"
import type { Form } from "../domain/form.ts"
import type { Item } from "../domain/item.ts"
import type { Cells } from "../domain/row.ts"
import type { Mode } from "../domain/run.ts"
import type { LedgerError, LedgerOvertaken } from "../ledger/errors.ts"
import type { Ledger, LedgerSession, PipelineLedger } from "../ledger/Ledger.ts"
import type { Mapping } from "../mapping/Mapping.ts"
import { type Pipeline, zoneOf } from "../project/Pipeline.ts"
import { keyColumns } from "../project/sourceSection.ts"
import { formFingerprint } from "../service/codec.ts"
import { columnNames } from "../source/columns.ts"
import { endOf, isFixed, ownColumns } from "../source/fixed.ts"
import type { Source } from "../source/Source.ts"
import type { Rehearsed } from "./sinceRehearsal.ts"

/** Finds cells that were damaged before they came into the source, and rows that are not records. */
interface TrapFinder {
  readonly add: (row: number, cells: Cells, item: Item) => void
  readonly findings: Effect.Effect<ReadonlyArray<Diagnostic>>
}

/** The settings of a run, and everything that was opened and checked before it starts. */
export interface RunRequest {
  readonly id: string
  readonly mode: Mode
  readonly pipeline: Pipeline
  /** The target's name, as `--to` takes it. Undefined if the pipeline has only one target. */
  readonly target?: string | undefined
  /** The service's name in the project. */
  readonly serviceName: string
  readonly form: Form
  readonly mapping: Mapping
  readonly source: Source
  /** The file of `--source`, which is read instead of the pipeline's own source. */
  readonly otherSource?: string | undefined
  /** `--project` as typed. */
  readonly projectOption?: string | undefined
  /** The name of the service if sending to it must be confirmed. */
  readonly confirm?: string | undefined
  /** Asks whether this many rows may be sent. Undefined if no question is needed. */
  readonly mayBeSent?: ((rows: number) => Effect.Effect<boolean>) | undefined
  /** The maximum number of new rows to send. */
  readonly limit?: number | undefined
  readonly retryRefused?: boolean | undefined
  /** Whether undone rows are sent again. */
  readonly resendUndone?: boolean | undefined
  /**
   * Set for a rehearsal. `leftUnread`: the number of earlier submissions that it can't read, because the practice
   * service lacks them. `requestsPerSecond`: the rate of the real run. `canList`: whether the real service can list.
   */
  readonly rehearsal?:
    | { readonly leftUnread: number; readonly requestsPerSecond: number; readonly canList: boolean }
    | undefined
  /** The latest rehearsal, if it took place after the last run. */
  readonly rehearsed?: Rehearsed | undefined
  /** Looks at the rows that are sent. In a dry run, at the first ones that would be sent. */
  readonly traps?: TrapFinder | undefined
  /** Warnings about the run as a whole. */
  readonly warnings: ReadonlyArray<string>
}

/** Adds derived values to a request. */
const planOf = (request: RunRequest) => {
  const { form, limit, mapping, mode, otherSource, pipeline, source, target } = request
  const { resendUndone = false, retryRefused = false } = request
  return {
    ...request,
    retryRefused,
    resendUndone,
    formFingerprint: formFingerprint(form),
    /** The names of the mapped columns. A row's content is hashed over these columns. */
    shape: columnNames(mapping.columns),
    /** The names of the row key's columns. */
    keyColumns: keyColumns(pipeline.source).map(({ name }) => name),
    /** The source's own columns, without those that a rejected.csv adds. */
    columns: ownColumns(source.columns),
    /** The position after the last column. A row may have cells from there on. */
    end: endOf(source.columns),
    /** The time zone in which the report shows times. */
    zone: zoneOf(pipeline),
    /** Whether the source is a rejected.csv. */
    isFixed: isFixed(source.columns),
    /** Whether the source is the one that the pipeline names. */
    ownSource: mode !== "reconcile" && otherSource === undefined,
    /** Whether the run is unlike a scheduled one: it reads a different file, has a limit, or has a different target. A schedule doesn't count such a run. */
    isUnscheduled: otherSource !== undefined || limit !== undefined || (pipeline.schedule?.to ?? target) !== target,
    /** Whether only new records were pulled, so that the source lacks most rows. */
    isPartial: source.increment?.mark !== undefined,
  }
}

/** A run's request, and values derived from it. */
export type RunPlan = ReturnType<typeof planOf>

/** The plan of the run in progress. */
export class CurrentRun extends Context.Tag("formferry/CurrentRun")<CurrentRun, RunPlan>() {
  static readonly make = planOf
}

/** The ledger as a run uses it. */
export class RunLedger extends Context.Tag("formferry/RunLedger")<RunLedger, {
  readonly ledger: Ledger
  /** The pipeline's rows at the destination. */
  readonly view: PipelineLedger
  /** Undefined for a dry run, which writes nothing. */
  readonly session: LedgerSession | undefined
  /** A session on a copy of the ledger, for a dry run whose row keys differ from the ledger's. */
  readonly onCopy?: LedgerSession | undefined
}>() {
  /** Writes to the ledger, except in a dry run. */
  static readonly write = <A>(
    write: (session: LedgerSession) => Effect.Effect<A, LedgerError | LedgerOvertaken>,
  ): Effect.Effect<A | undefined, LedgerError | LedgerOvertaken, RunLedger> =>
    Effect.flatMap(RunLedger, ({ session }) => session === undefined ? Effect.succeed(undefined) : write(session))
}
