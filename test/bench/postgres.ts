import * as NodeContext from "@effect/platform-node/NodeContext"
import { Effect } from "effect"
import { randomBytes } from "node:crypto"
import { appendFileSync, chmodSync, mkdirSync, mkdtempSync, rmSync } from "node:fs"
import { connect, createServer } from "node:net"
import type { AddressInfo } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { ledgerOf } from "../../src/jobs/projectLedger.ts"
import { loadProject } from "../../src/project/loadProject.ts"
import { stopTestServer, testServer } from "../ledger/postgres/server.ts"
import { writeCsv } from "./data.ts"
import { fillLedger } from "./fillLedger.ts"
import { verified } from "./imports.ts"
import { measure } from "./measured.ts"
import { startPractice } from "./practice.ts"
import { embedded, servedAt, writeProject } from "./project.ts"
import { failed, lookUps, seed, type Target, unlimited } from "./Target.ts"

/** The least time between a statement and its answer, in milliseconds, as with a database in the same data centre. */
const latency = 1

/** A database server of its own, behind a network that delays what is sent to it. */
const openServer = async () => {
  const folder = mkdtempSync(join(tmpdir(), "formferry-bench-"))
  // The server runs as a user without privileges.
  chmodSync(folder, 0o755)
  const before = process.env["TMPDIR"]
  process.env["TMPDIR"] = folder
  const { port } = await testServer()
  if (before === undefined) delete process.env["TMPDIR"]
  else process.env["TMPDIR"] = before
  const network = createServer({ noDelay: true }, (client) => {
    const database = connect({ port, host: "127.0.0.1", noDelay: true })
    client.on("data", (data) => setTimeout(() => database.write(data), latency))
    database.on("data", (data) => client.write(data))
    for (const [one, other] of [[client, database], [database, client]] as const) {
      one.on("error", () => undefined).on("close", () => other.destroy())
    }
  })
  await new Promise<void>((listening) => network.listen(0, "127.0.0.1", listening))
  const urlAt = (at: number) => `postgresql://formferry:formferry@127.0.0.1:${at}/postgres`
  return {
    url: urlAt(port),
    slowUrl: urlAt((network.address() as AddressInfo).port),
    close: () => {
      network.close()
      stopTestServer(folder)
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** Writes a project whose ledger is in a new schema of the server. Returns a function that changes the address. */
const inPostgres = (root: string, schema: string) => {
  const key = randomBytes(32).toString("hex")
  appendFileSync(
    join(root, "config", "formferry.yaml"),
    `ledger: { url: { env: DATABASE_URL }, project: bench, schema: ${schema}, key: { env: LEDGER_KEY }, marks: { folder: ../marks } }\n`,
  )
  return (url: string) => appendFileSync(join(root, ".env"), `DATABASE_URL=${url}\nLEDGER_KEY=${key}\n`)
}

/** A fixed time, as the other side of a target. */
const within = (seconds: number) => () =>
  Promise.resolve({ seconds, cpuSeconds: 0, megabytes: 0, exitCode: 0, stdout: "", stderr: "" })

/** Runs with a ledger in PostgreSQL. */
export const postgres: ReadonlyArray<Target> = [
  {
    name: "postgres",
    title: "import of 20k rows, 4 batches in flight, ledger in PostgreSQL 1 ms away",
    beside: "1,000 rows/s",
    by: "times",
    of: "seconds",
    atMost: 1,
    open: async (root) => {
      const rows = 20_000
      const server = await openServer()
      const practice = await startPractice()
      mkdirSync(root, { recursive: true })
      const service = servedAt(practice.baseUrl, 1_000, 32)
      await writeCsv(join(root, "source.csv"), rows, seed)
      let round = 0
      return {
        ours: async () => {
          await practice.clear()
          for (const name of ["reports", "marks", ".env"]) rmSync(join(root, name), { recursive: true, force: true })
          writeProject(root, { service, sink: ", concurrency: 4" })
          inPostgres(root, `bench_${++round}`)(server.slowUrl)
          return verified(await measure([unlimited], root), practice, rows)
        },
        beside: within(rows / 1_000),
        close: () => {
          practice.end()
          server.close()
        },
      }
    },
  },
  {
    name: "postgres-known",
    title: "look-ups of 1M known rows, ledger in PostgreSQL 1 ms away",
    beside: "100,000 rows/s",
    by: "times",
    of: "seconds",
    atMost: 1,
    open: async (root) => {
      const rows = 1_000_000
      const server = await openServer()
      mkdirSync(root, { recursive: true })
      writeProject(root, { service: embedded })
      const setUrl = inPostgres(root, "bench_known")
      setUrl(server.url)
      const options = await Effect.runPromise(
        Effect.flatMap(loadProject(root), ledgerOf).pipe(Effect.provide(NodeContext.layer)),
      )
      await fillLedger(options, "practice:bench", rows, seed)
      return {
        ours: async () => {
          const measured = await measure([lookUps, String(rows), String(seed)], root)
          const told = JSON.parse(measured.stdout || "{}") as { readonly seconds?: number; readonly known?: number }
          if (told.seconds === undefined || told.known !== rows) throw failed(measured, "not all rows were found")
          return { ...measured, seconds: told.seconds }
        },
        beside: within(rows / 100_000),
        close: server.close,
      }
    },
  },
]
