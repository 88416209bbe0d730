import { Effect } from "effect"
import type { Item } from "../domain/item.ts"
import type { Replacement } from "../domain/report.ts"
import { compareSubmission } from "../kinds/submission.ts"
import type { LedgerError, LedgerOvertaken, LedgerSession } from "../ledger/Ledger.ts"
import type { ReadBack } from "../ledger/records.ts"
import { readBack, type ReadBackOptions, type ReadBackResult } from "../reconcile/ReadBack.ts"
import type { ReportError } from "../report/partFiles.ts"
import { traced } from "../service/telemetry.ts"
import { unlessUnwanted } from "../service/Unwanted.ts"
import type { RunContext } from "./RunContext.ts"
import { showProgress } from "./showProgress.ts"
import type { Tally } from "./Tally.ts"

/** What reading back works with. */
export interface Reading {
  readonly run: Pick<RunContext, "folder" | "progress" | "service" | "stop">
  readonly session: LedgerSession
  readonly tally: Tally
  readonly readBack: ReadBackOptions
}

/** How a pipeline's submissions are read back. */
export const readBackOptions = (
  run: Pick<RunContext, "form" | "ledger" | "mapping" | "pipeline" | "service" | "stop">,
): ReadBackOptions => ({
  formId: run.form.id,
  service: run.service,
  digest: run.ledger.digest,
  compare: (item, submission) => compareSubmission(run.mapping.answers, item, submission),
  tolerated: new Set(run.mapping.answers.flatMap((answer) => (answer.tolerated === undefined ? [] : [answer.id]))),
  visibleWithin: run.pipeline.reconcile.visibleWithin,
  unwanted: run.stop.reading,
})

/** A created submission that is to be read back. */
export interface CreatedRow {
  readonly keyDigest: Buffer
  readonly key: string
  readonly row: number
  readonly item: Item
  readonly submissionId: string
  /** The submission that stood for the row before it changed. */
  readonly replaces?: string | undefined
}

/** Whether what is not read back yet stays unread: the next run reads it first. */
const readingEnds = (run: Reading["run"]): boolean => run.stop.reasons().some((reason) => reason._tag !== "Protected")

/**
 * Reads created submissions back, records their verdicts, and takes the differences down.
 *
 * @param counted whether they count among this run's verdicts
 */
export const readBackRows = (
  reading: Reading,
  rows: ReadonlyArray<CreatedRow>,
  counted: boolean,
): Effect.Effect<void, LedgerError | LedgerOvertaken | ReportError> =>
  Effect.suspend(() => {
    const { run, session, tally } = reading
    if (rows.length === 0 || readingEnds(run)) return showProgress(run, tally)
    const read: Array<ReadRow> = []
    const replacing: Array<{ readonly row: CreatedRow; readonly result: ReadBackResult }> = []
    const first = readBack(rows, reading.readBack, (index, result) => {
      const row = rows[index]
      if (row === undefined) return
      if (row.replaces === undefined) read.push({ row, result, replacement: undefined })
      else replacing.push({ row, result })
    })
    const replaced = Effect.suspend(() =>
      unlessUnwanted(
        Effect.forEach(replacing, ({ result, row }) =>
          Effect.map(earlier(reading, row), (replacement) => {
            read.push({ row, result, replacement })
          }), { concurrency: "unbounded", discard: true }),
        run.stop.reading,
      )
    )
    const all = Effect.catchAll(
      Effect.flatMap(first, () => (replacing.length === 0 ? Effect.void : replaced)),
      (error) => run.stop.request({ _tag: "Unavailable", because: error.message }),
    )
    // Reads are safe to give up, in a pause of the service's too: the next run reads first what this one left.
    return Effect.flatMap(traced("read back", { "formferry.rows": rows.length }, all), () =>
      read.length === 0
        ? showProgress(run, tally)
        : Effect.flatMap(session.readBack(read.map(inLedger)), () => {
          const writing = takeAllDown(reading, read, counted)
          return writing === undefined ? showProgress(run, tally) : Effect.zipRight(writing, showProgress(run, tally))
        }))
  })

/** A submission that was read back. */
interface ReadRow {
  readonly row: CreatedRow
  readonly result: ReadBackResult
  readonly replacement: Replacement | undefined
}

const inLedger = ({ result, row }: ReadRow): ReadBack => ({
  keyDigest: row.keyDigest,
  verdict: result.verdict,
  answers: result.answers,
})

/** Counts how submissions came back. Gives what has to be written down of them: undefined for nearly all. */
const takeAllDown = (
  reading: Reading,
  read: ReadonlyArray<ReadRow>,
  counted: boolean,
): Effect.Effect<void, ReportError> | undefined => {
  const { run, tally } = reading
  const writing: Array<Effect.Effect<void, ReportError>> = []
  for (const { replacement, result, row } of read) {
    if (counted) tally.readBack(result.verdict)
    if (replacement !== undefined) {
      tally.replaced(replacement)
      writing.push(run.folder.replace([replacement]))
    }
    const differs = takeDown(reading, row, result)
    if (differs !== undefined) writing.push(differs)
  }
  return writing.length === 0 ? undefined : Effect.all(writing, { discard: true })
}

/** The submission that stood for a row before, with the link under which a person can void it, should the service give one. */
const earlier = ({ readBack }: Reading, { key, replaces, row, submissionId }: CreatedRow) =>
  replaces === undefined
    ? Effect.succeed(undefined)
    : readBack.service.read(readBack.formId, replaces, { editLink: true }).pipe(
      Effect.orElseSucceed(() => undefined),
      Effect.map((submission): Replacement => ({ row, key, submissionId, replaces, editLink: submission?.editLink })),
    )

/** Takes down how a submission's answers came back. Gives what has to be written down of it: undefined for nearly all. */
export const takeDown = (
  { run, tally }: Reading,
  row: Omit<CreatedRow, "item">,
  result: Pick<ReadBackResult, "comparisons" | "discarded" | "editLink">,
): Effect.Effect<void, ReportError> | undefined => {
  tally.compared(result.comparisons, row)
  tally.discard(result.discarded)
  const differing = result.comparisons.filter(({ verdict }) => verdict !== "same" && verdict !== "equivalent")
  if (differing.length === 0) return undefined
  const differences = differing.map((one) => ({
    row: row.row,
    key: row.key,
    submissionId: row.submissionId,
    question: one.question,
    name: one.name,
    verdict: one.verdict,
    sent: one.sent,
    returned: one.returned,
    editLink: result.editLink,
  }))
  for (const difference of differences) tally.difference(difference)
  return run.folder.differ(differences)
}
