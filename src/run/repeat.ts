import { Effect, Option, Schema } from "effect"
import { type Fate, fates, type RowCounts } from "../domain/fate.ts"
import type { Json } from "../domain/json.ts"
import type { ColumnCells, RunReport, SourceFile } from "../domain/report.ts"
import type { LedgerError } from "../ledger/Ledger.ts"
import type { RunRecord } from "../ledger/records.ts"
import { version } from "../project/version.ts"
import type { Earlier } from "../report/RunFolder.ts"
import type { SourceError } from "../source/Source.ts"
import { columnsAgain, kept } from "./CellTable.ts"
import { factsOf } from "./history.ts"
import type { RunContext } from "./RunContext.ts"

const counted = Object.fromEntries(["read", ...fates].map((name) => [name, Schema.Number])) as {
  readonly [N in "read" | Fate]: typeof Schema.Number
}

/** What a run leaves in the ledger for the case that the next one finds everything as it was. */
const Repeatable = Schema.Struct({
  /** The run whose report has the rows: this one, or the one that it repeats itself. */
  run: Schema.String,
  /** Keyed digest of all that decides about rows besides the source. */
  settings: Schema.String,
  sources: Schema.Array(Schema.Struct({
    sha256: Schema.String,
    bytes: Schema.Number,
    rows: Schema.Number,
    format: Schema.String,
  })),
  rows: Schema.Struct(counted),
  cells: Schema.Array(Schema.Tuple(Schema.Number, Schema.Number, Schema.Number)),
  marks: Schema.Struct({ leftOut: Schema.Number, settlements: Schema.Number }),
})

type Repeatable = typeof Repeatable.Type

const decode = Schema.decodeUnknownOption(Schema.Struct({ repeat: Repeatable }))

/** The run that an unchanged source repeats, and what comes of that. */
export interface Repeated {
  readonly run: string
  /** Its report, where it rejected rows. */
  readonly earlier: Earlier | undefined
  readonly rows: RowCounts
  readonly sources: ReadonlyArray<SourceFile>
  readonly columns: ReadonlyArray<ColumnCells>
  /** Rows that need a person and that nobody has acknowledged, and those that a person has. */
  readonly needed: number
  readonly acknowledged: number
  readonly vanished: RunReport["vanished"]
  readonly alreadyKnown: number
  readonly repeat: Repeatable
}

/** Runs looked at for the last one that read the source: reconciliations change no row's fate. */
const lookedAt = 20

/**
 * The last run, when nothing that decides about rows has changed since: the source's bytes, mapping, form and settings, formferry itself, and what people said of rows; and when it
 * left nothing to do. Only the source's digest is taken then. Undefined: the source has to be read.
 */
export const unchangedSince = (run: RunContext): Effect.Effect<Repeated | undefined, LedgerError | SourceError> =>
  Effect.gen(function*() {
    const { digest } = run.source
    if (run.mode !== "run" || !run.ownSource || digest === undefined) return undefined
    const last = (yield* run.view.runs(lookedAt)).find((one) => one.mode !== "reconcile")
    const repeat = last === undefined ? undefined : repeatOf(last)
    const facts = last === undefined ? undefined : factsOf(last)
    if (repeat === undefined || facts === undefined || repeat.settings !== settingsOf(run)) return undefined
    if (repeat.rows.refused > 0 && run.retryRefused) return undefined
    const marks = yield* run.view.marks
    if (marks.inDoubt > 0 || marks.leftOut !== repeat.marks.leftOut || marks.settlements !== repeat.marks.settlements) {
      return undefined
    }
    const unread = yield* run.view.sent({ after: undefined, limit: 1, verdicts: ["unread"] })
    if (unread.length > 0) return undefined
    const attention = yield* run.view.attention
    // The rows that were rejected stand in that run's report, which may be gone by now.
    const { changed, duplicate, invalid, refused } = repeat.rows
    const rejected = changed + duplicate + invalid + refused > 0
    const earlier = rejected ? yield* run.folder.of(repeat.run) : undefined
    if (rejected && earlier === undefined) return undefined
    const files = yield* digest
    const same = files.length === repeat.sources.length
      && files.every((file, at) => file.sha256 === repeat.sources[at]?.sha256)
    if (!same) return undefined
    const { alreadyImported, imported, read } = repeat.rows
    return {
      run: repeat.run,
      earlier,
      rows: { ...repeat.rows, read, imported: 0, alreadyImported: alreadyImported + imported },
      sources: repeat.sources.map((source, at) => ({ ...source, file: files[at]?.file ?? "", taken: [] })),
      columns: columnsAgain(run.columns, run.mapping, repeat.cells),
      needed: attention.rows - attention.acknowledged,
      acknowledged: attention.acknowledged,
      vanished: vanishedNow(facts.vanished),
      alreadyKnown: facts.alreadyKnown + facts.sent,
      repeat,
    }
  })

const vanishedNow = (vanished: { readonly count: number } | undefined): RunReport["vanished"] =>
  vanished === undefined ? undefined : { count: vanished.count, fresh: 0 }

const repeatOf = ({ counts, finishedAt, mode }: RunRecord): Repeatable | undefined =>
  mode !== "run" || finishedAt === undefined
    ? undefined
    : Option.getOrUndefined(Option.map(decode(counts), ({ repeat }) => repeat))

/** What a run leaves for the next one; undefined when that has something to do, or can't know what this one saw. */
export const repeatable = (
  run: RunContext,
  report: Pick<RunReport, "rows" | "sources" | "balance" | "columns">,
): Effect.Effect<Repeatable | undefined, LedgerError> =>
  Effect.gen(function*() {
    const { balance, columns = [], rows, sources } = report
    const through = run.mode === "run" && run.ownSource && balance.holds && sources.length > 0
      && run.stop.reasons().length === 0
    if (!through || rows.pending > 0 || rows.inDoubt > 0) return undefined
    const { leftOut, settlements } = yield* run.view.marks
    return {
      run: run.id,
      settings: settingsOf(run),
      sources: sources.map(({ bytes, format, rows, sha256 }) => ({ sha256, bytes, rows, format })),
      rows,
      cells: kept(columns),
      marks: { leftOut, settlements },
    }
  })

/** Digest of all that decides about rows besides the source: where the source lies does not matter. */
const settingsOf = (run: RunContext): string => {
  const { file: _, maxAge: __, ...source } = run.pipeline.source
  const { blankRows, inDoubt, onChange, stopWhen } = run.pipeline.sink
  const all = {
    version,
    mapping: run.mapping.fingerprint,
    form: run.formFingerprint,
    columns: run.shape,
    keys: run.keyColumns,
    source,
    sink: { blankRows, inDoubt, onChange, stopWhen },
  }
  return run.ledger.digest.value(JSON.parse(JSON.stringify(all)) as Json).toString("hex")
}
