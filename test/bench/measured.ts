import { spawn } from "node:child_process"
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { performance } from "node:perf_hooks"

/** The resources that a whole process used. */
export interface Measured {
  readonly seconds: number
  /** Processor time of all threads, including the kernel's work for them. */
  readonly cpuSeconds: number
  /** The highest resident memory, in MB (10^6 bytes). */
  readonly megabytes: number
  readonly exitCode: number | null
  readonly stdout: string
  readonly stderr: string
}

/** Returns a time without other figures: that of a page, or a fixed one that a target compares with. */
export const onlySeconds = (seconds: number): Measured => ({
  seconds,
  cpuSeconds: 0,
  megabytes: 0,
  exitCode: 0,
  stdout: "",
  stderr: "",
})

/** The figures that a process reports about itself. */
interface Used {
  readonly usage: NodeJS.ResourceUsage
  /** The text of `/proc/self/status`, or an empty text on other systems. */
  readonly status: string
}

/**
 * Returns a module that Node loads before the process's own code. It reports the used resources when the process ends.
 */
const probe = (file: string) =>
  `data:text/javascript,${
    encodeURIComponent(
      `import { readFileSync, writeFileSync } from "node:fs"; process.on("exit", () => { `
        + `let status = ""; try { status = readFileSync("/proc/self/status", "utf8") } catch {} `
        + `writeFileSync(${JSON.stringify(file)}, JSON.stringify({ usage: process.resourceUsage(), status })) })`,
    )
  }`

/** Returns the peak in KiB. `getrusage` may include the parent process, but the kernel's `VmHWM` does not. */
const peakOf = ({ status, usage }: Used): number => Number(/^VmHWM:\s*(\d+) kB/m.exec(status)?.[1] ?? usage.maxRSS)

/**
 * Runs Node with these arguments in a separate process. The time is measured in this process, from before the start to
 * the end. The separate process reports its other resources.
 */
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
  const told = existsSync(used) ? JSON.parse(readFileSync(used, "utf8")) as Used : undefined
  rmSync(folder, { recursive: true })
  if (told === undefined) throw new Error(`${args.join(" ")} ended before its time: ${stderr.slice(-2_000)}`)
  // Microseconds.
  const cpuSeconds = (told.usage.userCPUTime + told.usage.systemCPUTime) / 1e6
  return { seconds, cpuSeconds, megabytes: (peakOf(told) * 1024) / 1e6, exitCode, stdout, stderr }
}

/** Returns the median. For an even number of values it is the mean of the two in the middle. */
export const median = (values: ReadonlyArray<number>): number => {
  const sorted = [...values].sort((a, b) => a - b)
  const middle = sorted.length / 2
  return ((sorted[Math.ceil(middle) - 1] ?? Number.NaN) + (sorted[Math.floor(middle)] ?? Number.NaN)) / 2
}
