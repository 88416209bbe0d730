import { Data, Duration, Effect, Either, Random } from "effect"
import type { Exit, Redacted } from "effect"
import type { RunReport } from "../../src/domain/run.ts"
import { newRunId } from "../../src/jobs/newRunId.ts"
import type { Holder } from "../../src/ledger/holder.ts"
import type { LedgerSession } from "../../src/ledger/Ledger.ts"
import { makeLedger } from "../../src/ledger/openLedger.ts"
import { openStore } from "../../src/ledger/openStore.ts"
import type { Store } from "../../src/ledger/Store.ts"
import { compile } from "../../src/mapping/compile.ts"
import type { Pipeline } from "../../src/project/Pipeline.ts"
import { columnNames } from "../../src/run/content.ts"
import { execute } from "../../src/run/Run.ts"
import { makeStop, type Stop } from "../../src/run/Stop.ts"
import { make } from "../../src/service/client.ts"
import { formFingerprint } from "../../src/service/formFingerprint.ts"
import type { FormService } from "../../src/service/FormService.ts"
import type { OpenTransport } from "../../src/service/transport.ts"
import { memoryFolder } from "./memoryFolder.ts"
import type { SourceRow } from "./source.ts"
import { memorySource } from "./source.ts"

/** The mapping does not fit the form: a fault of the simulation's. */
export class NotCompiled extends Data.TaggedError("NotCompiled")<{ readonly message: string }> {}

/** Ports of a process wrapped, to plant a bug. */
export interface Bug {
  readonly session?: (session: LedgerSession) => LedgerSession
  readonly service?: (service: FormService) => FormService
}

export interface ProcessOptions {
  readonly ledger: string
  /** How the ledger knows it. */
  readonly holder: Holder
  readonly seed: number
  readonly pipeline: Pipeline
  readonly rows: () => ReadonlyArray<SourceRow>
  readonly baseUrl: string
  readonly apiKey: Redacted.Redacted
  readonly open: OpenTransport
  readonly requestsPerSecond: number
  readonly concurrency: number
  readonly retryRefused: boolean
  readonly acceptCanary: boolean
  readonly limit: number | undefined
  readonly bug: Bug
  /** The ledger is open. */
  readonly opened: (store: Store) => void
  readonly closed: (store: Store) => void
  /** The pipeline's lock is taken. */
  readonly holding: (session: LedgerSession, stop: Stop) => void
  /** Something for a person to do with the ledger before anything is sent. */
  readonly first: (session: LedgerSession) => Effect.Effect<unknown, unknown>
}

export type Ended = Exit.Exit<RunReport, unknown>

/** One `formferry run`, from opening the ledger to its report: the real run over the practice service's transport in this process. */
export const formferryProcess = (options: ProcessOptions): Effect.Effect<RunReport, unknown> =>
  Effect.scoped(
    Effect.gen(function*() {
      const { pipeline, bug } = options
      const store = yield* openStore({ file: options.ledger, holder: options.holder })
      options.opened(store)
      yield* Effect.addFinalizer(() => Effect.sync(() => options.closed(store)))
      const ledger = makeLedger(store)
      const opened = yield* make({
        baseUrl: options.baseUrl,
        apiKey: options.apiKey,
        requestsPerSecond: options.requestsPerSecond,
        concurrency: options.concurrency,
        timeout: Duration.seconds(5),
        editLinkParameter: "includeEditLink",
        gateway: "gateway",
      }, options.open)
      const service = bug.service?.(opened) ?? opened
      const source = memorySource(options.rows)
      const form = yield* service.form("people")
      const compiled = compile({ pipeline, form, columns: source.columns })
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
      const id = yield* newRunId
      const held = yield* view.hold(id)
      const session = bug.session?.(held) ?? held
      const stop = yield* makeStop
      options.holding(session, stop)
      yield* options.first(session)
      return yield* execute({
        id,
        mode: "run",
        pipeline,
        serviceName: "practice",
        destination: view.destination,
        form,
        formFingerprint: formFingerprint(form),
        mapping,
        shape: columnNames(mapping.columns),
        keyColumns: ["No"],
        source,
        columns: source.columns,
        mended: false,
        service,
        ledger,
        view,
        session,
        folder: memoryFolder(id),
        stop,
        progress: () => Effect.void,
        limit: options.limit,
        retryRefused: options.retryRefused,
        acceptCanary: options.acceptCanary,
        warnings: [],
      })
    }),
  ).pipe(Effect.withRandom(Random.make(options.seed)))
