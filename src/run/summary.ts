import { Effect, Stream } from "effect"
import type { RunReport } from "../domain/run.ts"
import type { LedgerError, Standing } from "../ledger/Ledger.ts"
import { version } from "../project/version.ts"
import { maskReport } from "../report/masked.ts"
import type { ReportError } from "../report/RunFolder.ts"
import { balanceHolds } from "./balance.ts"
import { doubts } from "./doubts.ts"
import { ending } from "./exit.ts"
import { FateTable } from "./FateTable.ts"
import { nextCommand } from "./nextCommand.ts"
import { paged, pageSize } from "./paged.ts"
import type { Review } from "./review.ts"
import type { RunContext } from "./RunContext.ts"
import type { StopReason } from "./Stop.ts"
import type { Survey } from "./survey.ts"
import type { Tally } from "./Tally.ts"

/** What a run leaves to be summed up; survey and review are missing when it ended before them. */
export interface Ended {
  readonly startedAt: string
  readonly finishedAt: string
  readonly survey: Survey | undefined
  readonly review: Review | undefined
  readonly tally: Tally
  /** For a reconciliation: how many submissions it was about; its verdicts are over these. */
  readonly submissions?: number
}

/** Sums a run up, writes its report, and records its end in the ledger. */
export const writeSummary = (run: RunContext, ended: Ended): Effect.Effect<RunReport, ReportError | LedgerError> =>
  Effect.gen(function*() {
    const whole = yield* summarise(run, ended)
    const report = run.folder.mask === undefined ? whole : maskReport(whole, run.folder.mask)
    yield* run.folder.finish({
      report,
      columns: run.columns.map((column) => column.title),
      imported: paged((after) => run.view.sent({ after, limit: pageSize, run: run.id })),
      inDoubt: Stream.map(
        paged((after) => run.view.doubtful({ after, limit: pageSize })),
        (rows) => rows.map((row) => ({ ...row, cells: row.cells ?? [] })),
      ),
      fateOf: (row) => (row.fate === "refused" ? row : ended.survey?.fateOf(row)),
    })
    if (run.session !== undefined) {
      const { exitCode, finishedAt, outcome } = report
      const counts = {
        rows: { ...report.rows },
        readBack: { ...report.readBack },
        mapping: run.mapping.fingerprint,
      }
      // A run that was overtaken has no say in the ledger any more.
      yield* Effect.catchTag(
        run.session.finishRun({ run: run.id, finishedAt, outcome, exitCode, counts }),
        "LedgerOvertaken",
        () => Effect.void,
      )
    }
    return report
  })

const summarise = (run: RunContext, ended: Ended): Effect.Effect<RunReport, LedgerError> =>
  Effect.gen(function*() {
    const { tally } = ended
    const survey = ended.survey
    const rows = (survey?.fates ?? new FateTable()).counts(survey?.read ?? 0)
    const readBack = tally.verdicts(ended.submissions ?? rows.imported)
    const holds = balanceHolds(rows, readBack, ended.submissions)
    const standing = yield* run.view.standing
    const tolerated = new Map(run.mapping.answers.map((answer) => [answer.id, answer.tolerated]))
    const lastIntent = yield* run.ledger.lastIntent
    const inDoubt = standing.inDoubt - standing.acknowledged.inDoubt
    const unproven = standing.verdicts.differing + standing.verdicts.missing + standing.verdicts.unread
      - standing.acknowledged.differing - standing.acknowledged.missing + tally.fresh.drifted
    const needed = (ended.review?.needed ?? 0) + tally.fresh.refused
    const reasons = run.stop.reasons()
    const { exitCode, outcome } = ending({ balanced: holds, reasons, inDoubt, unproven, needed })
    return {
      pipeline: run.pipeline.name,
      run: run.id,
      mode: run.mode,
      form: { service: run.serviceName, id: run.form.id, name: run.form.name },
      startedAt: ended.startedAt,
      finishedAt: ended.finishedAt,
      outcome,
      exitCode,
      because: sentences({ reasons, holds, needed, inDoubt, standing, rows, drifted: tally.fresh.drifted }),
      next: nextCommand({
        pipeline: run.pipeline.name,
        exitCode,
        rows,
        inDoubt,
        unread: standing.verdicts.unread,
        reasons,
        rejected: `${run.folder.path}/rejected.csv`,
      }),
      ledger: { id: run.ledger.id, lastIntent },
      acknowledged: ended.review?.acknowledged ?? 0,
      sources: survey?.files.map((one) => one.file) ?? [],
      rows,
      readBack,
      balance: { holds },
      requests: yield* run.service.requests,
      pace: yield* run.service.pace,
      problems: tally.problems,
      differences: tally.differences,
      findings: tally.findings.all((question) => tolerated.get(question)),
      normalised: tally.findings.allNormalised,
      inDoubt: standing.inDoubt === 0 ? [] : yield* doubts(run.view, run.id),
      discarded: tally.discarded,
      sent: tally.sent,
      questions: run.mapping.answers.map((answer) => ({
        id: answer.id,
        name: answer.name,
        kind: answer.kind,
        ...tally.question(answer.id),
      })),
      values: "shown",
      warnings: [...run.warnings, ...(yield* editedMapping(run))],
      versions: { formferry: version, node: process.versions.node },
      fingerprints: { mapping: run.mapping.fingerprint, form: run.formFingerprint },
    }
  })

const sentences = (end: {
  readonly reasons: ReadonlyArray<StopReason>
  readonly holds: boolean
  readonly needed: number
  readonly inDoubt: number
  readonly standing: Standing
  readonly rows: RunReport["rows"]
  readonly drifted: number
}): ReadonlyArray<string> => {
  const { verdicts, acknowledged } = end.standing
  const differing = verdicts.differing - acknowledged.differing
  const missing = verdicts.missing - acknowledged.missing
  return [
    ...(end.holds
      ? []
      : ["The balance does not hold: this is a fault in formferry. Don't trust this run; please report it."]),
    ...end.reasons.flatMap((reason) => {
      switch (reason._tag) {
        case "Interrupted":
          return [`The run was interrupted (${reason.signal}). What was in flight was finished and recorded.`]
        case "CanaryInDoubt":
          return ["The rows sent first ended in doubt, which proves nothing: the next run tries others."]
        case "Failed":
          return []
        default:
          return [reason.because]
      }
    }),
    ...(end.inDoubt > 0
      ? [`${count(end.inDoubt, "row is", "rows are")} in doubt: sent, and the outcome is not known.`]
      : []),
    ...(differing > 0
      ? [`${count(differing, "submission", "submissions")} came back different from what was sent.`]
      : []),
    ...(missing > 0 ? [`${count(missing, "submission", "submissions")} can't be found on the service.`] : []),
    ...(end.drifted > 0
      ? [`${count(end.drifted, "submission", "submissions")} were verified once and have been edited or deleted since.`]
      : []),
    ...(verdicts.unread > 0
      ? [
        `${
          count(verdicts.unread, "submission is", "submissions are")
        } not read back yet: the next run reads them first.`,
      ]
      : []),
    ...(end.needed > 0 ? [`${count(end.needed, "row needs", "rows need")} a person: see rejected.csv.`] : []),
    ...(end.rows.pending > 0 ? [`${count(end.rows.pending, "row is", "rows are")} left for the next run.`] : []),
  ]
}

const count = (many: number, one: string, more: string): string => `${many} ${many === 1 ? one : more}`

/** An edited mapping changes no row that was imported; it is told once, with the number of rows imported under the old one. */
const editedMapping = (run: RunContext): Effect.Effect<ReadonlyArray<string>, LedgerError> =>
  Effect.gen(function*() {
    const before = (yield* run.view.runs(2)).find((one) => one.run !== run.id)
    const counts = before?.counts
    const mapping = typeof counts === "object" && counts !== null && "mapping" in counts ? counts.mapping : undefined
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
