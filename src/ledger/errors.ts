import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { codeOf, reasonOf } from "../domain/systemErrors.ts"
import { lastingSeconds } from "../domain/times.ts"

/** The ledger can't be read or written, or is damaged. Ends the run at once (exit code 70): without a ledger, the next send could be a duplicate. */
export class LedgerError extends Schema.TaggedError<LedgerError>()("LedgerError", {
  file: Schema.String,
  /** What was being done, for example "recording an intent". */
  doing: Schema.String,
  cause: Schema.Defect,
  /** Whether a different transaction kept this one waiting for too long. Nothing of this one was written. Default: false. */
  isBusy: Schema.optional(Schema.Boolean),
  /** Whether the ledger could not be opened, so that every command that uses it fails. Default: false. */
  isAtStart: Schema.optional(Schema.Boolean),
}) {
  override get message() {
    return `${this.failed} Nothing more is sent without it.${this.advice}`
  }

  /** What happened and what to do next, without what it means for the rows. */
  get withoutRows() {
    return this.failed + this.advice
  }

  private get advice() {
    return this.isBusy === true
      ? " Nothing that was recorded is lost. Wait until the other process ends, or end it. Then run the same command again. docs/postgresql.md says how to find it."
      : ["EACCES", "EPERM"].includes(codeOf(this.cause))
      ? " If a different user owns the file, for example because a command was run with sudo, run as that user or change the file's owner."
      : ""
  }

  private get failed() {
    const { cause, doing, file } = this
    const { dest, path } = Object(cause) as NodeJS.ErrnoException & { readonly dest?: string }
    const other = path === undefined || path === file ? "" : ` (${path}${dest === undefined ? "" : ` to ${dest}`})`
    return `The ledger ${file} failed while ${doing}: ${reasonOf(cause)}${other}.`
  }
}

/** Marks a failure to open a ledger, or to find out whether it is the newest copy. */
export const atStart = <A, E, R>(opening: Effect.Effect<A, E, R>): Effect.Effect<A, E | LedgerError, R> =>
  Effect.mapError(
    opening,
    (error) =>
      error instanceof LedgerError ? new LedgerError({ ...error, cause: error.cause, isAtStart: true }) : error,
  )

/**
 * The ledger must not be used in its present state (exit code 2). For example, it vanished, it is an older copy, it is on a network file system, or a
 * different pipeline has imported into the form.
 */
export class LedgerRefused extends Schema.TaggedError<LedgerRefused>()("LedgerRefused", {
  message: Schema.String,
  /** The words of the command that helps. Default: none, because the message says what to do. */
  next: Schema.optional(Schema.Array(Schema.String)),
}) {}

/** Another run of this pipeline holds the lock (exit code 6). */
export class LedgerLocked extends Schema.TaggedError<LedgerLocked>()("LedgerLocked", {
  pipeline: Schema.String,
  /** The holder's process id, and the time when it took the lock (ISO 8601). */
  pid: Schema.Number,
  since: Schema.String,
  /** If several hosts use the ledger: the holder's, and the rest of its lease. Times in milliseconds. */
  other: Schema.optional(Schema.Struct({ host: Schema.String, silentFor: Schema.Number, expiresIn: Schema.Number })),
}) {
  override get message() {
    const { other, pid, pipeline, since } = this
    const at = other === undefined ? "" : ` on ${other.host}`
    return `Another run of ${pipeline} has been in progress since ${since} (process ${pid}${at}). ${this.advice}`
  }
  /** Says what to do, without the names of a process or a host. */
  get advice() {
    const { other } = this
    const rest = other === undefined
      ? ""
      : ` It sent its last heartbeat ${lastingSeconds(other.silentFor)} ago. If its host has died, run again in ${
        lastingSeconds(other.expiresIn)
      }.`
    return `Wait for it to end, or stop it first.${rest}`
  }
}

/** Deleted data remains on the disk, because it can still be read elsewhere (exit code 6). */
export class LedgerBusy extends Schema.TaggedError<LedgerBusy>()("LedgerBusy", {
  file: Schema.String,
  /** What may still read deleted data: a process that has the file open, a transaction in PostgreSQL, or a copy for a rehearsal. */
  by: Schema.Literal("process", "transaction", "copy"),
  /** The folder or schema of the copy. */
  copy: Schema.optional(Schema.String),
}) {
  override get message() {
    return this.by === "copy"
      ? `A copy of the ledger ${this.file} for a rehearsal still contains deleted data: ${this.copy}. `
        + "Nothing is damaged. Wait until the rehearsal ends. If it has ended, delete the copy. Then run the command again."
      : this.by === "process"
      ? `Another process is reading the ledger ${this.file}, so its log can't be emptied and may still contain deleted data. `
        + "Nothing is damaged. Wait for the other process, then run the command again."
      : `A transaction has been open in the database of the ledger ${this.file} since before the deletion, so the server still keeps deleted data. `
        + "Nothing is damaged. End that transaction, or wait until it ends. Then run the command again. docs/postgresql.md says how to find it."
  }
}

/** Returns what to do if a row is the same as one of a different pipeline. */
export const ifSameRows = (pipeline: string): string =>
  `If they are the same rows, take them out of the source, or import both sources with ${pipeline}: list their files under source.file.`

/**
 * Since this run took its lock, a different pipeline has sent a row with the same key and cells to the same form, or has recorded that it is about to. Its
 * run may have ended, and the row may be in doubt. Nothing was recorded.
 */
export class RowShared extends Schema.TaggedError<RowShared>()("RowShared", {
  pipeline: Schema.String,
  /** The number of the row that was about to be sent. */
  row: Schema.Number,
}) {
  override get message() {
    const { pipeline, row } = this
    return `Since this run started, ${pipeline} has sent, or may have sent, a row with the same key and cells as row ${row} to this form. Row ${row} was not sent. `
      + `${
        ifSameRows(pipeline)
      } Otherwise, run again: if the run is refused, its message contains the command to accept that.`
  }
}

/** This run was suspended for so long that another run took over its lock, or that the ledger was migrated. This run must not send anything more. */
export class LedgerOvertaken extends Schema.TaggedError<LedgerOvertaken>()("LedgerOvertaken", {
  pipeline: Schema.String,
  /** Whether a different build of formferry has changed the ledger's tables. Default: false. */
  isMigrated: Schema.optional(Schema.Boolean),
}) {
  override get message() {
    const happened = this.isMigrated === true
      ? `A different build of formferry has changed the ledger's tables during this run of ${this.pipeline}.`
      : `This run of ${this.pipeline} was suspended for too long, and another run took over.`
    return `${happened} This run sends nothing more.${this.isMigrated === true ? " Run again with that build." : ""}`
  }
}
