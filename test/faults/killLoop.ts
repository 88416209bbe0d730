import { Duration, Effect, Redacted } from "effect"
import { spawn } from "node:child_process"
import { mkdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { setTimeout as after } from "node:timers/promises"
import type { RunReport } from "../../src/domain/report.ts"
import { type HttpPractice, serve } from "../../src/practice/PracticeService.ts"
import { connected, newSchema, urlOf } from "../ledger/postgres/connecting.ts"
import { withoutPostgres } from "../ledger/postgres/server.ts"
import { hearing } from "../notify/webhooks.ts"
import { optimiseLater } from "../optimiseLater.ts"
import { planned } from "../practice/faults.ts"
import { Draws } from "./Draws.ts"
import { temporaryFolder } from "./ledgerOnDisk.ts"
import { form, pipeline, pipelineYaml } from "./pipeline.ts"

export interface KillLoopOptions {
  /** The path of the built command. */
  readonly main: string
  readonly runs: number
  readonly rows: number
  readonly seed: number
  /** Whether the service can list. Then the run after the kills must settle every row in doubt on its own. */
  readonly list: boolean
  readonly tell: (line: string) => void
}

/** The results of the killed runs. */
export interface KillLoopFigures {
  readonly runs: number
  readonly kills: number
  /** The number of kills after which the next run found rows in doubt, and the number of these rows. */
  readonly doubts: number
  readonly inDoubt: number
  readonly landed: number
  readonly notLanded: number
  /** The number of telemetry exports. Every other run exports telemetry. */
  readonly exports: number
  /** The broken promises. There are none if every row is in the service exactly once, and verified. */
  readonly broken: ReadonlyArray<string>
}

export const key = "practice_key_of_the_kill_loop"

/** Delays requests, so that kills occur while requests are in flight. With a list, also refuses a few in a way that puts their rows in doubt. */
export const slowly = (seed: number, list: boolean) => ({
  seed,
  faults: [
    ...(list
      ? [{
        fault: "status" as const,
        on: "create" as const,
        at: [2, 5] as const,
        status: 502,
        when: "before" as const,
        body: "html" as const,
      }]
      : []),
    ...(["before", "after"] as const).map((when) => ({
      fault: "delay" as const,
      on: "create" as const,
      chance: 0.3,
      for: Duration.millis(40),
      when,
    })),
  ],
})

interface Ran {
  /** The exit code, or undefined if the command was killed. */
  readonly status: number | undefined
  readonly stdout: string
  readonly stderr: string
}

/** The path of the built command, and its environment. */
export interface Command {
  readonly main: string
  readonly env: Readonly<Record<string, string>>
}

/** Runs the real command, and kills its process when the promise that `fatal` returns is fulfilled. */
export const formferry = async (
  { env, main }: Command,
  cwd: string,
  args: ReadonlyArray<string>,
  fatal: (isOver: () => boolean, signal: (signal: NodeJS.Signals) => void) => Promise<void> = () =>
    new Promise(() => {}),
): Promise<Ran> => {
  const child = spawn(process.execPath, [...optimiseLater, main, ...args], {
    cwd,
    env: { PATH: process.env["PATH"], HOME: cwd, FORM_SERVICE_API_KEY: key, ...env },
    stdio: ["ignore", "pipe", "pipe"],
  })
  let stdout = ""
  let stderr = ""
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    stdout += text
  })
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    stderr += text
  })
  let isOver = false
  const ended = new Promise<Ran>((done) => {
    child.on("close", (code) => {
      isOver = true
      done({ status: code ?? undefined, stdout, stderr })
    })
  })
  void fatal(() => isOver, (signal) => void child.kill(signal)).then(() => {
    if (!isOver) child.kill("SIGKILL")
  })
  return ended
}

/**
 * Returns when to kill a process: some time after its start, or shortly after the service has this many submissions.
 */
const drawKill = (draws: Draws, service: HttpPractice, rows: number) => {
  const held = service.count(form.id)
  const early = draws.chance(0.25)
  const millis = draws.int(0, early ? 900 : 40)
  const target = early || held >= rows ? 0 : draws.int(held + 1, rows)
  return async (isOver: () => boolean) => {
    while (service.count(form.id) < target && !isOver()) await after(2)
    await after(target === 0 && !early ? draws.int(200, 1_500) : millis)
  }
}

/** A ledger in a schema of a PostgreSQL server of the tests, for the scope. */
const inPostgres = Effect.gen(function*() {
  const url = yield* urlOf()
  const schema = newSchema()
  const admin = yield* connected(url, schema)
  return {
    env: { DATABASE_URL: url, LEDGER_KEY: "0123456789abcdef".repeat(4) },
    settings:
      `ledger: { url: { env: DATABASE_URL }, project: kills, schema: ${schema}, key: { env: LEDGER_KEY }, marks: { folder: ../marks } }\n`,
    /** Ends the lease of a killed process. Otherwise the next process would have to wait for a minute. */
    endLease: () => admin.exec("DO 'BEGIN UPDATE lock SET beat = 0; EXCEPTION WHEN undefined_table THEN END'"),
  }
})

type InPostgres = Effect.Effect.Success<typeof inPostgres>

/** Writes the source with this number of rows. */
export const writeSource = (folder: string, rows: number): void =>
  writeFileSync(
    join(folder, "source.csv"),
    `No,Name,Mail,Amount,Note\n${
      Array.from({ length: rows }, (_, at) => `${at + 1},Person ${at + 1},p${at + 1}@example.org,${at}.5,\n`).join("")
    }`,
  )

/**
 * Writes a project.
 *
 * @param more further keys of the service
 */
export const project = (folder: string, baseUrl: string, rows: number, more = ""): void => {
  const write = (name: string, text: string) => {
    mkdirSync(dirname(join(folder, name)), { recursive: true })
    writeFileSync(join(folder, name), text)
  }
  write(
    "config/formferry.yaml",
    `services:\n  live:\n    baseUrl: ${baseUrl}\n    apiKey: { env: FORM_SERVICE_API_KEY }\n    requestsPerSecond: 1000\n    confirm: false\n${more}`,
  )
  write(
    "pipelines/people.yaml",
    pipelineYaml.replace("visibleWithin: 20 seconds", "visibleWithin: 1 seconds, lateWithin: 1 seconds"),
  )
  writeSource(folder, rows)
}

export const reportOf = (folder: string, pipeline = "people"): RunReport => {
  const latest = realpathSync(join(folder, "reports", pipeline, "latest"))
  return JSON.parse(readFileSync(join(latest, "report.json"), "utf8")) as RunReport
}

/**
 * Repeats the run until nothing is left to send, because a kill may have put the canary in doubt. With a list, each run must settle all rows that were
 * in doubt when it started.
 */
const finish = async (
  command: Command,
  folder: string,
  list: boolean,
  fault: (what: string) => void,
): Promise<RunReport | undefined> => {
  for (let times = 0; times < 6; times++) {
    const ran = await formferry(command, folder, ["run", "people"])
    if (ran.status !== 0 && ran.status !== 4) {
      fault(`run ended with ${ran.status}: ${ran.stderr.trim()}`)
      return undefined
    }
    const report = reportOf(folder)
    if (list && report.inDoubt.some((doubt) => doubt.fresh < doubt.count)) {
      fault(`a run did not settle all rows that were in doubt before it: ${report.warnings.join(" ")}`)
    }
    if (report.rows.pending === 0 && !(list && report.rows.inDoubt > 0)) return report
  }
  fault("rows stay pending, run after run")
  return undefined
}

/** Kills an import several times, then finishes and settles it. */
const oneRun = async (
  number: number,
  options: KillLoopOptions,
  service: HttpPractice,
  collector: number,
  ledger: InPostgres | undefined,
) => {
  const { main, rows } = options
  const endpoint = `http://127.0.0.1:${collector}`
  const command: Command = {
    main,
    env: {
      ...(number % 2 === 1 ? { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, OTEL_BSP_SCHEDULE_DELAY: "50" } : {}),
      ...ledger?.env,
    },
  }
  const draws = new Draws(options.seed * 1_000 + number)
  const folder = temporaryFolder("formferry-kill-")
  const broken: Array<string> = []
  const fault = (what: string) => void broken.push(`run ${number}: ${what}`)
  let kills = 0
  try {
    project(
      folder,
      service.baseUrl,
      rows,
      `${options.list ? "    capabilities: [list]\n" : ""}${ledger?.settings ?? ""}`,
    )
    const wanted = draws.int(1, 8)
    for (let times = 0; times < wanted; times++) {
      const ran = await formferry(command, folder, ["run", "people"], drawKill(draws, service, rows))
      if (ran.status === undefined) {
        kills++
        await ledger?.endLease()
      } else if (ran.status !== 0 && ran.status !== 4) fault(`run ended with ${ran.status}: ${ran.stderr.trim()}`)
    }
    const report = await finish(command, folder, options.list, fault)
    const inDoubt = report?.rows.inDoubt ?? 0
    const most = kills * pipeline.sink.concurrency * pipeline.sink.batchSize
    if (inDoubt > most) fault(`${inDoubt} rows in doubt after ${kills} kills, of at most ${most}`)
    let landed = 0
    let notLanded = 0
    for (const settled of report?.settled ?? []) {
      landed += settled.landed
      notLanded += settled.notLanded
    }
    if (options.list) {
      if (inDoubt > 0) fault(`${inDoubt} rows stay in doubt: ${report?.warnings.join(" ")}`)
    } else if (inDoubt > 0) {
      const before = service.count(form.id)
      // A row's absence proves something only after its process has been dead for `lateWithin`, plus a second
      // (`visibleWithin`).
      await after(2_200)
      const results = join(folder, "results.csv")
      const answer = await fetch(`${service.results}/${form.id}/csv`)
      writeFileSync(results, Buffer.from(await answer.arrayBuffer()))
      const settled = await formferry(command, folder, [
        "settle",
        "people",
        "--results",
        results,
        "--complete",
        "--because",
        "the download of all that the practice service has",
      ])
      if (ledger !== undefined && settled.status === 4) {
        // It is never known that a killed process of a ledger in PostgreSQL has ended. So a person says that it has, and that the other rows did not land.
        const byWord = ["settle", "people", "--as", "not-landed", "--all", "--because", "the process was killed"]
        const left = await formferry(command, folder, byWord)
        if (left.status !== 0) fault(`settle --as ended with ${left.status}: ${left.stderr.trim()}`)
      } else if (settled.status !== 0) fault(`settle ended with ${settled.status}: ${settled.stderr.trim()}`)
      const last = await formferry(command, folder, ["run", "people"])
      if (last.status !== 0) fault(`the run after settling ended with ${last.status}: ${last.stderr.trim()}`)
      notLanded = service.count(form.id) - before
      landed = inDoubt - notLanded
    }
    const keys = service.submissions(form.id).map(({ urlParameters }) => urlParameters[0]?.value ?? "")
    const twice = keys.length - new Set(keys).size
    if (twice > 0) fault(`${twice} submissions too many`)
    const there = new Set(keys)
    const lost = Array.from({ length: rows }, (_, at) => String(at + 1)).filter((row) => !there.has(row))
    if (lost.length > 0) fault(`${lost.length} rows are not at the service, such as ${lost.slice(0, 5).join(", ")}`)
    const exitCode = broken.length === 0 ? reportOf(folder).exitCode : 0
    if (exitCode !== 0) fault(`the last report has exit code ${exitCode}`)
    const doubts = options.list ? report?.settled?.length ?? 0 : inDoubt > 0 ? 1 : 0
    return { kills, doubts, inDoubt: landed + notLanded, landed, notLanded, broken }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Whether the ledger of a run is in PostgreSQL, where no list settles all rows of a killed process. */
const isInPostgres = (number: number, { list }: KillLoopOptions): boolean =>
  !list && !withoutPostgres && number % 3 === 2

/**
 * Kills imports with SIGKILL at random moments, and restarts them until they finish. Then settles rows in doubt from a
 * results export, unless the runs settle them from the form's list. Checks that every row is in the service exactly once. Every other import exports
 * telemetry, and every third one has a ledger in PostgreSQL.
 */
export const killLoop = async (options: KillLoopOptions): Promise<KillLoopFigures> => {
  const figures = {
    runs: 0,
    kills: 0,
    doubts: 0,
    inDoubt: 0,
    landed: 0,
    notLanded: 0,
    exports: 0,
    broken: [] as Array<string>,
  }
  for (let number = 1; number <= options.runs; number++) {
    const one = await Effect.runPromise(Effect.scoped(Effect.gen(function*() {
      const faults = slowly(options.seed * 1_000 + number, options.list)
      const service = yield* serve({ forms: [form], port: 0, apiKey: Redacted.make(key), faults: planned(faults) })
      const collector = yield* hearing()
      const ledger = isInPostgres(number, options) ? yield* inPostgres : undefined
      const one = yield* Effect.promise(() => oneRun(number, options, service, collector.port, ledger))
      return { ...one, exports: collector.heard.length }
    })))
    figures.runs++
    figures.kills += one.kills
    figures.doubts += one.doubts
    figures.inDoubt += one.inDoubt
    figures.landed += one.landed
    figures.notLanded += one.notLanded
    figures.exports += one.exports
    figures.broken.push(...one.broken)
    options.tell(
      `run ${number}${
        isInPostgres(number, options) ? " in PostgreSQL" : ""
      }: ${one.kills} kills, ${one.inDoubt} rows in doubt (${one.landed} landed, ${one.notLanded} had not)`
        + one.broken.map((what) => `\n  BROKEN ${what}`).join(""),
    )
  }
  return figures
}
