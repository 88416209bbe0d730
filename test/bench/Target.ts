import { join, resolve } from "node:path"
import { fileURLToPath } from "node:url"
import type { RunReport } from "../../src/domain/report.ts"
import type { Measured } from "./measured.ts"

/** A run in one round. */
export type Round = () => Promise<Measured>

/** The two sides of a target, prepared and run in turn. */
export interface Opened {
  readonly ours: Round
  readonly beside: Round
  readonly close?: () => void
}

/** A target of docs/performance.md: a figure compared with a second one from the same round. */
export interface Target {
  readonly name: string
  readonly title: string
  readonly beside: string
  /** `over`: this many seconds more; `times`: this many times as much. */
  readonly by: "times" | "over"
  readonly of: "seconds" | "megabytes"
  readonly atMost: number
  /** The maximum megabytes. */
  readonly peak?: number
  /** The maximum processor seconds per second. */
  readonly cores?: number
  /** Makes its data in a separate folder. */
  readonly open: (root: string) => Promise<Opened>
}

/** The data's seed. */
export const seed = 20_261_120

/** Folder of the bundled benchmarks; .ci/bench.mjs copies the built command next to them, so that a build in the meantime does not matter. */
const here = fileURLToPath(new URL(".", import.meta.url))

/** The built command. */
export const command = join(here, "dist", "main.js")

/** runUnlimited.ts, bundled. */
export const unlimited = join(here, "runUnlimited.js")

/** The script that formferry is compared with. */
export const companion = (name: string): string => resolve("test", "bench", "companions", name)

export const failed = (run: Measured, why: string): Error =>
  new Error(`${why}; exit code ${run.exitCode}: ${run.stdout.slice(-1_000)} ${run.stderr.slice(-2_000)}`)

/** Returns the report of a run with --json. A run that did not end as it should proves nothing: its balance must hold, and its counts must be as expected. */
export const reported = (run: Measured, rows: Partial<RunReport["rows"]>, exitCode = 0): RunReport => {
  const last = run.stdout.trim().split("\n").at(-1) ?? ""
  if (run.exitCode !== exitCode || !last.startsWith("{")) throw failed(run, "the run did not end as it should")
  const report = JSON.parse(last) as RunReport
  if (!report.balance.holds) throw failed(run, "the balance does not hold")
  for (const [fate, count] of Object.entries(rows)) {
    const found = Object.entries(report.rows).find(([name]) => name === fate)?.[1]
    if (found !== count) throw failed(run, `${found} rows are ${fate} instead of ${count}`)
  }
  return report
}

/** A companion must have done all of its work: it reports the number of rows. */
export const told = (run: Measured, expected: number): Measured => {
  if (run.exitCode !== 0 || Number(run.stdout) !== expected) throw failed(run, `the companion did not tell ${expected}`)
  return run
}
