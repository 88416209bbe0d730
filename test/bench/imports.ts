import { rmSync } from "node:fs"
import { join } from "node:path"
import { setTimeout } from "node:timers/promises"
import type { Capability } from "../../src/domain/capability.ts"
import { writeCsv } from "./data.ts"
import { measure, type Measured, onlySeconds } from "./measured.ts"
import { type PracticeProcess, startPractice } from "./practice.ts"
import { apiKey, form, servedAt, writeProject } from "./project.ts"
import type { Limits } from "./service.ts"
import { command, companion, failed, reported, seed, type Target, told, unlimited } from "./Target.ts"

const inFlight = 32

/** With a limit, as many as the rate times the latency of the slowest requests: 1,000 a second, up to 60 ms each on two busy cores. */
const inFlightAtLimit = 64

/**
 * Checks that every row was imported, read back and verified, that the service contains exactly these rows, and that
 * only throttled requests were repeated.
 *
 * @param throttled maximum share of the requests that may have been throttled (429)
 * @param reads the maximum number of requests for reading back, if the service can list
 */
export const verified = async (
  measured: Measured,
  practice: PracticeProcess,
  rows: number,
  throttled = 0,
  reads?: number,
): Promise<Measured> => {
  const { readBack, requests } = reported(measured, { read: rows, imported: rows })
  if (readBack.verified !== rows) throw failed(measured, `${readBack.verified} of ${rows} rows were verified`)
  const needed = 1 + Math.ceil(rows / 10) + (reads ?? rows)
  const sent = requests.metadata + requests.create + requests.read
  const isAsNeeded = reads === undefined ? sent === needed + requests.throttled : sent <= needed
  if (!isAsNeeded || requests.throttled > throttled * sent) {
    throw failed(measured, `the requests were ${JSON.stringify(requests)} where ${needed} are needed`)
  }
  await practice.check(rows, seed)
  return measured
}

/** Restores the state before every round: no submissions, no ledger and no reports. */
const afresh = async (root: string, practice: PracticeProcess) => {
  for (const folder of [".formferry", "reports"]) rmSync(join(root, folder), { recursive: true, force: true })
  await practice.clear()
}

/**
 * An import with a limit, compared with the minimum time: ten rows per create and one row per read, at the lower of the
 * configured rate and the limit.
 */
const paced = (
  name: string,
  title: string,
  atMost: number,
  { configured = 1_000, cores, limits, rows = 3_000, throttled = 0, ...more }: {
    readonly rows?: number
    readonly cores?: number
    readonly configured?: number
    readonly throttled?: number
    /** Seconds. */
    readonly floor?: number
    readonly limits: Limits
  },
): Target => ({
  name,
  title,
  beside: "floor 1.1 · N / R",
  by: "times",
  of: "seconds",
  atMost,
  ...(cores === undefined ? {} : { cores }),
  open: async (root) => {
    const practice = await startPractice(limits)
    writeProject(root, { service: servedAt(practice.baseUrl, configured, inFlightAtLimit), sink: ", concurrency: 32" })
    await writeCsv(join(root, "source.csv"), rows, seed)
    const seconds = more.floor ?? (1.1 * rows) / Math.min(configured, limits.requestsPerSecond)
    return {
      ours: async () => {
        await afresh(root, practice)
        // The limit's window of the previous round ends during this time.
        await setTimeout(1_000)
        return verified(await measure([command, "run", "bench", "--json"], root), practice, rows, throttled)
      },
      beside: async () => onlySeconds(seconds),
      close: practice.end,
    }
  },
})

/** An import from which submissions are read back by listing, compared with the same import without it. */
const listed: Target = {
  name: "list",
  title: "import at 100 requests/s, service can list",
  beside: "service can't list",
  by: "times",
  of: "seconds",
  atMost: 0.2,
  open: async (root, rows = 10_000) => {
    const practice = await startPractice({ requestsPerSecond: 100, latency: 20 })
    const side = async (name: string, capabilities: ReadonlyArray<Capability>, reads?: number) => {
      const folder = join(root, name)
      const service = servedAt(practice.baseUrl, 100, inFlight, capabilities)
      writeProject(folder, { service, sink: ", concurrency: 32" })
      await writeCsv(join(folder, "source.csv"), rows, seed)
      return async () => {
        await afresh(folder, practice)
        // The limit's window of the previous round ends during this time.
        await setTimeout(1_000)
        return verified(await measure([command, "run", "bench", "--json"], folder), practice, rows, 0, reads)
      }
    }
    return {
      ours: await side("with", ["list"], Math.ceil(rows / 20)),
      beside: await side("without", []),
      close: practice.end,
    }
  },
}

/** Whole imports. Each has its own practice service in a separate process. */
export const imports: ReadonlyArray<Target> = [
  {
    name: "import",
    title: "import of 100k rows, no limit, 32 in flight",
    beside: "hand-written script",
    by: "times",
    of: "seconds",
    atMost: 4,
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
  paced("paced", "import of 20,000 rows at 1,000 requests/s, 20 ms each", 1.05, {
    rows: 20_000,
    cores: 1,
    limits: { requestsPerSecond: 1_000, latency: 20 },
  }),
  paced("below-limit", "import of 3,000 rows, sliding limit of 100/s, 99 configured", 1.03, {
    configured: 99,
    limits: { requestsPerSecond: 100, latency: 50, sliding: "retry-after" },
  }),
  paced("unknown-limit", "the same, 1,000 configured, Retry-After", 1.15, {
    throttled: 0.02,
    limits: { requestsPerSecond: 100, latency: 50, sliding: "retry-after" },
  }),
  paced("untold-limit", "the same, 1,000 configured, no Retry-After", 1.15, {
    throttled: 0.02,
    limits: { requestsPerSecond: 100, latency: 50, sliding: "none" },
  }),
  paced("changing-limit", "the same, half of the limit from 11 to 22 s", 1.2, {
    throttled: 0.05,
    // The sum of the time at the full limit, at half of the limit, and at the full limit.
    floor: 38.5,
    limits: { requestsPerSecond: 100, latency: 50, sliding: "none", halved: [11_000, 22_000] },
  }),
  listed,
]
