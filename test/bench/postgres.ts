import * as NodeContext from "@effect/platform-node/NodeContext"
import { Effect } from "effect"
import { randomBytes } from "node:crypto"
import { appendFileSync, chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { canonicalAddress } from "../../src/domain/destination.ts"
import { ledgerOf } from "../../src/jobs/projectLedger.ts"
import { loadProject } from "../../src/project/loadProject.ts"
import { openDelay } from "../ledger/postgres/link.ts"
import { stopTestServer, testServer } from "../ledger/postgres/server.ts"
import { rows as rowsOf, writeCsv } from "./data.ts"
import { fillLedger } from "./fillLedger.ts"
import { verified } from "./imports.ts"
import { measure, type Measured, onlySeconds } from "./measured.ts"
import { startPractice } from "./practice.ts"
import { embedded, servedAt, writeProject } from "./project.ts"
import { command, failed, lookUps, records, seed, type Target, unlimited } from "./Target.ts"

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
  const network = await openDelay(port, latency)
  const urlAt = (at: number) => `postgresql://formferry:formferry@127.0.0.1:${at}/postgres`
  return {
    url: urlAt(port),
    slowUrl: urlAt(network.port),
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

const optionsOf = (root: string) =>
  Effect.runPromise(Effect.flatMap(loadProject(root), ledgerOf).pipe(Effect.provide(NodeContext.layer)))

/** Returns what a script measured itself. Fails unless it found or recorded this many rows. */
const selfMeasured = (measured: Measured, rows: number): Measured => {
  const told = JSON.parse(measured.stdout || "{}") as { readonly seconds?: number; readonly rows?: number }
  if (told.seconds === undefined || told.rows !== rows) throw failed(measured, `it told ${told.rows} of ${rows} rows`)
  return { ...measured, seconds: told.seconds }
}

/** Runs with a ledger in PostgreSQL. */
export const postgres: ReadonlyArray<Target> = [
  {
    name: "postgres",
    title: "20k rows recorded as an import does, 4 batches in flight, ledger in PostgreSQL 1 ms away",
    beside: "1,000 rows/s",
    by: "times",
    of: "seconds",
    atMost: 1,
    open: async (root) => {
      const rows = 20_000
      const server = await openServer()
      mkdirSync(root, { recursive: true })
      writeProject(root, { service: embedded })
      let round = 0
      return {
        ours: async () => {
          for (const name of ["reports", "marks", ".env"]) rmSync(join(root, name), { recursive: true, force: true })
          writeProject(root, { service: embedded })
          inPostgres(root, `bench_${++round}`)(server.slowUrl)
          return selfMeasured(await measure([records, String(rows), String(seed)], root), rows)
        },
        beside: async () => onlySeconds(rows / 1_000),
        close: server.close,
      }
    },
  },
  {
    name: "postgres-import",
    title: "import of 20k rows, 4 batches in flight, ledger in PostgreSQL 1 ms away",
    beside: "the same, ledger in a file",
    by: "times",
    of: "seconds",
    atMost: 1.6,
    open: async (root) => {
      const rows = 20_000
      const server = await openServer()
      const practice = await startPractice()
      const service = servedAt(practice.baseUrl, 1_000, 32)
      let round = 0
      const side = async (name: string, isInPostgres: boolean) => {
        const folder = join(root, name)
        mkdirSync(folder, { recursive: true })
        await writeCsv(join(folder, "source.csv"), rows, seed)
        return async () => {
          await practice.clear()
          for (const name of [".formferry", "reports", "marks", ".env"]) {
            rmSync(join(folder, name), { recursive: true, force: true })
          }
          writeProject(folder, { service, sink: ", concurrency: 4" })
          if (isInPostgres) inPostgres(folder, `bench_import_${++round}`)(server.slowUrl)
          return verified(await measure([unlimited], folder), practice, rows)
        }
      }
      return {
        ours: await side("postgres", true),
        beside: await side("file", false),
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
      await fillLedger(await optionsOf(root), "practice:bench", rows, seed)
      return {
        ours: async () => {
          return selfMeasured(await measure([lookUps, String(rows), String(seed)], root), rows)
        },
        beside: async () => onlySeconds(rows / 100_000),
        close: server.close,
      }
    },
  },
  {
    name: "postgres-settle",
    title: "100k rows settled and given new keys during another import, ledger in PostgreSQL 1 ms away",
    beside: "2,000 rows/s",
    by: "times",
    of: "seconds",
    atMost: 1,
    open: async (root) => {
      const [rows, imported] = [100_000, 4_000]
      const server = await openServer()
      const practice = await startPractice()
      const pipeline = join(root, "pipelines", "other.yaml")
      mkdirSync(root, { recursive: true })
      await writeCsv(join(root, "source.csv"), imported, seed + 1)
      const pairs = Array.from(rowsOf(rows, seed), ([key]) => `${key},new ${key}`)
      writeFileSync(join(root, "keys.csv"), ["old,new", ...pairs, ""].join("\n"))
      let round = 0
      return {
        ours: async () => {
          await practice.clear()
          for (const name of ["reports", "marks", ".env"]) rmSync(join(root, name), { recursive: true, force: true })
          writeProject(root, { service: servedAt(practice.baseUrl, 100, 8), sink: ", alongside: [other]" })
          writeFileSync(
            pipeline,
            readFileSync(join(root, "pipelines", "bench.yaml"), "utf8").replace("pipeline: bench", "pipeline: other")
              .replace("alongside: [other]", "alongside: [bench]"),
          )
          const setUrl = inPostgres(root, `bench_settle_${++round}`)
          setUrl(server.url)
          await fillLedger(await optionsOf(root), canonicalAddress(practice.baseUrl), rows, seed, true)
          setUrl(server.slowUrl)
          // It fails if it can't write to the ledger for 10 seconds.
          const other = measure([command, "run", "other", "--json"], root)
          const done = async (count: string, ...args: ReadonlyArray<string>) => {
            const measured = await measure([command, ...args], root)
            if (measured.exitCode !== 0 || !measured.stdout.includes(count)) {
              throw failed(measured, "it did not end well")
            }
            return measured
          }
          const settled = await done(
            `"notLanded":${rows}`,
            ..."settle bench --as not-landed --all --json --because".split(" "),
            "a test",
          )
          const rekeyed = await done(
            `"recorded":${rows}`,
            ..."ledger rekey bench --map keys.csv --yes --json".split(" "),
          )
          await verified(await other, practice, imported)
          process.stderr.write(`settled in ${settled.seconds} s, given new keys in ${rekeyed.seconds} s\n`)
          return { ...rekeyed, seconds: settled.seconds + rekeyed.seconds }
        },
        beside: async () => onlySeconds(2 * rows / 2_000),
        close: () => {
          practice.end()
          server.close()
        },
      }
    },
  },
]
