import { Path } from "@effect/platform"
import type { FileSystem } from "@effect/platform"
import { Cause, Effect, Exit, Layer, Logger, Random, Redacted } from "effect"
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import type { AcceptReason } from "../../src/domain/acceptance.ts"
import type { RunReport } from "../../src/domain/run.ts"
import { acceptRefused } from "../../src/jobs/acceptances.ts"
import { asThePipelineSays, runPipeline } from "../../src/jobs/run.ts"
import { Database } from "../../src/ledger/database.ts"
import { LockHolder } from "../../src/ledger/holder.ts"
import { MarkWriter } from "../../src/ledger/marks.ts"
import { inProcess } from "../../src/practice/PracticeService.ts"
import { memoryStore } from "../../src/practice/store.ts"
import { loadProject } from "../../src/project/loadProject.ts"
import { Transports } from "../../src/service/client.ts"
import type { OpenTransport } from "../../src/service/transport.ts"
import { temporaryFolder } from "../faults/ledgerOnDisk.ts"
import { form } from "../faults/pipeline.ts"
import { Machine, VirtualTime } from "../faults/VirtualTime.ts"
import { syncFiles } from "../nights/syncFiles.ts"

const apiKey = "practice_key_of_the_histories"
const hour = 3_600_000

/** What people edit, each with its current text. */
export interface Edited {
  readonly pipeline: string
  readonly renamedFrom: string | undefined
  readonly baseUrl: string
  readonly previousBaseUrls: ReadonlyArray<string>
  readonly rowKey: ReadonlyArray<string>
  readonly empty: ReadonlyArray<string>
}

const unedited: Edited = {
  pipeline: "people",
  renamedFrom: undefined,
  baseUrl: "http://127.0.0.1/v1/api",
  previousBaseUrls: [],
  rowKey: ["No"],
  empty: [],
}

const projectYaml = ({ baseUrl, previousBaseUrls }: Edited): string =>
  `services:
  live:
    baseUrl: ${baseUrl}
${
    previousBaseUrls.length === 0
      ? ""
      : `    previousBaseUrls: ${JSON.stringify(previousBaseUrls)}\n`
  }    apiKey: { env: THE_KEY }
    requestsPerSecond: 1000
    concurrency: 2
    timeout: 5 seconds
    confirm: false
`

const pipelineYaml = ({ empty, pipeline, renamedFrom, rowKey }: Edited): string =>
  `pipeline: ${pipeline}
${renamedFrom === undefined ? "" : `renamedFrom: ${renamedFrom}`}
source: { file: ../source.csv, rowKey: ${JSON.stringify(rowKey)}${
    empty.length === 0 ? "" : `, empty: ${JSON.stringify(empty)}`
  } }
mapping:
  questions:
    - { name: Name, from: Name }
    - { name: Mail, from: Mail, as: email }
  urlParameters:
    - { name: Reference, from: No }
  unmapped: ignore
sink: { service: live, form: people, batchSize: 3, concurrency: 2, canary: 2 }
reconcile: { visibleWithin: 20 seconds }
`

/** How a command ended; killed: its machine was switched off. */
export type Ended =
  | { readonly _tag: "Report"; readonly report: RunReport }
  | { readonly _tag: "Accepted" }
  | { readonly _tag: "Failed"; readonly error: string; readonly message: string }
  | { readonly _tag: "Killed" }

/** What counts the steps of the process that is running: requests, and before and after each commit and each mark. */
let step: (() => void) | undefined

const { exec } = Database.prototype
Database.prototype.exec = function(sql) {
  if (sql === "COMMIT") step?.()
  exec.call(this, sql)
  if (sql === "COMMIT") step?.()
}
const { write } = MarkWriter.prototype
MarkWriter.prototype.write = function(upTo) {
  step?.()
  write.call(this, upTo)
  step?.()
}

/** Where a project keeps its ledger and marks. */
const ledgerFolder = ".formferry"
const nextToLedger = join(ledgerFolder, "ledger.db.marks")
const withReports = join("reports", ".ledger")

/** One project and everything that happens to it: real configuration, source, ledger, marks and reports in real files, the service in this process, virtual time. */
export class History {
  private readonly home = temporaryFolder("formferry-history-")
  private readonly time = new VirtualTime()
  private readonly store = memoryStore()
  private readonly server = new Machine(this.time)
  private readonly seed: number
  private processes = 0
  private folders = 0
  private transport: OpenTransport | undefined
  root = join(this.home, "project")
  edited = unedited
  rows: ReadonlyArray<number> = []

  constructor(seed: number) {
    this.seed = seed
    this.edit({})
    this.write(".env", `THE_KEY=${apiKey}\n`)
  }

  close(): void {
    this.server.switchOff()
    rmSync(this.home, { recursive: true, force: true })
  }

  private write(name: string, content: string): void {
    mkdirSync(dirname(join(this.root, name)), { recursive: true })
    writeFileSync(join(this.root, name), content)
  }

  edit(change: Partial<Edited>): void {
    this.edited = { ...this.edited, ...change }
    this.write("config/formferry.yaml", projectYaml(this.edited))
    rmSync(join(this.root, "pipelines"), { recursive: true, force: true })
    this.write(`pipelines/${this.edited.pipeline}.yaml`, pipelineYaml(this.edited))
  }

  /** Writes the source; no rows: only its header. */
  source(rows: ReadonlyArray<number>): void {
    this.rows = rows
    this.write(
      "source.csv",
      ["No,Name,Mail", ...rows.map((no) => `${no},Person ${no},p${no}@example.org`), ""].join("\n"),
    )
  }

  /** How often each row is at the service. */
  sent(): ReadonlyMap<number, number> {
    const counts = new Map<number, number>()
    for (const { json } of this.store.all(form.id)) {
      const { urlParameters } = JSON.parse(json) as {
        readonly urlParameters: ReadonlyArray<{ readonly value: string }>
      }
      const no = Number(urlParameters[0]?.value)
      counts.set(no, (counts.get(no) ?? 0) + 1)
    }
    return counts
  }

  async pass(millis: number): Promise<void> {
    await this.time.pass(millis)
  }

  /** Sets the clock, forwards or back, while nothing runs. */
  setClock(millis: number): void {
    this.time.now += millis
  }

  private async practice(): Promise<OpenTransport> {
    if (this.transport !== undefined) return this.transport
    const made = this.server.start(
      inProcess({ forms: [form], store: this.store, apiKey: Redacted.make(apiKey) }).pipe(
        Effect.withRandom(Random.make(`${this.seed} ids`)),
      ),
    )
    await this.until(() => made.exit !== undefined)
    if (made.exit?._tag !== "Success") throw new Error("The practice service did not start.")
    return this.transport = made.exit.value.open
  }

  /** A module that is loaded only where it is needed is waited for in real time. */
  private async until(isSo: () => boolean): Promise<void> {
    for (let tries = 0; !(await this.time.until(isSo, 4 * hour)); tries++) {
      if (tries > 100) throw new Error(`Seed ${this.seed} hangs.`)
      await new Promise<void>((turn) => setTimeout(turn, 5))
    }
  }

  /** `formferry run`, killed at a step if there is one. */
  run(killedAt?: number): Promise<Ended> {
    return this.process(
      killedAt,
      Effect.flatMap(loadProject(this.root), (project) =>
        Effect.map(
          runPipeline(project, {
            ...asThePipelineSays,
            pipeline: this.edited.pipeline,
            confirm: () => true,
            progress: () => Effect.void,
            warn: () => Effect.void,
            interrupted: Effect.never,
          }),
          (report): Ended => ({ _tag: "Report", report }),
        )),
    )
  }

  /** `formferry accept`, as a refusal names it. */
  accept(pipeline: string, reason: AcceptReason): Promise<Ended> {
    return this.process(
      undefined,
      Effect.flatMap(loadProject(this.root), (project) =>
        Effect.as(
          acceptRefused(project, { pipeline, to: undefined, reason, because: "looked at", by: "ada" }),
          { _tag: "Accepted" } satisfies Ended as Ended,
        )),
    )
  }

  private async process<E>(
    killedAt: number | undefined,
    work: Effect.Effect<Ended, E, FileSystem.FileSystem | Path.Path>,
  ): Promise<Ended> {
    const open = await this.practice()
    const machine = new Machine(this.time)
    const number = ++this.processes
    let steps = 0
    const stepped = () => {
      if (++steps === killedAt) {
        machine.switchOff()
        this.time.moved()
      }
      if (machine.isOff) throw new Error("the machine is off")
    }
    const watched: OpenTransport = (target) =>
      Effect.map(open(target), (transport) => ({
        send: (request) =>
          Effect.suspend(() => {
            if (!machine.isOff && ++steps === killedAt) {
              // Half of the requests still leave: the kernel has them.
              const leaves = steps % 2 === 0
              if (leaves) {
                Effect.runFork(Effect.withClock(transport.send(request), this.time.clock), { scheduler: this.server })
              }
              machine.switchOff()
              this.time.moved()
            }
            return machine.isOff ? Effect.never : transport.send(request)
          }),
      }))
    step = stepped
    const holder = { pid: number, born: "", boot: `boot${number}` }
    const running = machine.start(
      work.pipe(
        Effect.provide(Layer.mergeAll(syncFiles, Path.layer, Logger.remove(Logger.defaultLogger))),
        Effect.provideService(Transports, watched),
        Effect.provideService(LockHolder, () => holder),
        Effect.withRandom(Random.make(`${this.seed} ${number}`)),
      ),
    )
    await this.until(() => running.exit !== undefined || machine.isOff)
    step = undefined
    if (machine.isOff) {
      await this.time.pass(2_000)
      this.leaveFiles()
      return { _tag: "Killed" }
    }
    const { exit } = running
    if (exit === undefined) throw new Error(`Seed ${this.seed} hangs.`)
    if (Exit.isSuccess(exit)) return exit.value
    const error = Cause.squash(exit.cause)
    const tag = typeof error === "object" && error !== null && "_tag" in error ? String(error._tag) : "Defect"
    const message = error instanceof Error ? error.message : String(error)
    return { _tag: "Failed", error: tag, message: tag === "Defect" ? Cause.pretty(exit.cause) : message }
  }

  /** What a killed process leaves, as new files: its connection is still open in this process, and must not write into them later. */
  private leaveFiles(): void {
    const files = this.image()
    this.restore(files)
  }

  /** The ledger's files at this moment, without marks. */
  image(): ReadonlyMap<string, Buffer> {
    const folder = join(this.root, ledgerFolder)
    const names = existsSync(folder) ? readdirSync(folder) : []
    return new Map(
      names.filter((name) => /^ledger\.db(?:-wal|\.key)?$/.test(name)).map((
        name,
      ) => [name, readFileSync(join(folder, name))]),
    )
  }

  /** Puts files of the ledger in the place of those that are there; the marks stay. */
  restore(files: ReadonlyMap<string, Buffer>): void {
    const folder = join(this.root, ledgerFolder)
    for (const name of ["ledger.db", "ledger.db-wal", "ledger.db-shm", "ledger.db.key"]) {
      rmSync(join(folder, name), { force: true })
    }
    if (files.size > 0) mkdirSync(folder, { recursive: true })
    for (const [name, bytes] of files) writeFileSync(join(folder, name), bytes, { mode: 0o600 })
  }

  /** Deletes something of the project. */
  delete(what: "ledger folder" | "marks next to the ledger" | "reports of the pipeline" | "reports"): void {
    const paths = {
      "ledger folder": ledgerFolder,
      "marks next to the ledger": nextToLedger,
      "reports of the pipeline": join("reports", this.edited.pipeline),
      reports: "reports",
    }
    rmSync(join(this.root, paths[what]), { recursive: true, force: true })
  }

  /** Whether marks are found in both places. */
  hasBothMarks(): boolean {
    return [nextToLedger, withReports].every((folder) => existsSync(join(this.root, folder)))
  }

  /** The folder goes elsewhere as a whole, moved or copied. */
  move(copied: boolean): void {
    const to = join(this.home, `project${++this.folders}`)
    if (copied) cpSync(this.root, to, { recursive: true, verbatimSymlinks: true })
    else renameSync(this.root, to)
    this.root = to
  }
}
