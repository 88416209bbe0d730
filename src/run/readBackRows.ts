import * as Effect from "effect/Effect"
import type { Form } from "../domain/form.ts"
import type { Difference, Replacement } from "../domain/report.ts"
import { compareSubmission } from "../kinds/submission.ts"
import type { Digester } from "../ledger/Ledger.ts"
import type { IntendedRow } from "../ledger/rows.ts"
import type { MappedAnswer } from "../mapping/Mapping.ts"
import type { Pipeline } from "../project/Pipeline.ts"
import { makeListing } from "../reconcile/Listing.ts"
import { readBack, type ReadBackOptions, type ReadBackResult } from "../reconcile/ReadBack.ts"
import { RunFolder } from "../report/RunFolder.ts"
import { unlessAborted } from "../service/cancellation.ts"
import { FormService } from "../service/FormService.ts"
import { traced } from "../service/telemetry.ts"
import { showProgress } from "./Progress.ts"
import { CurrentRun, RunLedger } from "./RunContext.ts"
import { RunCounts } from "./RunCounts.ts"
import { Stop } from "./Stop.ts"

/** What submissions are compared with, and how they are read. */
export interface Comparing {
  readonly pipeline: Pipeline
  readonly form: Pick<Form, "id">
  readonly answers: ReadonlyArray<MappedAnswer>
  readonly service: FormService
  readonly digest: Digester
  readonly stop: Pick<Stop["Type"], "reading">
}

/** Returns the options for reading submissions back and comparing them with these answers, or with what was returned when they were verified. */
export const comparingWith = (
  { answers, digest, form, pipeline, service, stop }: Comparing,
  listing: ReadBackOptions["listing"],
): ReadBackOptions => ({
  formId: form.id,
  service,
  listing,
  digest,
  compare: (item, submission) => compareSubmission(answers, item, submission),
  tolerated: new Set(answers.flatMap((answer) => (answer.tolerated === undefined ? [] : [answer.id]))),
  names: new Map(answers.map(({ id, name }) => [id, name])),
  visibleWithin: pipeline.reconcile.visibleWithin,
  signal: stop.reading,
})

/** Returns the options for reading back a pipeline's submissions. The form's list is open until the scope closes. */
export const readBackOptions = Effect.gen(function*() {
  const { form, mapping: { answers }, pipeline } = yield* CurrentRun
  const service = yield* FormService
  const { baseUrl, list } = service
  const listing = list === undefined ? undefined : yield* makeListing({ baseUrl, formId: form.id, list })
  const { digest } = (yield* RunLedger).ledger
  return comparingWith({ pipeline, form, answers, service, digest, stop: yield* Stop }, listing)
})

/** A created submission that is to be read back. */
export interface CreatedRow extends Pick<IntendedRow, "keyDigest" | "key" | "row" | "item" | "replaces"> {
  readonly submissionId: string
}

/** A submission that was read back. */
interface ReadRow {
  readonly row: CreatedRow
  readonly result: ReadBackResult
}

/**
 * Reads created submissions back and records their verdicts and differences. If the run stops, the submissions that were not read back stay unread, and the next run reads them first.
 *
 * @param among the verdicts among which the submissions count
 */
export const readBackRows = (
  options: ReadBackOptions,
  rows: ReadonlyArray<CreatedRow>,
  among: "this run" | "earlier runs",
) =>
  Effect.gen(function*() {
    const stop = yield* Stop
    if (rows.length > 0 && !stop.reading.aborted) {
      const read: Array<ReadRow> = []
      const replacing: Array<ReadRow> = []
      const replacements: Array<Replacement> = []
      const first = readBack(rows, options, (index, result) => {
        const row = rows[index]
        if (row !== undefined) (row.replaces === undefined ? read : replacing).push({ row, result })
      })
      const replaced = Effect.suspend(() =>
        replacing.length === 0 ? Effect.void : unlessAborted(
          Effect.forEach(replacing, (one) =>
            Effect.map(replacementOf(options, one.row), (replacement) => {
              read.push(one)
              if (replacement !== undefined) replacements.push(replacement)
            }), { concurrency: "unbounded", discard: true }),
          stop.reading,
        )
      )
      const all = Effect.catchAll(Effect.zipRight(first, replaced), stop.unavailable)
      yield* traced("read back", { "formferry.rows": rows.length }, all)
      if (read.length > 0) yield* recordResults(read, replacements, among)
    }
    yield* showProgress
  })

/** Returns a row's earlier submission, with a link for voiding it if the service provides one. */
const replacementOf = (
  { formId, service }: ReadBackOptions,
  { key, replaces, row, submissionId }: CreatedRow,
): Effect.Effect<Replacement | undefined> =>
  replaces === undefined
    ? Effect.succeed(undefined)
    : service.read(formId, replaces, { editLink: true }).pipe(
      Effect.orElseSucceed(() => undefined),
      Effect.map((submission) => ({ row, key, submissionId, replaces, editLink: submission?.editLink })),
    )

/** Records the results of reading back: verdicts in the ledger, differences and replacements in the report. */
const recordResults = (
  read: ReadonlyArray<ReadRow>,
  replacements: ReadonlyArray<Replacement>,
  among: "this run" | "earlier runs",
) =>
  Effect.gen(function*() {
    const counts = yield* RunCounts
    const folder = yield* RunFolder
    const verdicts = read.map(({ result: { answers, verdict }, row: { keyDigest } }) => ({
      keyDigest,
      verdict,
      answers,
    }))
    yield* RunLedger.write((session) => session.recordVerdicts(verdicts))
    const differences: Array<Difference> = []
    for (const { result, row } of read) {
      if (among === "this run") counts.readBack(result.verdict)
      else counts.earlier[result.verdict]++
      differences.push(...countComparisons(counts, row, result))
    }
    for (const replacement of replacements) counts.replaced(replacement)
    if (replacements.length > 0) yield* folder.replace(replacements)
    if (differences.length > 0) yield* folder.differ(differences)
  })

/** Counts how the answers of a submission came back. Returns their differences. */
export const countComparisons = (
  counts: RunCounts["Type"],
  { key, row, submissionId }: Omit<CreatedRow, "item">,
  { comparisons, discarded, editLink }: Pick<ReadBackResult, "comparisons" | "discarded" | "editLink">,
): ReadonlyArray<Difference> => {
  counts.compared(comparisons, { row, submissionId })
  counts.discard(discarded)
  const differences = comparisons.flatMap(({ name, question, returned, sent, verdict }): ReadonlyArray<Difference> =>
    verdict === "same" || verdict === "equivalent"
      ? []
      : [{ row, key, submissionId, question, name, verdict, sent, returned, editLink }]
  )
  for (const difference of differences) counts.difference(difference)
  return differences
}
