import { Effect, Stream } from "effect"
import type { RunFacts } from "../domain/anomaly.ts"
import type { Json } from "../domain/json.ts"
import type { RunReport } from "../domain/report.ts"
import type { LedgerError } from "../ledger/Ledger.ts"
import type { Missed, SentRow } from "../ledger/records.ts"
import { version } from "../project/version.ts"
import type { ImportedRow } from "../report/csvFiles.ts"
import type { ReportError } from "../report/partFiles.ts"
import { redactReport } from "../report/reportFile.ts"
import { anomalies } from "./anomalies.ts"
import { balanceHolds } from "./balance.ts"
import { acknowledgedOf, because, count, noDrift, since, takes, unprovenOf } from "./because.ts"
import { coverageOf, covered } from "./coverage.ts"
import { doubts } from "./doubts.ts"
import { ending } from "./exit.ts"
import { FateTable } from "./FateTable.ts"
import { factsNow, historyOf, mappingOf } from "./history.ts"
import { measureRun } from "./metrics.ts"
import { nextCommand } from "./nextCommand.ts"
import { paged, pagedBy, pageSize } from "./paged.ts"
import { repeatable, type Repeated } from "./repeat.ts"
import type { Review } from "./review.ts"
import type { RunContext } from "./RunContext.ts"
import { sinceRehearsal } from "./sinceRehearsal.ts"
import { sourceAge } from "./sourceAge.ts"
import type { Survey } from "./survey.ts"
import type { Tally } from "./Tally.ts"
import { stillWaiting } from "./waiting.ts"

/** What a run leaves to be summed up; survey and review are missing when it ended before them. */
export interface Ended {
  readonly startedAt: string
  readonly finishedAt: string
  readonly survey: Survey | undefined
  readonly review: Review | undefined
  /** Imported rows that the source does not hold any more; undefined: not looked at. */
  readonly missed?: Missed | undefined
  /** The run that this one repeats, because nothing changed since. */
  readonly repeated?: Repeated | undefined
  readonly tally: Tally
  /** For a reconciliation: how many submissions it was about; its verdicts are over these. */
  readonly submissions?: number
}

/** Sums a run up, writes its report, and records its end in the ledger. */
export const writeSummary = (run: RunContext, ended: Ended): Effect.Effect<RunReport, ReportError | LedgerError> =>
  Effect.gen(function*() {
    const { facts, report: whole } = yield* summarise(run, ended)
    const report = run.folder.mask === undefined ? whole : redactReport(whole, run.folder.mask)
    const { missed } = ended
    // A dry run records nothing: the next run misses them first.
    const firstMissed = run.session === undefined ? undefined : { run: run.id, at: ended.startedAt }
    yield* run.folder.finish({
      report,
      columns: run.columns.map((column) => column.title),
      // A reconciliation is about all of them.
      imported: Stream.map(
        paged((after) =>
          run.view.sent({
            after,
            limit: pageSize,
            content: false,
            ...(run.mode === "reconcile" ? {} : { run: run.id }),
          })
        ),
        (rows) => rows.map(asReadBack),
      ),
      inDoubt: Stream.map(
        paged((after) => run.view.doubtful({ after, limit: pageSize })),
        (rows) => rows.map((row) => ({ ...row, cells: row.cells ?? [] })),
      ),
      repeats: ended.repeated?.earlier,
      vanished: missed === undefined ? Stream.empty : Stream.map(
        pagedBy(
          (after: number | undefined) => run.view.vanished(missed, { after: after ?? 0, limit: pageSize }),
          (row) => row.at,
        ),
        (rows) => rows.map(({ since = firstMissed, ...row }) => ({ ...row, missingSince: since?.at, run: since?.run })),
      ),
      fateOf: (row) => ended.survey?.fateOf(row),
    })
    if (run.session !== undefined) {
      const { exitCode, finishedAt, outcome } = report
      const repeat = ended.repeated?.repeat ?? (yield* repeatable(run, whole))
      const counts = {
        rows: { ...report.rows },
        readBack: { ...report.readBack },
        mapping: run.mapping.fingerprint,
        facts: facts as unknown as Json,
        ...(repeat === undefined ? {} : { repeat: repeat as unknown as Json }),
      }
      const finished = run.session.finishRun({ run: run.id, finishedAt, outcome, exitCode, counts })
      const gone = missed === undefined ? Effect.void : run.session.vanished(missed)
      const { matched } = run.source
      const read = matched !== undefined && isThrough(run, ended, report)
        ? run.session.readFiles(matched.read)
        : Effect.void
      // In one commit: what vanished is news until a run has told it. A run that was overtaken has no say in the ledger any more.
      yield* Effect.catchTag(
        Effect.all([gone, read, finished], { concurrency: "unbounded", discard: true }),
        "LedgerOvertaken",
        () => Effect.void,
      )
    }
    yield* measureRun(report)
    return report
  })

/** Whether a run came to the end of its source and left none of its rows to be sent: its files need not be read again. */
const isThrough = (run: RunContext, ended: Ended, { rows }: RunReport): boolean =>
  run.mode === "run" && (ended.repeated !== undefined || ended.review !== undefined)
  && run.stop.reasons().length === 0 && rows.pending === 0

/** A verified submission that was edited or deleted since is not what it was. */
const asReadBack = ({ drift, ...row }: SentRow): ImportedRow => ({
  ...row,
  verdict: drift === undefined ? row.verdict : drift === "gone" ? "missing" : "differing",
})

/** Settlements of rows in doubt that a report shows, the latest. */
const shownSettlements = 20

const summarise = (
  run: RunContext,
  ended: Ended,
): Effect.Effect<{ readonly report: RunReport; readonly facts: RunFacts }, LedgerError> =>
  Effect.gen(function*() {
    const { missed, repeated, tally } = ended
    const survey = ended.survey
    const rows = repeated?.rows ?? (survey?.fates ?? new FateTable()).counts(survey?.read ?? 0)
    const readBack = tally.verdicts(ended.submissions ?? rows.imported)
    const holds = balanceHolds(rows, readBack, ended.submissions) && (survey?.cells.holds ?? true)
    const columns = repeated?.columns ?? survey?.cells.all
    const unverified = yield* run.view.unverified
    const tolerated = new Map(run.mapping.answers.map((answer) => [answer.id, answer.tolerated]))
    const lastIntent = yield* run.ledger.lastIntent
    const inDoubt = unverified.inDoubt - unverified.acknowledged.inDoubt
    const drift = run.mode === "reconcile" ? yield* run.view.drift : noDrift
    const left = unprovenOf(unverified, drift, run.rehearsal?.leftUnread ?? 0)
    const unproven = Object.values(left).reduce((sum, rows) => sum + rows, 0)
    const needed = ((repeated ?? ended.review)?.needed ?? 0) + tally.fresh.refused
    const reasons = run.stop.reasons()
    const requests = yield* run.service.requests
    const rehearsed = run.rehearsed === undefined || survey === undefined
      ? undefined
      : sinceRehearsal(run.rehearsed, {
        startedAt: ended.startedAt,
        whole: run.mode === "run" && reasons.length === 0 && run.limit === undefined,
        sources: survey.files.map((one) => one.file),
        fingerprints: { mapping: run.mapping.fingerprint, form: run.formFingerprint },
        rows,
        readBack,
      })
    const settled = yield* run.view.settlements(shownSettlements)
    const vanished = repeated?.vanished
      ?? (missed === undefined ? undefined : { count: missed.count, fresh: missed.fresh })
    const facts = factsNow(run, {
      startedAt: ended.startedAt,
      finishedAt: ended.finishedAt,
      whole: repeated !== undefined || ended.review !== undefined,
      unchanged: repeated !== undefined,
      rows,
      shared: survey?.met.imported ?? 0,
      alreadyKnown: repeated?.alreadyKnown ?? (survey?.met.imported ?? 0) + (missed?.count ?? 0),
      vanished,
    })
    const looked = run.mode === "run" || run.mode === "dry-run"
    const coverage = looked ? yield* coverageOf(run, facts) : covered
    const { exitCode, outcome } = ending({
      balanced: holds,
      reasons,
      inDoubt,
      unproven,
      needed,
      uncovered: coverage.accepts !== undefined,
    })
    const age = looked ? sourceAge(run, Date.parse(ended.startedAt)) : {}
    const unusual = looked ? anomalies(facts, yield* historyOf(run.view, run.id), age.stale, coverage) : []
    const report: RunReport = {
      pipeline: run.pipeline.name,
      run: run.id,
      mode: run.mode,
      form: { service: run.serviceName, id: run.form.id, name: run.form.name },
      startedAt: ended.startedAt,
      finishedAt: ended.finishedAt,
      outcome,
      exitCode,
      because: [
        ...because({ reasons, holds, needed, inDoubt, left, rows }),
        ...(run.mode === "reconcile" ? yield* stillWaiting(run.view, run.pipeline.name) : []),
        ...since({ repeated: repeated?.run, replaced: tally.replacements.count, vanished }),
        ...(run.rehearsal === undefined ? [] : takes(requests, run.rehearsal.requestsPerSecond)),
        ...(rehearsed?.same ?? []),
      ],
      next: nextCommand({
        pipeline: run.pipeline.name,
        run: run.id,
        mode: run.mode,
        exitCode,
        refused: reasons.some(({ _tag }) => _tag === "Refused"),
        rows,
        inDoubt,
        wrong: unproven - left.unread,
        carried: run.carried,
        rejected: `${run.folder.path}/rejected.csv`,
        accepts: needed > 0 ? undefined : coverage.accepts,
      }),
      ledger: { id: run.ledger.id, lastIntent },
      acknowledged: run.mode === "reconcile"
        ? acknowledgedOf(unverified, drift)
        : (repeated ?? ended.review)?.acknowledged ?? 0,
      sources: repeated?.sources ?? survey?.files.map((one) => one.file) ?? [],
      rows,
      readBack,
      balance: { holds },
      ...(columns === undefined ? {} : { columns }),
      requests,
      pace: yield* run.service.pace,
      problems: repeated?.earlier?.problems ?? tally.problems,
      differences: tally.differences,
      findings: tally.findings.all((question) => tolerated.get(question)),
      normalised: tally.findings.allNormalised,
      inDoubt: unverified.inDoubt === 0 ? [] : yield* doubts(run.view, run.id),
      ...(settled.length === 0 ? {} : { settled }),
      ...(tally.replacements.count === 0 ? {} : { replaced: tally.replacements }),
      ...(vanished === undefined ? {} : { vanished }),
      ...(repeated === undefined ? {} : { unchangedSince: repeated.run }),
      ...(unusual.length === 0 ? {} : { anomalies: unusual }),
      discarded: tally.discarded,
      sent: tally.sent,
      questions: run.mapping.answers.map((answer) => ({
        id: answer.id,
        name: answer.name,
        kind: answer.kind,
        ...tally.question(answer.id),
      })),
      ...(run.mapping.unanswered.length === 0 ? {} : { unanswered: run.mapping.unanswered }),
      values: "shown",
      warnings: [
        ...run.warnings,
        ...(yield* editedMapping(run)),
        ...(rehearsed?.differs ?? []),
        ...unusual.map(({ sentence }) => sentence),
        ...(age.untold === undefined ? [] : [age.untold]),
      ],
      versions: { formferry: version, node: process.versions.node },
      fingerprints: { mapping: run.mapping.fingerprint, form: run.formFingerprint },
    }
    const gap = coverage.gap === undefined ? {} : { gap: coverage.gap.run }
    return { report, facts: { ...facts, ...gap, anomalies: unusual.map(({ code }) => code) } }
  })

/** An edited mapping changes no row that was imported; it is told once, with the number of rows imported under the old one. */
const editedMapping = (run: RunContext): Effect.Effect<ReadonlyArray<string>, LedgerError> =>
  Effect.gen(function*() {
    const before = (yield* run.view.runs(2)).find((one) => one.run !== run.id)
    const mapping = before === undefined ? undefined : mappingOf(before)
    if (mapping === undefined || mapping === run.mapping.fingerprint) return []
    const rows = yield* run.view.importedUnderOtherMapping(run.mapping.fingerprint)
    return rows === 0
      ? []
      : [
        `The mapping was edited: ${
          count(rows, "row was", "rows were")
        } imported under an earlier one and stay as they are.`,
      ]
  })
