import { Schema } from "effect"
import type { Effect, Stream } from "effect"
import type { Fate, Verdict } from "../domain/fate.ts"
import type { Problem } from "../domain/problem.ts"
import type { Difference, Replacement, RunReport } from "../domain/run.ts"

/** What stands in the place of a text that must not be shown: the same for the same text, and nothing for nothing. */
export type Mask = (text: string) => string

/** A report's file can't be written. */
export class ReportError extends Schema.TaggedError<ReportError>()("ReportError", {
  file: Schema.String,
  cause: Schema.Defect,
}) {
  override get message() {
    const reason = this.cause instanceof Error ? this.cause.message : String(this.cause)
    return `The report ${this.file} can't be written: ${reason}.`
  }
}

/** A row for rejected.csv: its own cells as text, in the order of the source's columns. */
export interface RejectedRow {
  readonly row: number
  readonly key: string | undefined
  readonly fate: Extract<Fate, "invalid" | "refused" | "duplicate" | "changed">
  readonly problems: ReadonlyArray<Problem>
  readonly cells: ReadonlyArray<string>
  /** Nothing is lost and nobody is bothered: a duplicate with the same content, a change that the pipeline ignores. */
  readonly quiet: boolean
}

/** A row for in-doubt.csv. */
export interface InDoubtRow {
  readonly row: number
  readonly key: string
  readonly batch: number
  readonly sentAt: string
  readonly reason: string
  readonly cells: ReadonlyArray<string>
}

/** A row for imported.csv. */
export interface ImportedRow {
  readonly row: number
  readonly key: string
  readonly submissionId: string
  readonly verdict: Verdict
  readonly submissionTime: string | undefined
  /** The submission that stood for the row before it changed and went in again. */
  readonly replaces?: string | undefined
}

/** A row for vanished.csv: it was imported, and the source does not hold it any more. */
export interface VanishedRow {
  readonly key: string
  /** Its number in the source of the run that sent it. */
  readonly row: number
  readonly submissionId: string | undefined
  /** The run that missed it first, and when that began (ISO 8601). */
  readonly since: { readonly run: string; readonly at: string } | undefined
}

/** A run's report, for a later run that repeats it. */
export interface Earlier extends Pick<RunReport, "problems"> {
  /** Its folder. */
  readonly path: string
}

/**
 * The folder of one run, `reports/NAME/RUN-ID/`, owner-only. Rejected rows are spooled as the run goes, in any order and any number; everything else is streamed in at the end, so
 * that memory stays flat.
 */
export interface RunFolder {
  readonly path: string
  readonly run: string
  /** What stands in the place of values; undefined: the values themselves. The report handed to `finish` has to be masked already. */
  readonly mask: Mask | undefined
  /** Spools rejected rows to disk; the last word on a row's fate is given by `finish`. */
  readonly reject: (rows: ReadonlyArray<RejectedRow>) => Effect.Effect<void, ReportError>
  /**
   * The rows spooled so far, in row order, in pages. `fateOf` gives the last word on a row, as in `finish`; can be read before `finish`, and more rows
   * can be spooled afterwards.
   */
  readonly rejected: (
    fateOf: (row: RejectedRow) => RejectedRow | undefined,
  ) => Stream.Stream<ReadonlyArray<RejectedRow>, ReportError>
  /** Spools differences. */
  readonly differ: (differences: ReadonlyArray<Difference>) => Effect.Effect<void, ReportError>
  /** Spools rows that went in again. */
  readonly replace: (replacements: ReadonlyArray<Replacement>) => Effect.Effect<void, ReportError>
  /** Another run of the pipeline, as long as its report is there and can be repeated: its values are masked as this one's are. */
  readonly of: (run: string) => Effect.Effect<Earlier | undefined>
  /** Writes all files of product.md's "What a run leaves" and points `latest` to the folder; rejected.csv is in row order. */
  readonly finish: <E>(result: {
    readonly report: RunReport
    /** Titles of the source's columns, in their order. */
    readonly columns: ReadonlyArray<string>
    readonly imported: Stream.Stream<ReadonlyArray<ImportedRow>, E>
    /** The run that this one repeats: its rejected.csv is this one's too. */
    readonly repeats?: Earlier | undefined
    /** Imported rows that the source does not hold any more. */
    readonly vanished?: Stream.Stream<ReadonlyArray<VanishedRow>, E>
    /** Titles of the columns differ when a row stems from another source; each row brings as many cells as `columns`, or fewer. */
    readonly inDoubt: Stream.Stream<ReadonlyArray<InDoubtRow>, E>
    /** The final fate of a spooled row, where the survey's end changed it; `undefined` drops the line. */
    readonly fateOf: (row: RejectedRow) => RejectedRow | undefined
  }) => Effect.Effect<void, ReportError | E>
}
