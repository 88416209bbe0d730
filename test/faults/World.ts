import { Cause, Effect, Option, Random, Redacted } from "effect"
import type { Capability } from "../../src/domain/capability.ts"
import type { RunReport } from "../../src/domain/report.ts"
import type { LedgerSession } from "../../src/ledger/Ledger.ts"
import type { SqliteStore } from "../../src/ledger/sqlite/Store.ts"
import { resultsTable } from "../../src/practice/results.ts"
import type { Pipeline } from "../../src/project/Pipeline.ts"
import type { Stop } from "../../src/run/Stop.ts"
import type { UndoneRun } from "../../src/run/undoRun.ts"
import type { OpenTransport, TransportResponse } from "../../src/service/transport.ts"
import { type FaultPlan, planned } from "../practice/faults.ts"
import { inProcess } from "../practice/inProcess.ts"
import {
  type Bug,
  formferryProcess,
  type ProcessOptions,
  settleByHandProcess,
  settleProcess,
  undoProcess,
} from "./FormferryProcess.ts"
import { LedgerOnDisk } from "./ledgerOnDisk.ts"
import { observed } from "./observed.ts"
import { form } from "./pipeline.ts"
import { misreported } from "./reported.ts"
import { type RejectedRows, rowsOf, type SourceRow } from "./source.ts"
import { type LedgerRow, Truth } from "./truth.ts"
import { Machine, type Running, VirtualTime } from "./VirtualTime.ts"

/**
 * A mishap of a formferry process, and the step at which it occurs. Steps are requests, answers, and the beginning and
 * the end of the ledger's commits.
 */
export interface Mishap {
  readonly step: number
  readonly what:
    | "crash"
    /** The process is killed, and its machine does not restart: only its missing heartbeat shows that it has ended. */
    | "vanish"
    | "interrupt"
    /** The process is suspended for longer than others wait. */
    | "stop"
    /** The ledger can't be written: the commit fails, the commit succeeds but is reported as failed, or no page is free. */
    | "full before"
    | "full after"
    | "full"
    /** Someone saves the source while it is being read. */
    | "edit"
}

export interface Day {
  /**
   * What the process runs: `formferry run`, `formferry settle` with an export of the current results, or `formferry
   * settle` by a person who knows the truth. "vouched" passes `--complete`. Or `formferry undo`.
   */
  readonly command: "run" | "settle" | "settle vouched" | "settle manually" | "undo"
  /** The rejected.csv that `run --source` reads. Undefined: it reads the source. */
  readonly fixed: RejectedRows | undefined
  /** The run that `undo` names, and whether `--edited-too` is passed. */
  readonly undo: { readonly run: string; readonly editedToo: boolean }
  /** Changes an export: removes lines or changes their order. Never applied to a vouched export. */
  readonly mangle: (lines: ReadonlyArray<ReadonlyArray<string>>) => ReadonlyArray<ReadonlyArray<string>>
  readonly pipeline: Pipeline
  readonly faults: FaultPlan
  readonly mishaps: ReadonlyArray<Mishap>
  readonly requestsPerSecond: number
  readonly retryRefused: boolean
  readonly resendUndone: boolean
  readonly acceptCanary: boolean
  readonly limit: number | undefined
  /** Changes that a person makes in the ledger before the run sends anything. */
  readonly first: (session: LedgerSession) => Effect.Effect<unknown, unknown>
  /** The change to the source that the mishap "edit" makes. */
  readonly edit: (rows: ReadonlyArray<SourceRow>) => ReadonlyArray<SourceRow>
}

/** How a day ended. */
export type Ending =
  | { readonly _tag: "Report"; readonly report: RunReport }
  | { readonly _tag: "Settled"; readonly rows: number }
  | { readonly _tag: "Undone"; readonly result: UndoneRun }
  /** By its tag; intents in the ledger may be open. */
  | { readonly _tag: "Failed"; readonly error: string }
  | { readonly _tag: "Crashed" }

const hour = 3_600_000
/** Errors with which a run may end because of faults. */
const expected = new Set(["ServiceUnusable", "LedgerError", "OutcomeUnrecorded", "LedgerLocked", "LedgerOvertaken"])

/**
 * Simulates a service, a ledger, a source, and formferry processes that start and end. All events happen in virtual
 * time and follow from one seed.
 */
export class World {
  readonly time = new VirtualTime()
  readonly truth = new Truth()
  readonly disk = new LedgerOnDisk()
  /** The service's machine, which keeps running when formferry's machine is off. */
  private readonly server = new Machine(this.time)
  private readonly apiKey = Redacted.make("practice_key_of_the_simulation")
  readonly counts = { requests: 0, lists: 0, deletions: 0, processes: 0, abandoned: 0, spans: 0 }
  readonly met = new Map<string, number>()
  rows: ReadonlyArray<SourceRow>
  /** The rejected.csv of each run that ended, by run, the newest one last. */
  readonly rejected = new Map<string, RejectedRows>()
  private readonly seed: number
  private readonly bug: Bug
  private readonly telemetry: boolean
  private readonly capabilities: ReadonlyArray<Capability>
  private boot = 0
  private days = 0
  /** Whether the last process that held the ledger may have left intents open. */
  private open = false

  constructor(
    seed: number,
    rows: ReadonlyArray<SourceRow>,
    bug: Bug,
    telemetry: boolean,
    capabilities: ReadonlyArray<Capability> = [],
  ) {
    this.seed = seed
    this.bug = bug
    this.telemetry = telemetry
    this.capabilities = capabilities
    this.rows = rows
    this.truth.know(rows)
    this.truth.rowOf = (key) => this.disk.row(key)
  }

  close(): void {
    this.server.switchOff()
    this.disk.remove()
  }

  edit(change: (rows: ReadonlyArray<SourceRow>) => ReadonlyArray<SourceRow>): void {
    this.rows = change(this.rows)
    this.truth.know(this.rows)
  }

  /** Counts how often a fault occurred. */
  private meet(what: string, times = 1): void {
    this.met.set(what, (this.met.get(what) ?? 0) + times)
  }

  /** Returns all submissions, as the service's results page shows them. */
  private results() {
    this.meet("settle from an export")
    return resultsTable(form, this.truth.store.all(form.id))
  }

  /** Starts the service for a day, with the same store and new faults. */
  private async practice(faults: FaultPlan) {
    const made = this.server.start(
      inProcess({ forms: [form], store: this.truth.store, apiKey: this.apiKey, faults: planned(faults) }).pipe(
        Effect.withRandom(Random.make(`${this.seed} ${++this.days} ids`)),
      ),
    )
    await this.time.until(() => made.exit !== undefined, hour)
    if (made.exit?._tag !== "Success") throw new Error("The practice service did not start.")
    return made.exit.value
  }

  /** Runs formferry once with faults, and compares the results with the truth. */
  async day(day: Day): Promise<Ending> {
    const practice = await this.practice(day.faults)
    if (day.fixed !== undefined) {
      this.meet("run with a rejected.csv")
      this.truth.know(rowsOf(day.fixed))
    }
    if (day.command === "undo") this.truth.undoing.set(day.undo.run, false)
    const first = this.start(practice, day, day.mishaps)
    await this.settled(first)
    let ending: Ending | undefined
    if (first.machine.isStopped) {
      this.leftOpen(day)
      // A second process takes over after the first process's heartbeat became old. The first process then resumes,
      // either during the second one's work or afterwards.
      await this.time.pass(61_000)
      const second = this.start(practice, { ...day, first: () => Effect.void }, [])
      const wakes = this.counts.processes % 2 === 0 ? 2 * hour : 40
      await this.time.until(() => second.running.exit !== undefined, wakes)
      first.machine.goOn()
      await this.settled(second)
      await this.settled(first)
      ending = this.end(second)
    }
    const own = this.end(first)
    for (const [what, times] of Object.entries(practice.faults())) this.meet(what, times)
    this.truth.compare(this.disk.rows(), this.open, day.resendUndone)
    return ending ?? own
  }

  private async settled({ machine, running }: Started): Promise<void> {
    const over = () => running.exit !== undefined || machine.isOff || machine.isStopped
    if (await this.time.until(over, 4 * hour)) return
    this.truth.violated("a run ends", `process ${this.counts.processes} hangs`)
    machine.switchOff()
  }

  /** Records how a process ended, and which rows may legitimately be in doubt. */
  private end(started: Started): Ending {
    const { machine, running, store, day } = started
    if (machine.isOff) {
      const open = store()
      if (open !== undefined) this.disk.crashed(open)
      this.leftOpen(day)
      return { _tag: "Crashed" }
    }
    const { exit } = running
    if (exit === undefined) return { _tag: "Crashed" }
    if (exit._tag === "Success") return this.result(exit.value, started)
    const { cause } = exit
    const error = Option.getOrUndefined(Cause.failureOption(cause))
    const tag = typeof error === "object" && error !== null && "_tag" in error ? String(error._tag) : "Defect"
    if (!expected.has(tag)) this.truth.violated("a run ends as it should", Cause.pretty(cause))
    if (tag === "LedgerError" || tag === "OutcomeUnrecorded") this.leftOpen(day)
    return { _tag: "Failed", error: tag }
  }

  private result(value: RunReport | UndoneRun | number, started: Started): Ending {
    const { day, left } = started
    if (typeof value === "number") return { _tag: "Settled", rows: value }
    if ("kept" in value) {
      const { kept, remaining } = value
      const likely = new Set([...kept].flatMap(([id, { why }]) => why === "likely" ? [id] : []))
      const hasEnded = remaining.sent === kept.size
        && [...kept.values()].every(({ why }) => why === "edited" || why === "likely")
        && left()?.overtaken === false
      if (hasEnded) this.truth.checkUndone(day.undo.run, this.disk.rows(), day.undo.editedToo, likely)
      return { _tag: "Undone", result: value }
    }
    this.look(value, started)
    if (value.exitCode === 6) this.leftOpen(day)
    return { _tag: "Report", report: value }
  }

  /** Counts intents that a process left open. They were in flight, and their number is limited. */
  private leftOpen(day: Day): void {
    this.open = true
    const open = this.disk.rows().filter(({ state }) => state === "intended")
    for (const { key } of open) this.truth.ambiguous.add(key)
    this.counts.abandoned += open.length
    const most = day.pipeline.sink.concurrency * day.pipeline.sink.batchSize
    if (open.length > most) {
      this.truth.violated("in doubt: at most the batches in flight", `${open.length} rows are open, of at most ${most}`)
    }
  }

  private look({ balance, exitCode, rows }: RunReport, { day, edited, left, source }: Started): void {
    const { read, ...fates } = rows
    const sum = Object.values(fates).reduce((a, b) => a + b, 0)
    if (!balance.holds || exitCode === 70 || sum !== read) {
      this.truth.violated("the balance holds", JSON.stringify(rows))
    }
    const { overtaken, rows: ledger } = left() ?? { overtaken: false, rows: new Map<string, LedgerRow>() }
    if (!overtaken) {
      const wrong = edited()
        ? undefined
        : misreported(rows, source, ledger, this.disk.leftOut(), {
          again: day.pipeline.sink.onChange === "import-again",
          resendUndone: day.resendUndone,
          isFixed: day.fixed !== undefined,
        })
      if (wrong !== undefined) this.truth.violated("every row is in exactly one state", wrong)
      if (exitCode === 6) {
        this.truth.violated("a run ends as it should", "it says that it was overtaken, and nobody did")
      }
      return
    }
    // The report of an overtaken run shows the state during the other run. Rows that the other run had in
    // flight, or had resent, count as in doubt.
    const inDoubt = [...ledger.values()].filter(({ state }) => state === "inDoubt" || state === "intended").length
    const inFlight = day.pipeline.sink.concurrency * day.pipeline.sink.batchSize
    const resent = [...ledger.values()].filter((row) => row.resent).length
    if (rows.inDoubt > inDoubt + inFlight + resent) {
      this.truth.violated("every row is in exactly one state", `${rows.inDoubt} in doubt, ${inDoubt} in the ledger`)
    }
  }

  private start(practice: Practice, day: Day, mishaps: ReadonlyArray<Mishap>): Started {
    const machine = new Machine(this.time)
    const process = ++this.counts.processes
    const before = this.rows
    const source = day.fixed === undefined ? before : rowsOf(day.fixed)
    let step = 0
    let store: SqliteStore | undefined
    let stop: Stop["Type"] | undefined
    let refuse: "full before" | "full after" | undefined
    /** Counts a step, and triggers the mishap planned for it. */
    const stepped = () => {
      step++
      for (const { what, step: at } of mishaps) {
        if (at !== step || machine.isOff) continue
        this.meet(what)
        if (what === "crash" || what === "vanish") {
          machine.switchOff()
          this.time.moved()
          if (what === "crash") this.boot++
        } else if (what === "interrupt") {
          Effect.runSync(stop?.request({ _tag: "Interrupted", signal: "SIGINT" }) ?? Effect.void)
        } else if (what === "stop") machine.stop()
        else if (what === "edit") this.edit(day.edit)
        else if (what === "full") store?.db.set(`max_page_count = ${store.db.pragma("page_count")}`)
        else refuse = what
      }
    }
    const watched = (opened: SqliteStore) => {
      store = opened
      this.disk.opened(opened)
      const { db } = opened
      const exec = db.exec.bind(db)
      db.exec = (sql) => {
        if (machine.isOff && sql !== "ROLLBACK") throw new Error("the machine is off")
        if (sql !== "COMMIT") return exec(sql)
        stepped()
        if (machine.isOff) {
          // A process that ends has no transaction.
          exec("ROLLBACK")
          throw new Error("the machine is off")
        }
        if (refuse === "full before") throw new Error("database or disk is full")
        exec(sql)
        stepped()
        if (machine.isOff) throw new Error("the machine is off")
        if (refuse === "full after") throw new Error("disk I/O error")
      }
    }
    const options: ProcessOptions = {
      ...day,
      ledger: this.disk.file,
      holder: { pid: process, born: "", boot: `boot${this.boot} process${process}` },
      seed: this.seed * 1_000 + process,
      rows: () => this.rows,
      capabilities: this.capabilities,
      baseUrl: practice.baseUrl,
      apiKey: practice.apiKey,
      open: this.watchedTransport(practice.open, day, machine, stepped),
      concurrency: day.pipeline.sink.concurrency + 4,
      bug: this.bug,
      opened: watched,
      closed: (closed) => this.disk.closed(closed),
      rejected: this.rejected,
      holding: (session, made) => {
        epoch = session.epoch
        // A process that takes the lock puts open rows of earlier processes in doubt.
        this.open = false
        stop = made
      },
    }
    let epoch: number | undefined
    let left: ReturnType<Started["left"]>
    const running = machine.start<RunReport | UndoneRun | number, unknown>(
      Effect.tap(this.job(day, options), () => {
        left = {
          rows: new Map(this.disk.rows().map((row) => [row.key, row])),
          overtaken: this.disk.epoch() !== epoch,
        }
      }),
    )
    return { machine, running, day, source, edited: () => this.rows !== before, left: () => left, store: () => store }
  }

  private job(day: Day, options: ProcessOptions): Effect.Effect<RunReport | UndoneRun | number, unknown> {
    const work = this.command(day, options)
    return this.telemetry ? observed(work, (span) => this.counts.spans += span === "request" ? 1 : 0) : work
  }

  private command(day: Day, options: ProcessOptions): Effect.Effect<RunReport | UndoneRun | number, unknown> {
    switch (day.command) {
      case "run":
        return formferryProcess(options)
      case "settle":
        return settleProcess(options, () => {
          const { rows, titles } = this.results()
          return { titles, rows: day.mangle(rows) }
        }, false)
      case "settle vouched":
        return settleProcess(options, () => this.results(), true)
      case "undo":
        return undoProcess(options, day.undo)
      case "settle manually":
        return settleByHandProcess(options, (key) => this.truth.landedByHand(key))
    }
  }

  /** Counts sent requests, and tracks creates that may have arrived although their outcome is unknown. */
  private watchedTransport(open: OpenTransport, day: Day, machine: Machine, stepped: () => void): OpenTransport {
    return (target) =>
      Effect.map(open(target), (transport) => ({
        send: (request) =>
          Effect.suspend(() => {
            stepped()
            if (machine.isOff) return nothingMore
            const keys = request.method === "POST" ? keysOf(request.body) : []
            let fresh: ReadonlyArray<string> = []
            let epoch = 0
            const guard = () => {
              if (request.guard?.() === false) return false
              this.counts.requests++
              if (request.method === "GET" && request.path.includes("/submissions?")) this.counts.lists++
              if (request.method === "DELETE") this.counts.deletions++
              if (keys.length === 0) return true
              epoch = this.disk.epoch()
              const leftOut = this.disk.leftOut()
              for (const key of keys) {
                if (leftOut.has(key)) {
                  this.truth.violated("what a person left out stays out", `row ${key} is sent`)
                }
                this.truth.checkSent(key, day.resendUndone)
              }
              fresh = keys.filter((key) => !this.truth.ambiguous.has(key))
              for (const key of fresh) this.truth.ambiguous.add(key)
              return true
            }
            const known = () => {
              if (keys.length === 0) return
              // If a different process has put the row in doubt meanwhile, the row stays ambiguous, because a later
              // answer changes nothing.
              const overtaken = this.disk.epoch() > epoch
              for (const key of fresh) {
                if (!overtaken || this.disk.row(key)?.state !== "inDoubt") this.truth.ambiguous.delete(key)
              }
            }
            return transport.send({ ...request, guard }).pipe(
              Effect.tapBoth({
                onFailure: (error) => Effect.sync(() => (error._tag === "NeverSent" ? known() : undefined)),
                onSuccess: (response) =>
                  Effect.sync(() => (keys.length > 0 && isTold(response, keys.length) ? known() : undefined)),
              }),
              Effect.tapBoth({
                onFailure: () => Effect.suspend(() => (stepped(), machine.isOff ? nothingMore : Effect.void)),
                onSuccess: () => Effect.suspend(() => (stepped(), machine.isOff ? nothingMore : Effect.void)),
              }),
            )
          }),
      }))
  }
}

/** Never ends. Unlike `Effect.never`, it keeps no timer. */
const nothingMore = Effect.async<never>(() => {})

type Practice = Effect.Effect.Success<ReturnType<typeof inProcess>>

interface Started {
  readonly machine: Machine
  readonly running: Running<RunReport | UndoneRun | number, unknown>
  readonly day: Day
  /** The source when the process started, and whether someone has edited it since. */
  readonly source: ReadonlyArray<SourceRow>
  readonly edited: () => boolean
  /** The ledger's rows when the process ended normally, and whether a different process had taken over by then. */
  readonly left: () => { readonly rows: ReadonlyMap<string, LedgerRow>; readonly overtaken: boolean } | undefined
  readonly store: () => SqliteStore | undefined
}

/** Returns the row keys of a create request. Each item has its key as a URL parameter. */
const keysOf = (body: Buffer | undefined): ReadonlyArray<string> => {
  const { submissions } = JSON.parse(body?.toString("utf8") ?? '{"submissions":[]}') as {
    readonly submissions: ReadonlyArray<{ readonly urlParameters: ReadonlyArray<{ readonly value: string }> }>
  }
  return submissions.flatMap(({ urlParameters }) => urlParameters.map(({ value }) => value))
}

/**
 * Whether an answer to a create leaves no doubt: every item has its submission, or docs/guarantees.md counts it as not
 * created.
 */
const isTold = ({ body, status }: TransportResponse, items: number): boolean => {
  if ([400, 413, 422].includes(status)) return Buffer.from(body).includes('"message"')
  if (status >= 300) return [401, 403, 404, 429].includes(status)
  try {
    const { submissions } = JSON.parse(Buffer.from(body).toString("utf8")) as {
      readonly submissions: ReadonlyArray<{ readonly submissionId: string }>
    }
    return submissions.length === items && new Set(submissions.map(({ submissionId }) => submissionId)).size === items
  } catch {
    return false
  }
}
