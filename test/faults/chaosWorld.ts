import { Effect, Redacted } from "effect"
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { pathToFileURL } from "node:url"
import { serve } from "../../src/practice/PracticeService.ts"
import { memoryStore } from "../../src/practice/store.ts"
import { connected } from "../ledger/postgres/connecting.ts"
import { ownServer, standbyOf, type TestServer } from "../ledger/postgres/server.ts"
import { planned } from "../practice/faults.ts"
import { key, slowly, writeSource } from "./killLoop.ts"
import { temporaryFolder } from "./ledgerOnDisk.ts"
import { namespaced, type Network, proxies } from "./networks.ts"
import { form, pipelineYaml } from "./pipeline.ts"

export interface ChaosOptions {
  /** The path of the built command. */
  readonly main: string
  readonly seed: number
  readonly pipelines: number
  /** The number of rows of each pipeline. */
  readonly rows: number
  /** How long faults occur, in seconds. */
  readonly seconds: number
  /** Whether the networks to the database are links to a network namespace, and not proxies. */
  readonly hasNamespaces?: boolean | undefined
  readonly tell: (line: string) => void
}

/** The shortest `leaseTimeout`, in milliseconds. */
export const lease = 10_000

/** A machine: its project folder, and its network to the database. */
export interface Host {
  readonly name: string
  readonly folder: string
  readonly network: Network
  /** The pipeline that it runs now, and what sends a signal to its process. */
  running: { readonly pipeline: string; readonly signal: (signal: NodeJS.Signals) => void } | undefined
}

/** Submissions that arrived in one request, and the run that their stamp names. */
interface Arrival {
  readonly at: number
  readonly pipeline: string
  readonly run: string
}

const writeProject = (folder: string, baseUrl: string, { pipelines, rows }: ChaosOptions): void => {
  const write = (name: string, text: string) => {
    mkdirSync(dirname(join(folder, name)), { recursive: true })
    writeFileSync(join(folder, name), text)
  }
  const service = `baseUrl: ${baseUrl}, apiKey: { env: FORM_SERVICE_API_KEY }, requestsPerSecond: 25, confirm: false`
  write(
    "config/formferry.yaml",
    `services:
  live: { ${service} }
  listing: { ${service}, capabilities: [list] }
ledger:
  url: { env: DATABASE_URL }
  project: chaos
  key: { env: LEDGER_KEY }
  leaseTimeout: ${lease / 1_000} seconds
  marks: { folder: ../../marks }
`,
  )
  for (let at = 1; at <= pipelines; at++) {
    write(
      `pipelines/p${at}.yaml`,
      pipelineYaml
        .replace("pipeline: people", `pipeline: p${at}`)
        .replace(
          "service: live, form: people,",
          `service: ${at % 2 === 0 ? "listing" : "live"}, form: p${at}, batchSize: 2, stamp: { run: run_id },`,
        )
        .replace("visibleWithin: 20 seconds", "visibleWithin: 1 seconds, lateWithin: 1 seconds"),
    )
  }
  writeSource(folder, rows)
}

const names = ["a", "b", "c"]

/** The run that a submission's stamp names, in JSON. */
const stampedRun = /"id":"run"[^}]*"value":"([^"]*)"/

/** A module that records, in a file, when a process begins to write a request with submissions. undici reports that after the ledger was asked for the last time. */
const recordSends = (file: string): string => `
import { subscribe } from "node:diagnostics_channel"
import { appendFileSync } from "node:fs"
subscribe("undici:client:sendHeaders", ({ request }) => {
  const at = Date.now()
  const run = typeof request.body?.length === "number" ? ${stampedRun}.exec(Buffer.from(request.body).toString())?.[1] : undefined
  if (run !== undefined) appendFileSync(${JSON.stringify(file)}, \`\${at} \${run}\\n\`)
})
`

/** Opens three hosts that share a ledger in PostgreSQL, a standby of its server, and a form service, for the scope. */
export const openWorld = (options: ChaosOptions) =>
  Effect.gen(function*() {
    const { pipelines, seed } = options
    const all = Array.from({ length: pipelines }, (_, at) => `p${at + 1}`)
    const stamp = { id: "run", name: "run_id" }
    const forms = all.map((id) => ({ ...form, id, urlParameters: [...form.urlParameters, stamp] }))
    const arrivals: Array<Arrival> = []
    const inner = memoryStore()
    const store: typeof inner = {
      ...inner,
      append: (pipeline, submissions) => {
        for (const { json } of submissions) {
          arrivals.push({ at: Date.now(), pipeline, run: stampedRun.exec(json)?.[1] ?? "" })
        }
        return inner.append(pipeline, submissions)
      },
    }
    const faults = planned(slowly(seed, false))
    const service = yield* serve({ forms, port: 0, apiKey: Redacted.make(key), faults, store })
    const folder = yield* Effect.acquireRelease(
      Effect.sync(() => temporaryFolder("formferry-chaos-")),
      (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true })),
    )
    const [hook, sends] = [join(folder, "sends.mjs"), join(folder, "sends.txt")]
    writeFileSync(hook, recordSends(sends))
    writeFileSync(sends, "")
    const now: { server?: TestServer } = {}
    const portNow = () => now.server?.port ?? 0
    const { name: namespace, networks } = options.hasNamespaces === true
      ? yield* namespaced(names.length, portNow)
      : { name: undefined, networks: yield* proxies(names.length, portNow) }
    const primary = yield* ownServer(`chaos-${seed}`, [], undefined, namespace)
    const standby = yield* ownServer(
      `chaos-standby-${seed}`,
      ["primary_slot_name=", "hot_standby=on"],
      standbyOf(primary),
      namespace,
    )
    now.server = primary
    const hosts = networks.map((network, at): Host => {
      const name = names[at] ?? ""
      const own = join(folder, "hosts", name)
      writeProject(own, service.baseUrl, options)
      return { name, folder: own, network, running: undefined }
    })
    return {
      all,
      arrivals,
      hosts,
      now,
      primary,
      service,
      standby,
      /** The environment of every command: each request is recorded by the process that sends it. */
      env: { NODE_OPTIONS: `--import=${pathToFileURL(hook).href}` },
      /** Returns the time of each request with submissions right before its first byte, by the clock of its process, and its run. */
      sends: () =>
        readFileSync(sends, "utf8").split("\n").flatMap((line) => {
          const [at, run = ""] = line.split(" ")
          return run === "" ? [] : [{ at: Number(at), run }]
        }),
    }
  })

export type World = Effect.Effect.Success<ReturnType<typeof openWorld>>

/** Returns the rows that a server returns for a statement. Undefined if it can't be reached. */
export const ask = (
  { folder, port }: TestServer,
  sql: string,
): Promise<ReadonlyArray<ReadonlyArray<unknown>> | undefined> =>
  Effect.runPromise(
    connected(`postgresql://formferry:formferry@${encodeURIComponent(folder)}:${port}/postgres`, "formferry").pipe(
      Effect.flatMap((connection) => Effect.tryPromise(() => connection.send(sql))),
      Effect.scoped,
      Effect.match({ onFailure: () => undefined, onSuccess: ({ rows }) => rows }),
    ),
  )
