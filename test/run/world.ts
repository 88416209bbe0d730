import { FileSystem, Path } from "@effect/platform"
import type { NodeContext } from "@effect/platform-node"
import { it } from "@effect/vitest"
import { Effect, Redacted, type Scope } from "effect"
import { subscribe, unsubscribe } from "node:diagnostics_channel"
import type { IncomingMessage } from "node:http"
import type { AcceptReason } from "../../src/domain/acceptance.ts"
import type { RunReport } from "../../src/domain/report.ts"
import type { Submission } from "../../src/domain/submission.ts"
import { acceptRefused } from "../../src/jobs/accept.ts"
import { acknowledge } from "../../src/jobs/acknowledge.ts"
import { type ReconcileOptions, reconcilePipeline } from "../../src/jobs/reconcile.ts"
import { rehearsePipeline } from "../../src/jobs/rehearse.ts"
import { rekeyPipeline } from "../../src/jobs/rekey.ts"
import { type RunOptions, runPipeline } from "../../src/jobs/run.ts"
import { type UndoOptions, undoPipeline } from "../../src/jobs/undo.ts"
import { answered, type PlannedFault } from "../../src/practice/faults.ts"
import { serve } from "../../src/practice/PracticeService.ts"
import { loadProject } from "../../src/project/loadProject.ts"
import { formWith, question } from "../fakeForms.ts"
import { platform, projectFolder } from "../project/projectFolder.ts"
import { inFasterTime } from "../quickly.ts"
import { editableStore } from "./editableStore.ts"
import { rekeyUnattended, unattended, undoUnattended } from "./unattended.ts"

/**
 * A fault of a request. `lost` means that the service receives the request, but its answer never arrives. Otherwise the
 * given status and body replace the service's answer.
 */
export type Fault = "lost" | {
  readonly status: number
  readonly body: string
  readonly headers?: Record<string, string>
}

/** What a request does. GET reads a submission, LIST lists the form, and FORM reads the form itself. */
const operations = { POST: "create", GET: "read", DELETE: "delete", LIST: "list", FORM: "form" } as const
type Operation = keyof typeof operations

const started = "http.server.request.start"

/** Calls a function with each request that this process receives at a port, until the scope closes. */
const hearing = (port: number, hear: (request: IncomingMessage) => void) => {
  const listener = (message: unknown) => {
    const { request } = message as { readonly request: IncomingMessage }
    if (request.socket.localPort === port) hear(request)
  }
  return Effect.acquireRelease(
    Effect.sync(() => subscribe(started, listener)),
    () => Effect.sync(() => unsubscribe(started, listener)),
  )
}

const forms = ["people", "others"].map((id) =>
  formWith({
    id,
    name: id,
    questions: [question("name", "Name", "ShortAnswer"), question("mail", "Mail", "EmailInput")],
  })
)

const pipeline = (extra: Readonly<Record<string, string>>) =>
  `pipeline: people
source: { file: ${extra["file"] ?? "../source.csv"}, rowKey: ${extra["rowKey"] ?? "[No]"}${extra["source"] ?? ""} }
mapping:
  questions:
    - { name: Name, from: ${extra["name"] ?? "Name"} }
${extra["mail"] === "none" ? "" : `    - { name: Mail, from: Mail, as: email${extra["mail"] ?? ""} }`}
sink: { service: live, form: ${extra["form"] ?? "people"}, retries: { attempts: 3, base: 1 millis, max: 5 millis }${
    extra["sink"] ?? ""
  } }
reconcile: { visibleWithin: ${extra["visibleWithin"] ?? "20 seconds"}${extra["reconcile"] ?? ""} }
`

/**
 * A project in a temporary folder. Its service is the practice service over real HTTP, with faults that lose or replace
 * answers.
 */
export const world = Effect.gen(function*() {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const store = editableStore()
  const planned: Readonly<Record<Operation, Array<Fault>>> = { POST: [], GET: [], DELETE: [], LIST: [], FORM: [] }
  const faults = (Object.keys(operations) as ReadonlyArray<Operation>).map((operation): PlannedFault => ({
    name: operation,
    on: operations[operation],
    reply: (served) => {
      const fault = planned[operation].shift()
      if (fault === undefined) return Effect.map(served, answered)
      if (fault === "lost") return Effect.as(served, { _tag: "Reset" })
      const headers = { "content-type": "application/json", ...fault.headers }
      return Effect.succeed(answered({ ...fault, headers }))
    },
  }))
  const apiKey = Redacted.make("practice_key_of_the_test")
  const practice = yield* serve({ forms, store, port: 0, apiKey, faults: { seed: 0, faults } })
  const { pathname, port } = new URL(practice.baseUrl)
  const heard: Array<string> = []
  yield* hearing(Number(port), ({ method, url }) => void heard.push(`${method} ${url?.slice(pathname.length)}`))
  const projectYaml = `services:
  live:
    baseUrl: ${practice.baseUrl}
    apiKey: { env: THE_KEY }
    requestsPerSecond: 1000
    confirm: false
`
  const root = yield* projectFolder({
    "config/formferry.yaml": projectYaml,
    ".env": "THE_KEY=practice_key_of_the_test\n",
    "pipelines/people.yaml": pipeline({}),
  })
  const asked = (options: Partial<RunOptions>): RunOptions => ({
    pipeline: "people",
    ...unattended,
    confirm: () => false,
    ...options,
    source: options.source === undefined ? undefined : path.join(root, options.source),
  })
  const write = (name: string, text: string | Uint8Array) =>
    Effect.orDie(fs.writeFile(path.join(root, name), typeof text === "string" ? Buffer.from(text) : text))
  return {
    root,
    /** The service's address, as in the ledger. */
    address: practice.baseUrl,
    practice,
    store,
    /** Every request that the service received. */
    heard,
    /** Plans a fault for each of the next requests of this operation. */
    fail: (on: Operation, ...list: ReadonlyArray<Fault>) => {
      planned[on].push(...list)
    },
    /**
     * Writes the pipeline with some settings changed: file, rowKey, source, name (the column of that entry), mail (further keys
     * of that entry, or none for no such entry), form, sink, reconcile or visibleWithin.
     */
    settings: (extra: Readonly<Record<string, string>>) => write("pipelines/people.yaml", pipeline(extra)),
    /** Writes further keys into the project file. */
    configure: (more: string) => write("config/formferry.yaml", projectYaml + more),
    /** Writes the source with the columns `No,Name,Mail` and one text per row. */
    source: (rows: ReadonlyArray<string>, header = "No,Name,Mail") =>
      write("source.csv", `${[header, ...rows].join("\n")}\n`),
    /** Reads a file of a run's report. */
    file: (report: Pick<RunReport, "run">, name: string) =>
      Effect.orDie(fs.readFileString(path.join(root, "reports", "people", report.run, name))),
    write,
    /** Submits the form as other people do. */
    fill: (...people: ReadonlyArray<readonly [name: string, mail: string]>) =>
      Effect.promise(() =>
        fetch(`${practice.baseUrl}/forms/people/submissions`, {
          method: "POST",
          headers: { authorization: "Bearer practice_key_of_the_test", "content-type": "application/json" },
          body: JSON.stringify({
            submissions: people.map(([name, mail]) => ({
              questions: [{ id: "name", value: name }, { id: "mail", value: mail }],
            })),
          }),
        })
      ),
    names: (form = "people"): ReadonlyArray<unknown> => practice.submissions(form).map(nameOf).toSorted(),
    run: (options: Partial<RunOptions> = {}) =>
      Effect.flatMap(loadProject(root), (project) => runPipeline(project, asked(options))),
    rehearse: (options: Partial<RunOptions> = {}) =>
      Effect.flatMap(loadProject(root), (project) => rehearsePipeline(project, asked(options))),
    accept: (reason: AcceptReason, pipeline = "people") =>
      Effect.flatMap(
        loadProject(root),
        (project) => acceptRefused(project, { pipeline, to: undefined, reason, because: "looked at", by: "ada" }),
      ),
    acknowledge: (keys: ReadonlyArray<string> | "all", leaveOut = false) =>
      Effect.flatMap(loadProject(root), (project) =>
        acknowledge(project, {
          pipeline: "people",
          to: undefined,
          keys,
          because: "looked at",
          by: "ada",
          leaveOut,
        })),
    /** Runs `ledger rekey --yes`, with a source if it is given. */
    rekey: (source?: string) =>
      Effect.flatMap(loadProject(root), (project) =>
        rekeyPipeline(project, {
          pipeline: "people",
          ...rekeyUnattended,
          source: source === undefined ? undefined : path.join(root, source),
        })),
    undo: (run: string, options: Partial<UndoOptions> = {}) =>
      Effect.flatMap(
        loadProject(root),
        (project) =>
          undoPipeline(project, { pipeline: "people", run, ...undoUnattended, confirm: () => false, ...options }),
      ),
    reconcile: (options: Partial<ReconcileOptions> = {}) =>
      Effect.flatMap(loadProject(root), (project) => reconcilePipeline(project, { ...asked({}), ...options })),
  }
})

/** Returns rows for `source`, with the numbers `from` to `to`. */
export const people = (from: number, to: number, name = "Person") =>
  Array.from({ length: to - from + 1 }, (_, at) => `${from + at},${name} ${from + at},p${from + at}@example.org`)

/** A test in a world, in real time. */
export const live = <A, E>(title: string, body: Effect.Effect<A, E, NodeContext.NodeContext | Scope.Scope>) =>
  it.scopedLive(title, () => Effect.provide(body, platform))

/** A test in a world. Time passes faster in it, also for the service. */
export const scoped = <A, E>(title: string, body: Effect.Effect<A, E, NodeContext.NodeContext | Scope.Scope>) =>
  it.scopedLive(title, () => inFasterTime(Effect.provide(body, platform)))

const nameOf = (submission: Submission) => submission.questions.find((answer) => answer.id === "name")?.value
