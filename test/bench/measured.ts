import { spawn } from "node:child_process"
import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { performance } from "node:perf_hooks"

/** What a command took, as a whole process. */
export interface Measured {
  readonly seconds: number
  /** Processor time of all its threads, the kernel's work for it among it. */
  readonly cpuSeconds: number
  /** Highest resident memory, in MB (10^6 bytes). */
  readonly megabytes: number
  readonly exitCode: number | null
  readonly stdout: string
  readonly stderr: string
}

/** Written into the process before its own code: tells what it used when it ends. */
const probe = (file: string) =>
  `data:text/javascript,${
    encodeURIComponent(
      `import { writeFileSync } from "node:fs"; process.on("exit", () => `
        + `writeFileSync(${JSON.stringify(file)}, JSON.stringify(process.resourceUsage())))`,
    )
  }`

/** Runs Node with these arguments in a process of its own, and measures it from outside. */
export const measure = async (args: ReadonlyArray<string>, cwd: string): Promise<Measured> => {
  const folder = mkdtempSync(join(tmpdir(), "formferry-bench-"))
  const used = join(folder, "used")
  const startedAt = performance.now()
  const child = spawn(process.execPath, ["--import", probe(used), ...args], {
    cwd,
    env: { ...process.env, NODE_OPTIONS: "" },
    stdio: ["ignore", "pipe", "pipe"],
  })
  let stdout = ""
  let stderr = ""
  child.stdout.on("data", (data: Buffer) => (stdout += data))
  child.stderr.on("data", (data: Buffer) => (stderr += data))
  const exitCode = await new Promise<number | null>((resolve) => child.on("close", resolve))
  const seconds = (performance.now() - startedAt) / 1000
  const { maxRSS, systemCPUTime, userCPUTime } = JSON.parse(readFileSync(used, "utf8")) as NodeJS.ResourceUsage
  rmSync(folder, { recursive: true })
  // Microseconds, and KiB.
  const cpuSeconds = (userCPUTime + systemCPUTime) / 1e6
  return { seconds, cpuSeconds, megabytes: (maxRSS * 1024) / 1e6, exitCode, stdout, stderr }
}

/** Of an even number of values the mean of the two in the middle. */
export const median = (values: ReadonlyArray<number>): number => {
  const sorted = [...values].sort((a, b) => a - b)
  const middle = sorted.length / 2
  return ((sorted[Math.ceil(middle) - 1] ?? Number.NaN) + (sorted[Math.floor(middle)] ?? Number.NaN)) / 2
}
