import { join, resolve } from "node:path"
import { fileURLToPath } from "node:url"
import type { RunReport } from "../../src/domain/report.ts"
import type { Measured } from "./measured.ts"

/** Runs one side of a target in one round. */
export type Round = () => Promise<Measured>

/** The two sides of a target, prepared and run in turn. */
export interface Opened {
  readonly ours: Round
  readonly beside: Round
  readonly close?: () => void
}

/** A target of docs/benchmarks.md: a figure compared with a second figure from the same round. */
export interface Target {
  readonly name: string
  readonly title: string
  readonly beside: string
  /** `over` compares the difference in seconds, and `times` the ratio. */
  readonly by: "times" | "over"
  readonly of: "seconds" | "megabytes"
  readonly atMost: number
  /** The maximum memory in megabytes. */
  readonly peak?: number
  /** The maximum processor time per second of run time. */
  readonly cores?: number
  /**
   * Writes the target's data into a separate folder, and returns both sides. `rows` is the value of `--rows`, which
   * only the target `list` uses.
   */
  readonly open: (root: string, rows: number | undefined) => Promise<Opened>
}

/** The seed of all data. */
export const seed = 20_261_120

/**
 * The folder of the bundled benchmarks. .ci/bench.mjs copies the built command into it, so that a later build does not
 * affect them.
 */
const here = fileURLToPath(new URL(".", import.meta.url))

/** The path of the built command. */
export const command = join(here, "dist", "main.js")

/** The path of the bundled runUnlimited.ts. */
export const unlimited = join(here, "runUnlimited.js")

/** The path of the bundled lookUps.ts. */
export const lookUps = join(here, "lookUps.js")

/** The path of the bundled records.ts. */
export const records = join(here, "records.js")

/** Returns the path of a script that formferry is compared with. */
export const companion = (name: string): string => resolve("test", "bench", "companions", name)

export const failed = (run: Measured, why: string): Error =>
  new Error(`${why}; exit code ${run.exitCode}: ${run.stdout.slice(-1_000)} ${run.stderr.slice(-2_000)}`)

/**
 * Returns the report of a run with --json. Fails unless the run ended as expected, its balance is correct, and its
 * counts are as expected.
 */
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

/** Checks that a companion did all of its work: it must report the number of rows. */
export const told = (run: Measured, expected: number): Measured => {
  if (run.exitCode !== 0 || Number(run.stdout) !== expected) throw failed(run, `the companion did not tell ${expected}`)
  return run
}
