import { rmSync } from "node:fs"
import { join } from "node:path"
import { setTimeout } from "node:timers/promises"
import { isDeepStrictEqual } from "node:util"
import { writeCsv } from "./data.ts"
import { measure, type Measured } from "./measured.ts"
import { type PracticeProcess, startPractice } from "./practice.ts"
import { apiKey, form, servedAt, writeProject } from "./project.ts"
import { command, companion, failed, reported, seed, type Target, told, unlimited } from "./Target.ts"

const inFlight = 32

/** Every row was imported, read back and found to be what was sent, with no request too many and none refused; and the service holds just that. */
export const verified = async (measured: Measured, practice: PracticeProcess, rows: number): Promise<Measured> => {
  const { readBack, requests } = reported(measured, { read: rows, imported: rows })
  if (readBack.verified !== rows) throw failed(measured, `${readBack.verified} of ${rows} rows were verified`)
  const expected = { metadata: 1, create: Math.ceil(rows / 10), read: rows, retried: 0, throttled: 0 }
  if (!isDeepStrictEqual(requests, expected)) {
    throw failed(measured, `the requests were ${JSON.stringify(requests)} instead of ${JSON.stringify(expected)}`)
  }
  await practice.check(rows, seed)
  return measured
}

/** A project and its service without submissions and without a ledger, as before every round. */
const afresh = async (root: string, practice: PracticeProcess) => {
  for (const folder of [".formferry", "reports"]) rmSync(join(root, folder), { recursive: true, force: true })
  await practice.clear()
}

/** Whole imports, each against a practice service of its own in another process. */
export const imports: ReadonlyArray<Target> = [
  {
    name: "import",
    title: "import of 100k rows, no limit, 32 in flight",
    beside: "hand-written script",
    by: "times",
    of: "seconds",
    atMost: 2,
    open: async (root) => {
      const rows = 100_000
      const practice = await startPractice()
      writeProject(root, { service: servedAt(practice.baseUrl, 1_000, inFlight), sink: ", concurrency: 32" })
      const source = join(root, "source.csv")
      await writeCsv(source, rows, seed)
      return {
        ours: async () => {
          await afresh(root, practice)
          return verified(await measure([unlimited], root), practice, rows)
        },
        beside: async () => {
          await afresh(root, practice)
          const script = [companion("script.mjs"), source, practice.baseUrl, apiKey, form.id, String(inFlight)]
          const measured = told(await measure(script, root), rows)
          await practice.check(rows, seed)
          return measured
        },
        close: practice.end,
      }
    },
  },
  {
    name: "paced",
    title: "import of 3,000 rows at 100 requests/s, 50 ms each",
    beside: "floor 1.1 · N / R",
    by: "times",
    of: "seconds",
    atMost: 1.02,
    open: async (root) => {
      const rows = 3_000
      const requestsPerSecond = 100
      const practice = await startPractice({ requestsPerSecond, latency: 50 })
      writeProject(root, {
        service: servedAt(practice.baseUrl, requestsPerSecond, inFlight),
        sink: ", concurrency: 32",
      })
      await writeCsv(join(root, "source.csv"), rows, seed)
      const floor = { cpuSeconds: 0, megabytes: 0, exitCode: 0, stdout: "", stderr: "" }
      return {
        ours: async () => {
          await afresh(root, practice)
          // The window that the round before was in is over.
          await setTimeout(1_000)
          return verified(await measure([command, "run", "bench", "--json"], root), practice, rows)
        },
        // Ten rows a create, one read a row.
        beside: async () => ({ ...floor, seconds: (1.1 * rows) / requestsPerSecond }),
        close: practice.end,
      }
    },
  },
]
