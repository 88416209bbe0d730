import { cpSync, existsSync, mkdirSync } from "node:fs"
import { join } from "node:path"
import type { RunReport } from "../../src/domain/report.ts"
import { writeCsv } from "./data.ts"
import { fillLedger } from "./fillLedger.ts"
import { writeKinds } from "./kinds.ts"
import { measure, type Measured } from "./measured.ts"
import { embedded, writeProject } from "./project.ts"
import { command, companion, failed, reported, type Round, seed, type Target, told } from "./Target.ts"

const million = 1_000_000

const parse = (root: string, rows: number): Round => async () =>
  told(await measure([companion("parse.mjs"), join(root, "source.csv")], root), rows + 1)

const run =
  (root: string, rows: Partial<RunReport["rows"]>, more: ReadonlyArray<string>, exitCode = 0): Round => async () => {
    const measured = await measure([command, "run", "bench", "--json", ...more], root)
    reported(measured, rows, exitCode)
    return measured
  }

const dryRun = (root: string, rows: number) => run(root, { read: rows, pending: rows }, ["--dry-run"])

/** Writes a project with this many rows. */
const withRows = async (root: string, rows: number, changed?: number) => {
  mkdirSync(root, { recursive: true })
  writeProject(root, { service: embedded })
  await writeCsv(join(root, "source.csv"), rows, seed, changed)
}

/** The ledger identifies the practice service by this name. */
const address = "practice:bench"

/** Copies a ledger that contains the million rows. The ledger is made once, next to the folders of the targets. */
const withLedger = async (root: string) => {
  const made = join(root, "..", "filled")
  if (!existsSync(made)) await fillLedger({ file: join(made, ".formferry", "ledger.db") }, address, million, seed)
  cpSync(join(made, ".formferry"), join(root, ".formferry"), { recursive: true })
}

const digested = (measured: Measured): Measured => {
  if (measured.exitCode !== 0 || !/^[\da-f]{64}\n$/.test(measured.stdout)) {
    throw failed(measured, "no digest was reported")
  }
  return measured
}

/** Runs that read a million rows and send nothing. */
export const dryRuns: ReadonlyArray<Target> = [
  {
    name: "dry-run",
    title: "dry run, 1M rows × 12, empty ledger",
    beside: "papaparse alone",
    by: "times",
    of: "seconds",
    atMost: 4,
    peak: 250,
    open: async (root) => {
      await withRows(root, million)
      return { ours: dryRun(root, million), beside: parse(root, million) }
    },
  },
  {
    name: "kinds",
    title: "dry run, 300k rows × 15 of every common kind",
    beside: "hand-written script",
    by: "times",
    of: "seconds",
    atMost: 0.6,
    open: async (root) => {
      const rows = 300_000
      writeKinds(root, rows, seed)
      return {
        ours: dryRun(root, rows),
        beside: async () => told(await measure([companion("checkRows.mjs"), join(root, "source.csv")], root), rows),
      }
    },
  },
  {
    name: "known",
    title: "dry run, 1M rows known, one changed",
    beside: "papaparse alone",
    by: "times",
    of: "seconds",
    atMost: 8,
    open: async (root) => {
      await withRows(root, million, million / 2)
      await withLedger(root)
      return {
        ours: run(root, { read: million, alreadyImported: million - 1, changed: 1 }, ["--dry-run"], 1),
        beside: parse(root, million),
      }
    },
  },
  {
    name: "unchanged",
    title: "run of 1M rows, file unchanged",
    beside: "reading and hashing it",
    by: "times",
    of: "seconds",
    atMost: 3,
    open: async (root) => {
      await withRows(root, million)
      await withLedger(root)
      const again = run(root, { read: million, alreadyImported: million }, [])
      // Runs once to record in the ledger that the unchanged file was completely imported.
      await again()
      return {
        ours: again,
        beside: async () => digested(await measure([companion("readAndDigest.mjs"), join(root, "source.csv")], root)),
      }
    },
  },
  {
    name: "memory",
    title: "peak memory of a dry run, 1M rows",
    beside: "100k rows",
    by: "times",
    of: "megabytes",
    atMost: 1.5,
    open: async (root) => {
      const [large, small] = [join(root, "large"), join(root, "small")]
      await withRows(large, million)
      await withRows(small, million / 10)
      return { ours: dryRun(large, million), beside: dryRun(small, million / 10) }
    },
  },
]
