import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { writeCsv, writeProject } from "./data.ts"
import { measure, type Measured, median } from "./measured.ts"

/** One target of docs/performance.md: a figure, beside what it is held against in the same run. */
interface Result {
  readonly name: string
  readonly figure: number
  readonly beside: number
  readonly ratio: number
  readonly target: number
  readonly peak: number
  readonly peakTarget: number | undefined
}

const rounds = Number(process.env["ROUNDS"] ?? 3)
const command = resolve("dist/main.js")
const parser = resolve("test/bench/parseAlone.mjs")
const seed = 20_261_120

/** A run that ended otherwise than it should proves nothing. */
const checked = (run: Measured, rows: number): Measured => {
  const report = JSON.parse(run.stdout.trim().split("\n").at(-1) ?? "{}")
  if (run.exitCode !== 0 || report.rows?.read !== rows || report.balance?.holds !== true) {
    throw new Error(`the run ended with ${run.exitCode}: ${run.stderr.slice(-2_000)}`)
  }
  return run
}

const dryRuns = async (root: string, rows: number) => {
  await writeCsv(join(root, "source.csv"), rows, seed)
  const parsed: Array<Measured> = []
  const dry: Array<Measured> = []
  for (let round = 0; round < rounds; round++) {
    parsed.push(await measure(parser, [join(root, "source.csv")], root))
    dry.push(checked(await measure(command, ["run", "bench", "--dry-run", "--json"], root), rows))
  }
  return {
    parse: median(parsed.map((run) => run.seconds)),
    seconds: median(dry.map((run) => run.seconds)),
    megabytes: median(dry.map((run) => run.megabytes)),
  }
}

const line = (cells: ReadonlyArray<string>) =>
  cells.map((cell, at) => (at === 0 ? cell.padEnd(44) : cell.padStart(11))).join("")

const root = mkdtempSync(join(tmpdir(), "formferry-bench-"))
try {
  writeProject(root, "{ practice: { forms: ../forms } }")
  const small = await dryRuns(root, 100_000)
  const large = await dryRuns(root, 1_000_000)
  const results: ReadonlyArray<Result> = [
    {
      name: "dry run of 1M rows, beside papaparse alone",
      figure: large.seconds,
      beside: large.parse,
      ratio: large.seconds / large.parse,
      target: 3,
      peak: large.megabytes,
      peakTarget: 200,
    },
    {
      name: "peak memory at 1M rows, beside 100k rows",
      figure: large.megabytes,
      beside: small.megabytes,
      ratio: large.megabytes / small.megabytes,
      target: 1.3,
      peak: large.megabytes,
      peakTarget: undefined,
    },
  ]
  const met = (one: Result) => one.ratio <= one.target && (one.peakTarget === undefined || one.peak <= one.peakTarget)
  process.stdout.write(`${line(["target", "figure", "beside", "ratio", "at most", "peak MB", "at most", ""])}\n`)
  for (const one of results) {
    process.stdout.write(
      `${
        line([
          one.name,
          one.figure.toFixed(2),
          one.beside.toFixed(2),
          one.ratio.toFixed(2),
          String(one.target),
          one.peak.toFixed(0),
          String(one.peakTarget ?? ""),
          met(one) ? "met" : "NOT MET",
        ])
      }\n`,
    )
  }
  writeFileSync("bench.json", `${JSON.stringify({ rounds, seed, results }, undefined, 2)}\n`)
} finally {
  rmSync(root, { recursive: true })
}
