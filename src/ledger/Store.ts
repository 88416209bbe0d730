import { DateTime, Effect } from "effect"
import type { Clock } from "effect"
import type { Database } from "./database.ts"
import { attempt } from "./failure.ts"
import type { Holder } from "./holder.ts"
import type { Digester, LedgerError } from "./Ledger.ts"
import type { LedgerFiles } from "./LedgerFiles.ts"
import type { MarkPlaces } from "./marks.ts"
import type { Texts } from "./Texts.ts"
import type { Writer } from "./Writer.ts"

/** The pipeline that a command is about, and its `--to`: a refusal names them in the command that resolves it. */
export interface Asker {
  readonly pipeline: string
  readonly target: string | undefined
}

/** An open ledger's parts. */
export interface Store {
  readonly file: string
  readonly id: string
  readonly marks: MarkPlaces
  readonly files: LedgerFiles
  readonly asker: Asker | undefined
  readonly db: Database
  readonly writer: Writer
  readonly texts: Texts
  readonly digest: Digester
  readonly clock: Clock.Clock
  /** Milliseconds after which a holder without a heartbeat is overtaken, and between heartbeats. */
  readonly staleAfter: number
  readonly heartbeat: number
  /** Who takes locks. */
  readonly holder: Holder
}

/** Reads between transactions. */
export const reading = <A>(store: Store, doing: string, work: () => A): Effect.Effect<A, LedgerError> =>
  Effect.suspend(() => attempt(store.file, doing, work))

export const isoOf = (millis: number): string => DateTime.formatIso(DateTime.unsafeMake(millis))
