// Runs `npm run scale [-- --keys N …]`, which measures the figures of docs/performance.md.
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import process from "node:process"
import { fileURLToPath } from "node:url"
import { parseArgs } from "node:util"
import { FateTable } from "../../src/run/FateTable.ts"
import { KeyTable, RowHash } from "../../src/run/KeyTable.ts"
import { writeCsv } from "./data.ts"
import { fillLedger } from "./fillLedger.ts"
import { verified } from "./imports.ts"
import { measure } from "./measured.ts"
import { startPractice } from "./practice.ts"
import { embedded, servedAt, writeProject } from "./project.ts"
import { markdown } from "./results.ts"
import { command, failed, reported, seed, unlimited } from "./Target.ts"

const { values } = parseArgs({
  options: {
    keys: { type: "string", multiple: true, default: ["1000000", "10000000"] },
    /** Fills the tables of a survey in this process, and reports their size in bytes. */
    fill: { type: "string" },
  },
})

const fill = (count: number): void => {
  const [fates, keys, hash] = [new FateTable(), new KeyTable(), new RowHash()]
  for (let row = 1; row <= count; row++) {
    hash.key(`K${row}`)
    hash.content([`K${row}`], [0])
    keys.add(hash, row)
    fates.set(row, "pending")
  }
  if (keys.size !== count || fates.count("pending") !== count) throw new Error("not all keys were added")
  process.stdout.write(`${process.memoryUsage().arrayBuffers}\n`)
}

const megabytes = (one: number) => `${one.toFixed(0)} MB`
const seconds = (one: number) => `${one.toFixed(1)} s`

/** Measures only the tables, with each number of keys in a separate process. */
const tables = async (root: string): Promise<string> => {
  mkdirSync(root)
  const rows = []
  for (const count of values.keys.map(Number)) {
    const filled = await measure([fileURLToPath(import.meta.url), "--fill", String(count)], root)
    const bytes = Number(filled.stdout)
    if (filled.exitCode !== 0 || !(bytes > 0)) throw failed(filled, "the tables were not filled")
    rows.push([
      count.toLocaleString("en"),
      megabytes(bytes / 1e6),
      megabytes(filled.megabytes),
      seconds(filled.cpuSeconds),
    ])
  }
  return markdown(["keys", "tables", "peak of the process", "processor time"], rows)
}

/** Measures dry runs of this many rows, with a row key and with keys from the content. */
const surveys = async (root: string): Promise<string> => {
  const rows = []
  for (const [count, key] of [[10, "[Id]"], [100_000, "[Id]"], [1_000_000, "[Id]"], [1_000_000, "content"]] as const) {
    writeProject(root, { service: embedded })
    const pipeline = join(root, "pipelines", "bench.yaml")
    writeFileSync(pipeline, readFileSync(pipeline, "utf8").replace("rowKey: [Id]", `rowKey: ${key}`))
    await writeCsv(join(root, "source.csv"), count, seed)
    const run = await measure([command, "run", "bench", "--json", "--dry-run"], root)
    reported(run, { read: count, pending: count })
    rows.push([
      count.toLocaleString("en"),
      key === "content" ? key : "a column",
      megabytes(run.megabytes),
      seconds(run.cpuSeconds),
    ])
  }
  return markdown(["rows of a dry run", "row key", "peak of the process", "processor time"], rows)
}

const ledgerOf = (root: string) => join(root, ".formferry", "ledger.db")
const bytesARow = (root: string, rows: number) => (statSync(ledgerOf(root)).size / rows).toFixed(0)

/** Compacts the project's ledger. Returns its bytes per row. */
const compacted = async (root: string, rows: number): Promise<string> => {
  const run = await measure([command, "ledger", "compact"], root)
  if (run.exitCode !== 0) throw failed(run, "the ledger was not compacted")
  return bytesARow(root, rows)
}

/** Measures imports without a limit: time, memory, and the ledger's size. */
const imports = async (root: string): Promise<string> => {
  const rows = []
  for (const count of [10_000, 100_000, 300_000]) {
    rmSync(root, { recursive: true, force: true })
    const practice = await startPractice()
    try {
      writeProject(root, { service: servedAt(practice.baseUrl, 1_000, 32), sink: ", concurrency: 32" })
      await writeCsv(join(root, "source.csv"), count, seed)
      const run = await verified(await measure([unlimited], root), practice, count)
      rows.push([
        count.toLocaleString("en"),
        `${((run.seconds / count) * 1e3).toFixed(2)} ms`,
        `${((1.1 * count) / run.seconds).toFixed(0)}`,
        megabytes(run.megabytes),
        bytesARow(root, count),
        await compacted(root, count),
      ])
    } finally {
      practice.end()
    }
  }
  return markdown(
    ["rows imported", "a row", "requests/s", "peak of the process", "ledger, bytes a row", "compacted"],
    rows,
  )
}

/** Measures a ledger whose rows are verified, but which has no digests of their answers. */
const bare = async (root: string): Promise<string> => {
  const count = 100_000
  writeProject(root, { service: embedded })
  await fillLedger({ file: join(root, ".formferry", "ledger.db") }, "practice:bench", count, seed)
  return markdown(["rows known, without digests of answers", "ledger, bytes a row"], [
    [count.toLocaleString("en"), bytesARow(root, count)],
  ])
}

if (values.fill !== undefined) fill(Number(values.fill))
else {
  const root = mkdtempSync(join(tmpdir(), "formferry-scale-"))
  try {
    for (const part of [tables, surveys, imports, bare]) {
      process.stdout.write(`${await part(join(root, part.name))}\n`)
    }
  } finally {
    rmSync(root, { recursive: true })
  }
}
