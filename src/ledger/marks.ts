// Marks show whether a ledger is the newest (docs/decisions/0017-marks.md).
import type * as Effect from "effect/Effect"
import type { LedgerError } from "./errors.ts"
import type { Holder } from "./holder.ts"
import type { MarkPlaces } from "./Ledger.ts"

/** Identifies one holder of a lock in one ledger. */
export interface MarkedHolder {
  /** The ledger's id. */
  readonly ledger: string
  readonly epoch: number
  /** A random text that is also in the ledger. If two copies of a ledger are continued, they share the epoch but not the word. */
  readonly word: string
}

/** The server of a ledger in PostgreSQL at the time of a commit. */
export interface MarkedServer {
  /** The identifier of the server's files. Copies of the files have the same one. */
  readonly system: string
  /** Rises when a copy is promoted to be the server. */
  readonly timeline: number
  /** The position in the server's log (LSN). */
  readonly position: string
}

/** Records how many times a holder has committed. A ledger with fewer commits of this holder is not the newest copy. */
export interface Mark extends MarkedHolder {
  readonly upTo: number
  readonly server?: MarkedServer | undefined
}

/** A file among the marks that is not a valid mark. */
export interface DamagedMark {
  readonly damaged: string
}

/** The marks of an open ledger, wherever they are. */
export interface Marks extends Pick<MarkPlaces, "ledger"> {
  readonly shared: SharedLedger | undefined
  /** Reads every mark, one for each holder. */
  readonly read: Effect.Effect<ReadonlyArray<Mark | DamagedMark>, LedgerError>
  /** @param me the process that writes */
  readonly of: (holder: MarkedHolder, me: Holder) => HolderMark
}

export interface SharedLedger {
  /** What messages call the place of the marks. Every host must use the same place. Undefined for a rehearsal, which leaves no marks. */
  readonly place: string | undefined
  /** Returns the holders that have a mark in that place, by the names of their marks. */
  readonly holders: () => Promise<ReadonlyArray<string>>
  /** Returns the ledger's server after the last commit. Undefined if the user has no permission to know it. */
  readonly server: () => MarkedServer | undefined
}

export interface HolderMark {
  /**
   * Writes how many times the holder has committed. Returns, or fulfils its promise, once that is durable. Throws if it can't be written. If several
   * hosts share the ledger, then calls `mustBeOnly`.
   */
  readonly write: (upTo: number) => Promise<void> | undefined
  /** Fails if a different copy of the ledger is in use, because a holder that this ledger doesn't have has made a mark since the first `write`. */
  readonly mustBeOnly?: () => Promise<void>
  readonly close: () => void
}

/** Names a holder, as the names of marks do. */
export const holderName = ({ epoch, ledger, word }: MarkedHolder): string => `${ledger}-${epoch}-${word}`
