import { FetchHttpClient, type FileSystem, type Path } from "@effect/platform"
import { Cause, Effect, Exit } from "effect"
import iconv from "iconv-lite"
import { rmSync, statSync } from "node:fs"
import { join } from "node:path"
import { Notifier } from "../../src/jobs/attempt.ts"
import { notifyWebhooks } from "../../src/jobs/notifyWebhooks.ts"
import { runPipeline } from "../../src/jobs/run.ts"
import { runDue } from "../../src/jobs/schedule.ts"
import { settlePipeline } from "../../src/jobs/settle.ts"
import type { ScheduleEvent } from "../../src/jobs/turns.ts"
import { openLedger } from "../../src/ledger/openLedger.ts"
import type { Notification } from "../../src/notify/Notification.ts"
import { loadProject } from "../../src/project/loadProject.ts"
import type { OpenTransport } from "../../src/service/transport.ts"
import { observed } from "../faults/observed.ts"
import { form } from "../faults/pipeline.ts"
import { VirtualProject } from "../faults/VirtualProject.ts"
import { Machine, type Running } from "../faults/VirtualTime.ts"
import { listed } from "../ledger/rows.ts"
import { unattended } from "../run/unattended.ts"
import type { Night, Person } from "./plan.ts"

const notify = `notify:
  - webhook: { env: THE_HOOK }
    on: [failed, degraded, unavailable]
`

const pipeline = `pipeline: people
source: { file: ../source.csv, rowKey: [No] }
mapping:
  questions:
    - { name: Name, from: Name }
    - { name: Mail, from: Mail, as: email }
  urlParameters:
    - { name: Reference, from: No }
  unmapped: ignore
sink: { service: live, form: people, onChange: import-again, stamp: { run: run_id, pipeline: imported_by }, batchSize: 5, concurrency: 2, retries: { attempts: 4, base: 100 millis, max: 1 seconds } }
reconcile: { visibleWithin: 20 seconds }
schedule: { cron: "0 2 * * *", zone: Europe/Berlin }
`

const hour = 3_600_000

/** A notification that the webhook received. */
export interface Told {
  readonly night: number
  readonly event: Notification["event"]
  /** Codes of new anomalies. */
  readonly news: ReadonlyArray<string>
}

/** A project with schedulers and a webhook, played for many nights. */
export class Nights extends VirtualProject {
  readonly told: Array<Told> = []
  readonly ends: Array<{ readonly night: number; readonly exit: number | string }> = []
  readonly counts = { crashes: 0, runs: 0, unchanged: 0, spans: 0, fixed: 0 }
  /** Rows of a rejected.csv as a person corrected them. */
  readonly fixed: Array<Person> = []
  private night = 0
  private webhookDown = false

  constructor(seed: number) {
    super(seed, "formferry-nights-")
    this.writeServices({ baseUrl: "http://127.0.0.1/v1/api" }, notify)
    this.write("pipelines/people.yaml", pipeline)
    // At noon no process is running.
    this.time.now = Date.UTC(2026, 0, 1, 12)
  }

  /** Returns the service's submissions as the rows that they came from, in order of creation. */
  submissions(): ReadonlyArray<Person & { readonly id: string }> {
    return this.store.all(form.id).map(({ id, json }) => {
      const { questions, urlParameters } = JSON.parse(json) as {
        readonly questions: ReadonlyArray<{ readonly id: string; readonly value: unknown }>
        readonly urlParameters: ReadonlyArray<{ readonly id: string; readonly value: string }>
      }
      const answer = (of: string) => String(questions.find((one) => one.id === of)?.value)
      const no = Number(urlParameters.find((one) => one.id === "ref")?.value)
      return { id, no, name: answer("name"), mail: answer("mail") }
    })
  }

  private export({ addedColumn, columnsTurned, delimiter, rows, writing }: Night): void {
    if (rows === undefined) return rmSync(join(this.root, "source.csv"), { force: true })
    const titles = ["No", "Name", "Mail", ...(addedColumn ? ["Added"] : [])]
    const table = [titles, ...rows.map(({ mail, name, no }) => [String(no), name, mail, ...(addedColumn ? ["x"] : [])])]
    const lines = columnsTurned ? table.map((cells) => cells.toReversed()) : table
    const text = `${lines.map((cells) => cells.join(delimiter)).join("\n")}\n`
    this.write("source.csv", iconv.encode(text, writing, { addBOM: writing === "utf-16le" }))
  }

  /** Starts a formferry process, and kills it at the given request, if any. Every other night, it makes spans and metrics. */
  private process<A, E>(
    open: OpenTransport,
    crashAt: number | undefined,
    work: Effect.Effect<A, E, FileSystem.FileSystem | Path.Path | Notifier>,
  ): { readonly machine: Machine; readonly running: Running<A, E> } {
    const machine = new Machine(this.time)
    let requests = 0
    const fetch = (_: unknown, init?: RequestInit) => {
      if (this.webhookDown) return Promise.reject(new Error("down"))
      const { anomalies, event } = JSON.parse(new TextDecoder().decode(init?.body as Uint8Array)) as Notification
      const news = anomalies.flatMap((one) => (one.new ? [one.code] : []))
      this.told.push({ night: this.night, event, news })
      return Promise.resolve(new Response(null, { status: 200 }))
    }
    const telemetry = this.night % 2 === 1
    const running = this.start(
      machine,
      (telemetry ? observed(work, () => this.counts.spans++) : work).pipe(
        Effect.provideService(Notifier, { notify: notifyWebhooks }),
        Effect.provideService(FetchHttpClient.Fetch, fetch as typeof globalThis.fetch),
      ),
      open,
      () => {
        if (++requests !== crashAt) return
        this.crash(machine)
        this.counts.crashes++
      },
    )
    return { machine, running }
  }

  private schedule(open: OpenTransport, crashAt: number | undefined) {
    const tell = (event: ScheduleEvent) =>
      Effect.sync(() => {
        if (event._tag !== "Ended") return
        this.counts.runs++
        if (Exit.isSuccess(event.exit)) {
          if (event.exit.value.unchangedSince !== undefined) this.counts.unchanged++
          if (!event.exit.value.balance.holds) throw new Error("The balance does not hold.")
        }
        const exit = Exit.isSuccess(event.exit) ? event.exit.value.exitCode : errorOf(event.exit.cause)
        this.ends.push({ night: this.night, exit })
      })
    return this.process(
      open,
      crashAt,
      runDue({
        root: this.root,
        load: (pipelines) => loadProject(this.root, { pipelines }),
        confirmed: [],
        interrupted: Effect.never,
        onEvent: tell,
      }),
    )
  }

  /** Returns the service for a night, with the same store and new faults. */
  private service(faults: Night["faults"]): Promise<OpenTransport> {
    return this.practice([form], `${this.night}`, { seed: this.seed + this.night, faults })
  }

  private async over(
    ...processes: ReadonlyArray<{ readonly machine: Machine; readonly running: Running<unknown, unknown> }>
  ): Promise<void> {
    const ended = () => processes.every(({ machine, running }) => machine.isOff || running.exit !== undefined)
    await this.until(ended, `the processes of night ${this.night}`)
    for (const { running } of processes) {
      if (running.exit !== undefined && Exit.isFailure(running.exit)) throw new Error(Cause.pretty(running.exit.cause))
    }
  }

  /**
   * Plays a night. One or two schedulers start at two o'clock. Half an hour later a new scheduler starts if the first
   * was killed, and sometimes if it was not.
   */
  async through(night: Night): Promise<void> {
    this.night++
    // Two o'clock in Berlin in winter.
    await this.time.pass(Date.UTC(2026, 0, 1 + this.night, 1) - this.time.now)
    this.export(night)
    this.webhookDown = night.webhookDown
    const open = await this.service(night.faults)
    const first = this.schedule(open, night.crashAt)
    await this.over(first, ...(night.competing ? [this.schedule(open, undefined)] : []))
    await this.time.pass(hour / 2)
    if (night.crashAt !== undefined || this.night % 5 === 0) await this.over(this.schedule(open, undefined))
    if (night.special === "garbled") await this.fix()
    if (night.settled) await this.settle()
  }

  /** Corrects the rows that the newest run with such rows rejected, and imports them. The first attempt is killed. */
  private async fix(): Promise<void> {
    const [rejected] = this.rejectedOf("people")
    if (rejected === undefined) throw new Error(`Night ${this.night} rejected no row.`)
    const source = this.writeFixed(rejected, (cell) => {
      const person = { no: Number(cell("No")), name: cell("Name"), mail: `p${cell("No")}@example.org` }
      this.fixed.push(person)
      return { Mail: person.mail }
    })
    const open = await this.service([])
    for (const crashAt of [3, undefined]) {
      const before = this.submissions().length
      const run = this.process(
        open,
        crashAt,
        Effect.flatMap(
          loadProject(this.root),
          (project) => runPipeline(project, { ...unattended, pipeline: "people", source }),
        ),
      )
      await this.over(run)
      this.counts.fixed += this.submissions().length - before
      await this.time.pass(hour / 2)
    }
  }

  /** Exports the form's results in the morning, and settles rows in doubt. */
  async settle(): Promise<void> {
    await this.time.pass(6 * hour)
    const file = this.writeResults(form)
    const open = await this.service([])
    const evidence = { _tag: "Export", file, isComplete: true } as const
    const { running } = this.process(
      open,
      undefined,
      Effect.flatMap(
        loadProject(this.root),
        (loaded) =>
          settlePipeline(loaded, { pipeline: "people", to: undefined, evidence, by: "ada", because: "all results" }),
      ).pipe(
        Effect.catchTag("JobRefused", () => Effect.void),
      ),
    )
    await this.until(() => running.exit !== undefined, "settle")
    if (running.exit === undefined || Exit.isFailure(running.exit)) {
      throw new Error(running.exit === undefined ? "settle hangs" : Cause.pretty(running.exit.cause))
    }
  }

  /** Returns the ledger's content after the last night. */
  async ledger() {
    const { running } = this.process(
      () => Effect.die("nothing is sent"),
      undefined,
      Effect.scoped(Effect.gen(this, function*() {
        const file = (yield* loadProject(this.root)).ledger.name
        const ledger = yield* openLedger({ file })
        const [place] = yield* ledger.places
        if (place === undefined) return yield* Effect.dieMessage("The ledger is empty.")
        const view = yield* ledger.pipeline({ ...place, renamedFrom: undefined, alongside: [] })
        const replaced = yield* listed(view, "replaced", { limit: 10_000 })
        return {
          findings: yield* ledger.verify,
          standing: yield* view.standing,
          replaced: replaced.map((one) => ({ no: Number(one.key), id: one.submissionId })),
        }
      })),
    )
    await this.until(() => running.exit !== undefined, "reading the ledger")
    if (running.exit === undefined || Exit.isFailure(running.exit)) throw new Error("The ledger can't be read.")
    return { ...running.exit.value, bytes: statSync(join(this.root, ".formferry", "ledger.db")).size }
  }
}

const errorOf = (cause: Cause.Cause<unknown>): string => {
  const error = Cause.squash(cause)
  return typeof error === "object" && error !== null && "_tag" in error ? String(error._tag) : Cause.pretty(cause)
}
