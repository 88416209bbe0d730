import * as Effect from "effect/Effect"
import { rejectedIn, type RowCounts } from "../domain/fate.ts"
import type { Json } from "../domain/json.ts"
import type { ColumnCells, RunReport, SourceFile } from "../domain/report.ts"
import type { Digester } from "../ledger/Ledger.ts"
import { version } from "../project/version.ts"
import { type Earlier, RunFolder } from "../report/RunFolder.ts"
import { keptCells, unchangedColumns } from "./CellTable.ts"
import { CurrentRun, RunLedger, type RunPlan } from "./RunContext.ts"
import { factsOf, type Repeatable, repeatOf } from "./runRecord.ts"
import { Stop } from "./Stop.ts"

/** The run that is repeated because the source is unchanged, and its result. */
export interface Repeated {
  readonly run: string
  /** The run's report, if it rejected rows. */
  readonly earlier: Earlier | undefined
  readonly rows: RowCounts
  readonly sources: ReadonlyArray<SourceFile>
  readonly columns: ReadonlyArray<ColumnCells>
  /** The numbers of rows that need review: those not acknowledged, and those acknowledged. */
  readonly needed: number
  readonly acknowledged: number
  readonly vanished: RunReport["vanished"]
  readonly alreadyKnown: number
  readonly repeat: Repeatable
}

/** The number of runs that are searched for the last one that may have changed fates. A reconciliation changes none. */
const lookedAt = 20

/**
 * Returns the last run if it left nothing to do and nothing that determines the fates of rows has changed: the source's
 * bytes, the mapping, the form, the settings, formferry itself, and decisions by a person. Computes only the source's
 * digest, without reading its rows. Returns undefined if the rows must be read.
 */
export const unchangedSince = Effect.gen(function*() {
  const plan = yield* CurrentRun
  const { ledger, view } = yield* RunLedger
  const { digest, increment } = plan.source
  // A pull of new records says nothing about the others, and every pull moves the mark.
  if (increment !== undefined) return undefined
  if (plan.mode !== "run" || !plan.ownSource || digest === undefined) return undefined
  const last = (yield* view.runs({ limit: lookedAt })).find((one) => one.mode !== "reconcile")
  const repeat = last === undefined ? undefined : repeatOf(last)
  const facts = last === undefined ? undefined : factsOf(last)
  if (repeat === undefined || facts === undefined) return undefined
  if (repeat.settings !== settingsOf(plan, ledger.digest)) return undefined
  if (repeat.rows.refused > 0 && plan.retryRefused) return undefined
  if (repeat.rows.undone > 0 && plan.resendUndone) return undefined
  const { acknowledged, attention, inDoubt, leftOut, settlements, verdicts } = yield* view.counts
  if (inDoubt > 0 || leftOut !== repeat.marks.leftOut || settlements !== repeat.marks.settlements) return undefined
  // Rows that a person settled as created can't be read back.
  if (verdicts.unread > acknowledged.unread) return undefined
  // The rejected rows are in that run's report, which may have been removed or edited.
  const { alreadyImported, imported } = repeat.rows
  const folder = yield* RunFolder
  const hasRejected = rejectedIn(repeat.rows) > 0
  const earlier = hasRejected ? yield* folder.of(repeat.run) : undefined
  if (hasRejected && (earlier === undefined || earlier.rejected !== repeat.rejected)) return undefined
  // A thread computes the digest of a long file. Meanwhile, the code is loaded that every run needs at its end.
  const [files] = yield* Effect.all([digest, folder.loadWriter], { concurrency: 2 })
  const same = files.length === repeat.sources.length
    && files.every((file, at) => file.sha256 === repeat.sources[at]?.sha256)
  if (!same) return undefined
  return {
    run: repeat.run,
    earlier,
    rows: { ...repeat.rows, imported: 0, alreadyImported: alreadyImported + imported },
    sources: repeat.sources.map((source, at) => ({ ...source, file: files[at]?.file ?? "", taken: [] })),
    columns: unchangedColumns(plan.columns, plan.mapping, repeat.cells),
    needed: attention.rows - attention.acknowledged,
    acknowledged: attention.acknowledged,
    vanished: { count: facts.vanished.count, fresh: 0 },
    alreadyKnown: facts.alreadyKnown + facts.sent,
    repeat,
  } satisfies Repeated
})

/** Returns what a run records for the next run. Undefined if the next run has work to do or can't rely on this one. */
export const repeatable = (report: Pick<RunReport, "rows" | "sources" | "balance" | "columns">) =>
  Effect.gen(function*() {
    const plan = yield* CurrentRun
    const { ledger, view } = yield* RunLedger
    const { balance, columns = [], rows, sources } = report
    const isThrough = plan.mode === "run" && plan.ownSource && plan.source.increment === undefined && balance.holds
      && sources.length > 0
      && !(yield* Stop).requested()
      // A row that it rejected may be undone in a run without `--resend-undone`.
      && !(plan.resendUndone && rejectedIn(rows) > 0)
    if (!isThrough || rows.pending > 0 || rows.inDoubt > 0) return undefined
    const { leftOut, settlements } = yield* view.counts
    return {
      run: plan.id,
      rejected: yield* (yield* RunFolder).rejectedDigest,
      settings: settingsOf(plan, ledger.digest),
      sources: sources.map(({ bytes, format, rows, sha256 }) => ({ sha256, bytes, rows, format })),
      rows,
      cells: keptCells(columns),
      marks: { leftOut, settlements },
    } satisfies Repeatable
  })

/** Returns a digest of everything that determines the fates of rows, except the source. The source's location does not matter. */
const settingsOf = ({ formFingerprint, keyColumns, mapping, pipeline, shape }: RunPlan, digest: Digester): string => {
  const { file: _, maxAge: __, ...source } = pipeline.source
  const all = {
    version,
    mapping: mapping.fingerprint,
    form: formFingerprint,
    columns: shape,
    keys: keyColumns,
    source,
    sink: pipeline.sink,
  }
  return digest.value(JSON.parse(JSON.stringify(all)) as Json).toString("hex")
}
