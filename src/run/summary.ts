import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import type { RunFacts } from "../domain/anomaly.ts"
import type { ChangedAnswer, Doubt, RunReport } from "../domain/report.ts"
import type { Mask } from "../domain/reportFields.ts"
import { readsSource } from "../domain/run.ts"
import { counted } from "../domain/words.ts"
import type { Pages, Vanished } from "../ledger/pages.ts"
import { version } from "../project/version.ts"
import type { ImportedRow } from "../report/csvFiles.ts"
import { RunFolder } from "../report/RunFolder.ts"
import { wholeFormSentences } from "../report/sentences.ts"
import { FormService } from "../service/FormService.ts"
import { columnNames } from "../source/columns.ts"
import {
  acknowledgedOf,
  balanceHolds,
  changeSentences,
  durationSentences,
  ending,
  nextCommand,
  noDrift,
  reasonSentences,
  unprovenOf,
} from "./ending.ts"
import { FateTable } from "./FateTable.ts"
import { compareWithPast, covered, factsNow } from "./history.ts"
import { pulledUpTo, type PullStart } from "./mark.ts"
import { measureRun } from "./Progress.ts"
import { repeatable, type Repeated } from "./repeat.ts"
import type { Review } from "./review.ts"
import { CurrentRun, RunLedger, type RunPlan } from "./RunContext.ts"
import { RunCounts } from "./RunCounts.ts"
import { countsOf, mappingOf } from "./runRecord.ts"
import { mappedQuestions } from "./Samples.ts"
import type { SettledFirst } from "./settleDoubts.ts"
import { sinceRehearsal } from "./sinceRehearsal.ts"
import { Stop } from "./Stop.ts"
import type { Survey } from "./survey.ts"
import type { WholeForm } from "./wholeForm.ts"

/** A finished run whose report will be written. Survey and review are undefined if the run ended before them. */
export interface Ended {
  readonly startedAt: string
  readonly finishedAt: string
  readonly survey?: Survey | undefined
  readonly review?: Review | undefined
  /** The imported rows that are no longer in the source. Undefined if unknown. */
  readonly missed?: Vanished | undefined
  /** What changed in the first changed rows. */
  readonly changes?: ReadonlyArray<ChangedAnswer>
  /** The run that this one repeats, because nothing has changed. */
  readonly repeated?: Repeated | undefined
  /** What was settled before the survey. */
  readonly settled?: SettledFirst | undefined
  /** For a pull of records since a mark, and for one that sets a mark: the state in which it started. */
  readonly pull?: PullStart | undefined
  /** For a reconciliation: the number of submissions that it covered and gave verdicts about. */
  readonly submissions?: number
  /** For a reconciliation: how the form as a whole differs from the ledger. */
  readonly wholeForm?: WholeForm | undefined
}

/** Summarises a run, writes its report, and records its end in the ledger. */
export const writeSummary = (ended: Ended) =>
  Effect.gen(function*() {
    const plan = yield* CurrentRun
    const { session, view } = yield* RunLedger
    const folder = yield* RunFolder
    const { facts, pulled, report: whole } = yield* summarise(ended)
    const report = folder.mask === undefined ? whole : yield* masked(whole, folder.mask)
    const { missed } = ended
    const { unreadable } = yield* RunCounts
    const names = columnNames(plan.columns)
    // A dry run records nothing, so the next run will report these rows as vanished.
    const firstMissed = session === undefined ? undefined : { run: plan.id, at: ended.startedAt }
    yield* folder.finish({
      report,
      columns: plan.columns.map((column) => column.title),
      imported: Stream.map(
        // A reconciliation covers the submissions of all runs.
        view.pages("imported", { size: importedAtOnce, ...(plan.mode === "reconcile" ? {} : { run: plan.id }) }),
        (rows) => rows.map(asReadBack(unreadable)),
      ),
      inDoubt: Stream.map(
        view.pages("doubtful", { withOpen: true }),
        (rows) =>
          rows.map(({ reason, ...row }) => {
            const open = ended.settled?.open.get(row.keyDigest.toString("hex"))
            return {
              ...row,
              reason: open === undefined ? reason : `${reason}. Not settled: ${open}`,
              cells: cellsUnder(names, row),
            }
          }),
      ),
      repeats: ended.repeated?.earlier,
      vanished: missed === undefined ? Stream.empty : Stream.map(
        view.pages("vanished", { vanished: missed }),
        (rows) => rows.map(({ since = firstMissed, ...row }) => ({ ...row, missingSince: since?.at, run: since?.run })),
      ),
      wholeForm: ended.wholeForm?.unmatched,
      fateOf: (row) => ended.survey?.rejectedAs(row),
    })
    if (session !== undefined) {
      const { exitCode, finishedAt, outcome } = report
      const repeat = ended.repeated?.repeat ?? (yield* repeatable(whole))
      const { isUnscheduled, mapping } = plan
      const counts = countsOf(report, { mapping: mapping.fingerprint, facts, repeat, isUnscheduled })
      const { matched } = plan.source
      const isThrough = yield* ranThrough(ended, report)
      // Writes everything in one commit, because vanished rows are new until a run has reported them. A run whose lock was taken over records nothing more.
      yield* Effect.all([
        session.recordFacts({
          ...(missed === undefined ? {} : { vanished: missed }),
          pulled,
          ...(matched !== undefined && isThrough ? { filesRead: matched.read } : {}),
        }),
        session.finishRun({ run: plan.id, finishedAt, outcome, exitCode, counts }),
      ], { concurrency: "unbounded", discard: true }).pipe(Effect.catchTag("LedgerOvertaken", () => Effect.void))
    }
    yield* measureRun(report)
    return report
  })

/** Masks a report. The module is loaded only when it is used. */
const masked = (report: RunReport, mask: Mask) =>
  Effect.map(Effect.promise(() => import("../report/reportFile.ts")), ({ redactReport }) => redactReport(report, mask))

/** Returns a warning about corrected rows that are skipped, although the rows that they correct were not. */
const skippedFixed = ({ isFixed, pipeline }: RunPlan, filtered: number): ReadonlyArray<string> =>
  !isFixed || filtered === 0 || pipeline.source.where.length === 0 ? [] : [
    `${counted(filtered, "corrected row is", "corrected rows are")} skipped on purpose, by \`where\` or by a person. `
    + `To import rows that \`where\` skips, correct the cells that it compares.`,
  ]

/** Returns a warning about rows of a different file that count as imported because an imported row has the same cells. */
const equalToImported = (
  { isFixed, mapping, otherSource }: RunPlan,
  alreadyImported: number,
): ReadonlyArray<string> =>
  otherSource === undefined || isFixed || mapping.keyed !== "content" || alreadyImported === 0 ? [] : [
    `${
      counted(
        alreadyImported,
        "row of this file equals a row that was imported before, and counts",
        "rows of this file equal rows that were imported before, and count",
      )
    } as imported, because \`rowKey: content\` can't distinguish them. `
    + `If ${alreadyImported === 1 ? "it is a different record, add it" : "some are different records, add them"} `
    + "to the pipeline's own source: there, identical rows are counted.",
  ]

/** Whether a run read its source to the end and left no row pending. If so, the next run can skip the same files. */
const ranThrough = ({ repeated, review }: Ended, { rows }: RunReport) =>
  Effect.map(
    Effect.all([CurrentRun, Stop]),
    ([{ mode }, stop]) =>
      mode === "run" && (repeated !== undefined || review !== undefined) && !stop.requested() && rows.pending === 0,
  )

/** How many imported rows are read at a time. Larger pages save a tenth of the time after the last answer. */
const importedAtOnce = 5_000

/** Returns a row with the result of its read-back. A verified submission that was edited or deleted later, or can't be read now, is reported as differing, missing or unread. */
const asReadBack = (unreadable: ReadonlySet<number>) => ({ drift, ...row }: Pages["imported"]["row"]): ImportedRow => ({
  ...row,
  verdict: unreadable.has(row.at)
    ? "unread"
    : drift === undefined
    ? row.verdict
    : drift === "gone"
    ? "missing"
    : "differing",
})

const unlessEmpty = <A>(list: ReadonlyArray<A>): ReadonlyArray<A> | undefined => list.length === 0 ? undefined : list

/** The number of the latest settlements that a report contains. */
const shownSettlements = 20

const fingerprintsOf = ({ formFingerprint, mapping }: RunPlan): RunReport["fingerprints"] => ({
  mapping: mapping.fingerprint,
  form: formFingerprint,
})

/** Counts the rows and submissions of a finished run, compares it with past runs and its rehearsal, and decides how it ended. */
const resultOf = (ended: Ended) =>
  Effect.gen(function*() {
    const plan = yield* CurrentRun
    const { view } = yield* RunLedger
    const counts = yield* RunCounts
    const { finishedAt, missed, repeated, startedAt, survey } = ended
    const review = repeated ?? ended.review
    const rows = repeated?.rows ?? (survey?.fates ?? new FateTable()).counts(survey?.read ?? 0)
    const readBack = counts.verdicts(ended.submissions ?? rows.imported)
    const balanced = balanceHolds(rows, readBack, ended.submissions) && (survey?.cells.holds ?? true)
    const standing = yield* view.counts
    const drift = plan.mode === "reconcile" ? standing.drift : noDrift
    const left = unprovenOf(standing, drift, plan.rehearsal?.leftUnread ?? 0, counts.unreadable.size)
    const unproven = Object.values(left).reduce((sum, rows) => sum + rows, 0)
    const wholeForm = wholeFormOf(ended.wholeForm)
    const pull = yield* pulledUpTo({
      start: ended.pull,
      survey,
      review: ended.review,
      report: { balance: { holds: balanced }, rows },
      unproven,
      lastIntent: standing.lastIntent,
    })
    const vanished = repeated?.vanished
      ?? (missed === undefined ? undefined : { count: missed.count, fresh: missed.fresh })
    const facts = factsNow(plan, {
      startedAt,
      finishedAt,
      whole: review !== undefined,
      unchanged: repeated !== undefined,
      open: openEndIn(survey),
      rows,
      shared: survey?.seen.imported ?? 0,
      alreadyKnown: repeated?.alreadyKnown ?? (survey?.seen.imported ?? 0) + (missed?.count ?? 0),
      vanished,
    })
    const { anomalies, coverage, unknownAge } = yield* compareWithPast(facts)
    const end = {
      balanced,
      reasons: (yield* Stop).reasons(),
      inDoubt: standing.inDoubt - standing.acknowledged.inDoubt,
      needed: review?.needed ?? 0,
      uncovered: coverage.unreadFiles !== undefined || coverage.gap !== undefined,
    }
    return {
      ...end,
      anomalies,
      ...ending({ ...end, unproven: unproven + (wholeForm?.missing ?? 0) }),
      acknowledged: plan.mode === "reconcile" ? acknowledgedOf(standing, drift) : review?.acknowledged ?? 0,
      coverage,
      facts,
      left,
      pull,
      readBack,
      rows,
      standing,
      unknownAge,
      unproven,
      vanished,
      wholeForm,
      rehearsed: plan.rehearsed === undefined || survey === undefined ? undefined : sinceRehearsal(plan.rehearsed, {
        startedAt,
        whole: plan.mode === "run" && end.reasons.length === 0 && plan.limit === undefined,
        sources: survey.files.map((one) => one.file),
        fingerprints: fingerprintsOf(plan),
        rows,
        readBack,
      }),
    }
  })

/** Returns a run's report, and what the ledger records about the run for later ones. */
const summarise = (ended: Ended) =>
  Effect.gen(function*() {
    const plan = yield* CurrentRun
    const { ledger, view } = yield* RunLedger
    const folder = yield* RunFolder
    const service = yield* FormService
    const counts = yield* RunCounts
    const { form, mapping, mode, pipeline, rehearsal } = plan
    const { finishedAt, repeated, startedAt, survey } = ended
    const result = yield* resultOf(ended)
    const { anomalies, coverage, exitCode, facts, inDoubt, left, needed, outcome, pull, rows, standing, vanished } =
      result
    const { rehearsed, unproven, unknownAge, wholeForm } = result
    const requests = yield* service.requests
    const tolerated = new Map(mapping.answers.map((answer) => [answer.id, answer.tolerated]))
    const earlier = Object.values(counts.earlier).some((submissions) => submissions > 0) ? counts.earlier : undefined
    const report: RunReport = {
      pipeline: pipeline.name,
      run: plan.id,
      mode,
      form: { service: plan.serviceName, id: form.id, name: form.name },
      startedAt,
      finishedAt,
      outcome,
      exitCode,
      because: [
        ...reasonSentences({ ...result, otherSource: plan.otherSource }),
        ...(wholeForm === undefined ? [] : wholeFormSentences(wholeForm)),
        ...(mode === "reconcile" ? yield* stillWaiting : []),
        ...(ended.settled?.because ?? []),
        ...changeSentences({
          earlier,
          repeated: repeated?.run,
          replaced: counts.replacements.count,
          undone: rows.undone,
          vanished,
        }),
        ...pull.because,
        ...(rehearsal === undefined ? [] : durationSentences(requests, rehearsal)),
        ...(rehearsed?.same ?? []),
      ],
      next: nextCommand({
        run: plan,
        pipeline: pipeline.name,
        exitCode,
        refused: result.reasons.find((reason) => reason._tag === "Refused"),
        rows,
        fixable: standing.attention.fixable,
        inDoubt,
        wrong: unproven - left.unread,
        rejected: `${folder.path}/rejected.csv`,
        coverage: needed > 0 ? covered : coverage,
      }),
      ledger: { id: ledger.id, lastIntent: standing.lastIntent },
      acknowledged: result.acknowledged,
      sources: repeated?.sources ?? survey?.files.map((one) => one.file) ?? [],
      rows,
      readBack: result.readBack,
      needReview: needed,
      readBackEarlier: earlier,
      balance: { holds: result.balanced },
      columns: repeated?.columns ?? survey?.cells.all,
      requests,
      pace: yield* service.pace,
      problems: repeated?.earlier?.problems ?? counts.problems,
      differences: counts.differences,
      findings: counts.findings.all((question) => tolerated.get(question)),
      normalised: counts.findings.allNormalised,
      inDoubt: standing.inDoubt === 0 ? [] : yield* doubts,
      settled: unlessEmpty(yield* view.settlements(shownSettlements)),
      replaced: counts.replacements.count === 0 ? undefined : counts.replacements,
      changes: unlessEmpty(repeated?.earlier?.changes ?? ended.changes ?? []),
      vanished,
      wholeForm,
      unchangedSince: repeated?.run,
      anomalies: unlessEmpty(anomalies),
      discarded: counts.discarded,
      sent: counts.sent,
      questions: mapping.answers.map(({ id, kind, name }) => ({ id, name, kind, ...counts.question(id) })),
      unanswered: unlessEmpty(mapping.unanswered),
      mapping: mappedQuestions(mapping),
      samples: unlessEmpty(counts.samples.answers(plan)),
      zone: plan.zone,
      phases: counts.phases(Date.parse(startedAt), Date.parse(finishedAt)),
      values: "shown",
      warnings: [
        ...plan.warnings,
        ...new Set((yield* plan.traps?.findings ?? Effect.succeed([])).map((one) => one.withoutCells ?? one.message)),
        ...skippedFixed(plan, rows.filtered),
        ...equalToImported(plan, rows.alreadyImported),
        ...(ended.settled?.warnings ?? []),
        ...(ended.wholeForm?.warnings ?? []),
        ...(yield* editedMapping),
        ...(rehearsed?.differs ?? []),
        ...anomalies.map(({ sentence }) => sentence),
        ...(unknownAge === undefined ? [] : [unknownAge]),
      ],
      versions: { formferry: version, node: process.versions.node },
      fingerprints: fingerprintsOf(plan),
    }
    return {
      report,
      pulled: pull.pulled,
      facts: { ...facts, gap: coverage.gap?.run, anomalies: anomalies.map(({ code }) => code) } satisfies RunFacts,
    }
  })

/** Whether the last line of a file has no line end. Undefined if no text file was read. */
const openEndIn = (survey: Survey | undefined): boolean | undefined => {
  const texts = survey?.files.flatMap(({ file: { lines } }) => lines ?? []) ?? []
  return texts.length === 0 ? undefined : texts.some(({ open }) => open === true)
}

/** Returns the counts of a comparison with the whole form. Undefined if there was none, or if the list was not complete. */
const wholeFormOf = (found: WholeForm | undefined): RunReport["wholeForm"] => {
  if (found?.submissions === undefined) return undefined
  const unknown = found.unmatched.filter(({ standing }) => standing === "unknown").length
  return { submissions: found.submissions, unknown, missing: found.unmatched.length - unknown }
}

/** Returns the cells of a row in doubt in the order of these columns. The source that it was sent from may have had others, whose cells follow. */
const cellsUnder = (
  names: ReadonlyArray<string>,
  { cells = [], columns }: Pick<Pages["doubtful"]["row"], "cells" | "columns">,
): ReadonlyArray<string> => {
  const positions = new Map(columns.map((name, at) => [name, at]))
  const known = new Set(names)
  return [
    ...names.map((name) => cells[positions.get(name) ?? -1] ?? ""),
    ...cells.filter((_, at) => !known.has(columns[at] ?? "")),
  ]
}

/** The maximum number of reasons that are listed separately. Any others are counted together. */
const mostReasons = 50

/** Returns the pipeline's rows in doubt at the destination, by reason. */
const doubts = Effect.gen(function*() {
  const { id } = yield* CurrentRun
  const { view } = yield* RunLedger
  const byReason = new Map<string, Doubt>()
  yield* Stream.runForEach(view.pages("doubtful", { withOpen: true }), (rows) =>
    Effect.sync(() => {
      for (const row of rows) {
        const reason = byReason.has(row.reason) || byReason.size < mostReasons ? row.reason : "other reasons"
        const before = byReason.get(reason)
        byReason.set(reason, {
          reason,
          count: (before?.count ?? 0) + 1,
          acknowledged: (before?.acknowledged ?? 0) + (row.acknowledged ? 1 : 0),
          fresh: (before?.fresh ?? 0) + (row.run === id ? 1 : 0),
          firstSentAt: before === undefined || row.sentAt < before.firstSentAt ? row.sentAt : before.firstSentAt,
          lastSentAt: before === undefined || row.sentAt > before.lastSentAt ? row.sentAt : before.lastSentAt,
        })
      }
    }))
  return [...byReason.values()].sort((a, b) => b.count - a.count)
})

/** The number of runs that are searched for the last one that read the source. */
const lookedAt = 100

/** Returns a sentence about rows that still need review. A reconciliation reads no source, so it takes their number and the report that lists them from an earlier run. */
const stillWaiting = Effect.gen(function*() {
  const { pipeline } = yield* CurrentRun
  const { view } = yield* RunLedger
  const { acknowledged, rows } = (yield* view.counts).attention
  if (rows <= acknowledged) return []
  const last = (yield* view.runs({ limit: lookedAt })).find(({ mode }) => readsSource(mode))
  const where = last === undefined ? "" : `: formferry report ${pipeline.name} --run ${last.run}`
  const waiting = counted(
    rows - acknowledged,
    "row of the last run still needs",
    "rows of the last run still need",
  )
  return [`In addition to the submissions, ${waiting} review${where}`]
})

/** Returns a warning about an edited mapping, with the number of rows imported under the old one. The edit doesn't change these rows. Warns only once. */
const editedMapping = Effect.gen(function*() {
  const { id, mapping } = yield* CurrentRun
  const { view } = yield* RunLedger
  const before = (yield* view.runs({ limit: 2 })).find((one) => one.run !== id)
  const earlier = before === undefined ? undefined : mappingOf(before)
  if (earlier === undefined || earlier === mapping.fingerprint) return []
  const rows = yield* view.importedUnderOtherMapping(mapping.fingerprint)
  const were = counted(rows, "row was", "rows were")
  return rows === 0
    ? []
    : [`The mapping was edited: ${were} imported under an earlier one and ${rows === 1 ? "stays" : "stay"} unchanged.`]
})
