import { spawn } from "node:child_process"
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { performance } from "node:perf_hooks"

/** What a command took, as a whole process. */
export interface Measured {
  readonly seconds: number
  /** Highest resident memory, in MB (10^6 bytes). */
  readonly megabytes: number
  readonly exitCode: number | null
  readonly stdout: string
  readonly stderr: string
}

/** Written into the process before its own code: tells the highest memory when it ends. */
const probe = (file: string) =>
  `data:text/javascript,${
    encodeURIComponent(
      `import { writeFileSync } from "node:fs"; process.on("exit", () => `
        + `writeFileSync(${JSON.stringify(file)}, String(process.resourceUsage().maxRSS)))`,
    )
  }`

/** Runs a script with this Node in a process of its own, and measures it from outside. */
export const measure = async (script: string, args: ReadonlyArray<string>, cwd: string): Promise<Measured> => {
  const folder = mkdtempSync(join(tmpdir(), "formferry-bench-"))
  const peak = join(folder, "peak")
  writeFileSync(peak, "0")
  const startedAt = performance.now()
  const child = spawn(process.execPath, ["--import", probe(peak), script, ...args], { cwd })
  let stdout = ""
  let stderr = ""
  child.stdout.on("data", (data: Buffer) => (stdout += data))
  child.stderr.on("data", (data: Buffer) => (stderr += data))
  const exitCode = await new Promise<number | null>((resolve) => child.on("close", resolve))
  const seconds = (performance.now() - startedAt) / 1000
  // The kernel counts in KiB.
  const megabytes = (Number(readFileSync(peak, "utf8")) * 1024) / 1e6
  rmSync(folder, { recursive: true })
  return { seconds, megabytes, exitCode, stdout, stderr }
}

export const median = (values: ReadonlyArray<number>): number => {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN
}
