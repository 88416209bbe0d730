import { Clock, Context, Data, Duration, Effect, Either, Random, type Redacted } from "effect"
import type { Capability } from "../../src/domain/capability.ts"
import type { RunReport } from "../../src/domain/report.ts"
import { isoOf } from "../../src/domain/times.ts"
import { newRunId } from "../../src/jobs/projectLedger.ts"
import { settleFromExport } from "../../src/jobs/settleFromExport.ts"
import { type Holder, LockHolder } from "../../src/ledger/holder.ts"
import type { LedgerSession } from "../../src/ledger/Ledger.ts"
import { makeLedger } from "../../src/ledger/sql/ledger.ts"
import { openStore, type SqliteStore } from "../../src/ledger/sqlite/Store.ts"
import { compile } from "../../src/mapping/compile.ts"
import type { Pipeline } from "../../src/project/Pipeline.ts"
import { RunFolder } from "../../src/report/RunFolder.ts"
import { Progress } from "../../src/run/Progress.ts"
import { execute } from "../../src/run/Run.ts"
import { CurrentRun, RunLedger } from "../../src/run/RunContext.ts"
import { waitsOf } from "../../src/run/settleFromList.ts"
import { makeStop, Stop } from "../../src/run/Stop.ts"
import { remainingOf, type UndoneRun, undoRun } from "../../src/run/undoRun.ts"
import { make } from "../../src/service/client.ts"
import { FormService } from "../../src/service/FormService.ts"
import type { OpenTransport } from "../../src/service/transport.ts"
import { resultsColumns } from "../../src/sink/likeness.ts"
import { ownColumns } from "../../src/source/fixed.ts"
import { listed } from "../ledger/rows.ts"
import { memoryFolder } from "./memoryFolder.ts"
import { memorySource, type RejectedRows, rejectedSource, type SourceRow, tableSource } from "./source.ts"

/** The mapping does not fit the form, which is a bug in the simulation. */
class NotCompiled extends Data.TaggedError("NotCompiled")<{ readonly message: string }> {}

/** Wraps a process's ports to plant a bug. */
export interface Bug {
  readonly session?: (session: LedgerSession) => LedgerSession
  readonly service?: (service: FormService) => FormService
}

export interface ProcessOptions {
  readonly ledger: string
  /** The identity of the process in the ledger. */
  readonly holder: Holder
  readonly seed: number
  readonly pipeline: Pipeline
  readonly rows: () => ReadonlyArray<SourceRow>
  /** The rejected.csv that `--source` names. Undefined: the rows above are read. */
  readonly fixed: RejectedRows | undefined
  readonly baseUrl: string
  readonly apiKey: Redacted.Redacted
  readonly capabilities: ReadonlyArray<Capability>
  readonly open: OpenTransport
  readonly requestsPerSecond: number
  readonly concurrency: number
  readonly retryRefused: boolean
  readonly resendUndone: boolean
  /** Whether a person accepts a canary that an earlier run recorded as failed. */
  readonly acceptCanary: boolean
  readonly limit: number | undefined
  readonly bug: Bug
  /** Called when the ledger is open. */
  readonly opened: (store: SqliteStore) => void
  readonly closed: (store: SqliteStore) => void
  /** The rejected.csv of each run that ended, by run. */
  readonly rejected: Map<string, RejectedRows>
  /** Called when the process has taken the pipeline's lock. */
  readonly holding: (session: LedgerSession, stop: Stop["Type"]) => void
  /** Changes that a person makes in the ledger before anything is sent. */
  readonly first: (session: LedgerSession) => Effect.Effect<unknown, unknown>
}

/** Opens what every process needs: the ledger, the service, the form and the mapping. */
const open = (options: ProcessOptions) =>
  Effect.gen(function*() {
    const { bug, pipeline } = options
    const store = yield* Effect.provideService(openStore({ file: options.ledger }), LockHolder, () => options.holder)
    options.opened(store)
    yield* Effect.addFinalizer(() => Effect.sync(() => options.closed(store)))
    const ledger = makeLedger(store)
    const client = yield* make({
      baseUrl: options.baseUrl,
      apiKey: options.apiKey,
      requestsPerSecond: options.requestsPerSecond,
      concurrency: options.concurrency,
      timeout: Duration.seconds(5),
      editLinkParameter: "includeEditLink",
      gateway: "gateway",
      capabilities: options.capabilities,
    }, options.open)
    const service = bug.service?.(client) ?? client
    const source = options.fixed === undefined ? memorySource(options.rows) : rejectedSource(options.fixed)
    const form = yield* service.form("people")
    const compiled = compile({
      pipeline,
      form,
      columns: ownColumns(source.columns),
      fixed: options.fixed && "text",
    })
    if (Either.isLeft(compiled)) {
      return yield* new NotCompiled({ message: compiled.left.map(({ message }) => message).join("; ") })
    }
    const { mapping } = compiled.right
    const view = yield* ledger.pipeline({
      pipeline: pipeline.name,
      destination: { service: options.baseUrl, form: form.id },
      renamedFrom: undefined,
      alongside: [],
    })
    return { ledger, service, source, form, mapping, view }
  })

/**
 * Runs `formferry settle --results` with an export of the service's current submissions. `isComplete` passes
 * `--complete`.
 */
export const settleProcess = (
  options: ProcessOptions,
  results: () => { readonly titles: ReadonlyArray<string>; readonly rows: ReadonlyArray<ReadonlyArray<string>> },
  isComplete: boolean,
): Effect.Effect<number, unknown> =>
  Effect.scoped(
    Effect.gen(function*() {
      const { form, ledger, mapping, view } = yield* open(options)
      const { rows, titles } = results()
      const columns = resultsColumns({ titles, own: new Set(), id: undefined }, form, [])
      if (columns === undefined) return yield* new NotCompiled({ message: "The export has no submission ids." })
      const session = yield* view.hold(yield* newRunId)
      options.holding(session, yield* makeStop)
      const doubtful = yield* listed(view, "doubtful", { limit: 10_000 })
      const { settled } = yield* settleFromExport(doubtful, view, ledger.digest.key, {
        name: "results.csv",
        source: tableSource(titles, rows),
        form,
        columns,
        kinds: mapping.answers,
        stamps: { rowKey: undefined, origin: mapping.origin },
        hasTimes: false,
        waits: waitsOf(options.pipeline),
        warnings: [],
      }, isComplete)
      yield* session.settleDoubts({
        rows: settled.map(({ as }) => as),
        by: "the simulation",
        because: isComplete ? "it is the store" : undefined,
        file: { name: "results.csv", sha256: "", isComplete },
      })
      return settled.length
    }),
  ).pipe(Effect.withRandom(Random.make(options.seed)))

/** Runs `formferry settle --as`, as a person who knows the service's submissions. */
export const settleByHandProcess = (
  options: ProcessOptions,
  hasLanded: (key: string) => boolean,
): Effect.Effect<number, unknown> =>
  Effect.scoped(
    Effect.gen(function*() {
      const { view } = yield* open(options)
      const session = yield* view.hold(yield* newRunId)
      options.holding(session, yield* makeStop)
      const doubtful = yield* listed(view, "doubtful", { limit: 10_000 })
      yield* session.settleDoubts({
        rows: doubtful.map(({ key, keyDigest }) => ({
          keyDigest,
          outcome: hasLanded(key) ? { _tag: "Landed", submissionId: undefined } : { _tag: "NotLanded" },
          reason: "looked up",
          proof: "person",
        })),
        by: "the simulation",
        because: "looked up",
        file: undefined,
      })
      return doubtful.length
    }),
  ).pipe(Effect.withRandom(Random.make(options.seed)))

/** Runs `formferry undo --run`. */
export const undoProcess = (
  options: ProcessOptions,
  { editedToo, run }: { readonly run: string; readonly editedToo: boolean },
): Effect.Effect<UndoneRun, unknown> =>
  Effect.scoped(
    Effect.gen(function*() {
      const { form, ledger, mapping, service, view } = yield* open(options)
      const { remove } = service
      if (remove === undefined) return yield* Effect.dieMessage("The service can't delete.")
      const id = yield* newRunId
      const session = yield* view.hold(id)
      const stop = yield* makeStop
      options.holding(session, stop)
      yield* session.startRun({ run: id, mode: "undo", startedAt: isoOf(yield* Clock.currentTimeMillis) })
      const { answers } = mapping
      const { digest } = ledger
      const { pipeline } = options
      return yield* undoRun(
        { run, pipeline, form, service, remove, answers, view, session, digest, stop, editedToo },
        yield* remainingOf(view, run),
      )
    }),
  ).pipe(Effect.withRandom(Random.make(options.seed)))

/**
 * Runs `formferry run`, from opening the ledger to writing its report. The run is real, but uses the practice service
 * in this process.
 */
export const formferryProcess = (options: ProcessOptions): Effect.Effect<RunReport, unknown> =>
  Effect.scoped(
    Effect.gen(function*() {
      const { bug, pipeline } = options
      const { form, ledger, mapping, service, source, view } = yield* open(options)
      const id = yield* newRunId
      const held = yield* view.hold(id)
      const session = bug.session?.(held) ?? held
      const stop = yield* makeStop
      options.holding(session, stop)
      const { canary } = yield* view.facts
      if (options.acceptCanary && canary?.state === "failed") {
        yield* session.recordFacts({
          acceptance: { reason: "canary", states: [canary.standing], by: "the simulation", because: "seen" },
        })
      }
      yield* options.first(session)
      const plan = CurrentRun.make({
        id,
        mode: "run",
        pipeline,
        target: undefined,
        serviceName: "practice",
        form,
        mapping,
        source,
        otherSource: options.fixed && "rejected.csv",
        projectOption: undefined,
        confirm: undefined,
        limit: options.limit,
        retryRefused: options.retryRefused,
        resendUndone: options.resendUndone,
        warnings: [],
      })
      const run = Context.make(CurrentRun, plan).pipe(
        Context.add(RunLedger, { ledger, view, session }),
        Context.add(FormService, service),
        Context.add(RunFolder, memoryFolder(id, options.rejected)),
        Context.add(Stop, stop),
      )
      return yield* execute.pipe(Effect.provide(run), Effect.provide(Progress.layerTest))
    }),
  ).pipe(Effect.withRandom(Random.make(options.seed)))
