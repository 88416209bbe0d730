import { type FileSystem, Path } from "@effect/platform"
import { Effect, Layer, Logger, Random, Redacted } from "effect"
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import Papa from "papaparse"
import type { Form } from "../../src/domain/form.ts"
import { LockHolder } from "../../src/ledger/holder.ts"
import { resultsTable } from "../../src/practice/results.ts"
import { memoryStore } from "../../src/practice/store.ts"
import { Transports } from "../../src/service/client.ts"
import type { OpenTransport } from "../../src/service/transport.ts"
import { type FaultPlan, planned } from "../practice/faults.ts"
import { inProcess } from "../practice/inProcess.ts"
import { temporaryFolder } from "./ledgerOnDisk.ts"
import { syncFiles } from "./syncFiles.ts"
import { Machine, type Running, VirtualTime } from "./VirtualTime.ts"

/** A CSV file of a run's report. */
export interface Table {
  readonly run: string
  readonly titles: ReadonlyArray<string>
  readonly lines: ReadonlyArray<ReadonlyArray<string>>
}

const apiKey = "practice_key_of_a_virtual_project"
const hour = 3_600_000

/** Loads the modules that are otherwise loaded on demand, because loading takes real time. */
export const loadLazyModules = (): Promise<unknown> =>
  Promise.all([
    import("../../src/jobs/openRun.ts"),
    import("../../src/report/pastRuns.ts"),
    import("../../src/report/reportFile.ts"),
    import("../../src/report/writeFiles.ts"),
    import("../../src/run/Run.ts"),
    import("../../src/source/json/json.ts"),
    import("../../src/source/pull/pull.ts"),
    import("../../src/service/client.ts"),
    import("jschardet"),
  ])

/**
 * A project in virtual time. Its configuration, source, ledger and reports are real files, and its service is in this
 * process.
 */
export class VirtualProject {
  protected readonly home: string
  root: string
  protected readonly time = new VirtualTime()
  protected readonly store = memoryStore()
  /** The service's machine, which keeps running when one of formferry's machines is off. */
  protected readonly server = new Machine(this.time)
  protected readonly seed: number
  private processes = 0
  private boots = 0
  private fixes = 0

  constructor(seed: number, prefix: string) {
    this.seed = seed
    this.home = temporaryFolder(prefix)
    this.root = join(this.home, "project")
    this.addSecrets("")
  }

  /** Writes `.env`, with these lines. */
  protected addSecrets(lines: string): void {
    this.write(".env", `THE_KEY=${apiKey}\nTHE_HOOK=https://hooks.example/secret\n${lines}`)
  }

  close(): void {
    this.server.switchOff()
    rmSync(this.home, { recursive: true, force: true })
  }

  protected write(name: string, content: string | Uint8Array): void {
    mkdirSync(dirname(join(this.root, name)), { recursive: true })
    writeFileSync(join(this.root, name), content)
  }

  /** Writes `config/formferry.yaml`. */
  protected writeServices(
    keys: {
      readonly baseUrl: string
      readonly previousBaseUrls?: ReadonlyArray<string>
      readonly capabilities?: ReadonlyArray<string>
    },
    rest = "",
  ): void {
    this.write(
      "config/formferry.yaml",
      `services:
  live: ${
        JSON.stringify(keys).slice(0, -1)
      }, apiKey: { env: THE_KEY }, requestsPerSecond: 1000, concurrency: 2, timeout: 5 seconds, confirm: false }
${rest}`,
    )
  }

  /** Writes the form's results as the service shows them, or only their first lines. Returns the file. */
  protected writeResults(form: Form, lines?: number): string {
    const { rows, titles } = resultsTable(form, this.store.all(form.id))
    const file = join(this.home, "results.csv")
    writeFileSync(file, Papa.unparse([titles, ...rows.slice(0, lines)].map((line) => [...line])))
    return file
  }

  /** Returns a CSV file of a run's report. */
  protected reportFile(pipeline: string, run: string, name: string): Table {
    const file = join(this.root, "reports", pipeline, run, name)
    const text = existsSync(file) ? readFileSync(file, "utf8").replace(/^\uFEFF/, "") : ""
    const [titles = [], ...lines] = Papa.parse<Array<string>>(text, { skipEmptyLines: true }).data
    return { run, titles, lines }
  }

  /** Returns the rejected.csv of every run of a pipeline that is still there and rejected rows, the newest one first. */
  protected rejectedOf(pipeline: string): ReadonlyArray<Table> {
    const folder = join(this.root, "reports", pipeline)
    return (existsSync(folder) ? readdirSync(folder) : []).filter((name) => name !== "latest").toSorted().toReversed()
      .map((run) => this.reportFile(pipeline, run, "rejected.csv")).filter(({ lines }) => lines.length > 0)
  }

  /**
   * Writes a rejected.csv with a person's corrections. Returns its path.
   *
   * @param correct returns the cells that are corrected in a line, by title. Empty: the line stays as it is. Undefined: it is removed
   */
  protected writeFixed(
    { lines, titles }: Table,
    correct: (cell: (title: string) => string) => Readonly<Record<string, string | number>> | undefined,
  ): string {
    const fixed = lines.flatMap((line) => {
      const cells = correct((title) => line[titles.indexOf(title)] ?? "")
      if (cells === undefined) return []
      if (Object.keys(cells).length === 0) return [[...line]]
      const corrected: typeof cells = { ...cells, _code: "" }
      return [titles.map((title, at) => String(corrected[title] ?? line[at] ?? ""))]
    })
    const file = join(this.home, `fixed${++this.fixes}.csv`)
    writeFileSync(file, Papa.unparse([[...titles], ...fixed]))
    return file
  }

  /** Starts the service with the project's store. */
  protected async practice(forms: ReadonlyArray<Form>, name: string, faults?: FaultPlan): Promise<OpenTransport> {
    const made = this.server.start(
      inProcess({
        forms,
        store: this.store,
        apiKey: Redacted.make(apiKey),
        ...(faults === undefined ? {} : { faults: planned(faults) }),
      }).pipe(
        Effect.withRandom(Random.make(`${this.seed} ${name} ids`)),
      ),
    )
    await this.until(() => made.exit !== undefined, "the practice service")
    if (made.exit?._tag !== "Success") throw new Error("The practice service did not start.")
    return made.exit.value.open
  }

  /** Advances time until a condition is true. Loading a module takes real time. */
  protected async until(isSo: () => boolean, what: string): Promise<void> {
    for (let tries = 0; !(await this.time.until(isSo, 4 * hour)); tries++) {
      if (tries > 2_000) throw new Error(`This hangs (seed ${this.seed}): ${what}.`)
      await new Promise<void>((turn) => setTimeout(turn, 5))
    }
  }

  /** Kills all processes of a machine, which then restarts. */
  protected crash(machine: Machine): void {
    machine.switchOff()
    this.time.moved()
    this.boots++
  }

  /**
   * Starts a process on its machine. `before` is called before each request with the effect that sends it, and may
   * switch the machine off.
   */
  protected start<A, E>(
    machine: Machine,
    work: Effect.Effect<A, E, FileSystem.FileSystem | Path.Path>,
    open: OpenTransport,
    before: (send: Effect.Effect<unknown, unknown>) => void,
  ): Running<A, E> {
    const number = ++this.processes
    const watched: OpenTransport = (target) =>
      Effect.map(open(target), (transport) => ({
        send: (request) =>
          Effect.suspend(() => {
            const send = transport.send(request)
            if (!machine.isOff) before(send)
            return machine.isOff ? Effect.never : send
          }),
      }))
    const holder = { pid: number, born: "", boot: `boot${this.boots} process${number}` }
    return machine.start(
      work.pipe(
        Effect.provide(Layer.mergeAll(syncFiles, Path.layer, Logger.remove(Logger.defaultLogger))),
        Effect.provideService(Transports, watched),
        Effect.provideService(LockHolder, () => holder),
        Effect.withRandom(Random.make(`${this.seed} ${number}`)),
      ),
    )
  }
}
