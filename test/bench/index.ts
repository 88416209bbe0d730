// Runs `npm run bench -- [--only NAME] [--rounds N] [--rows N]`. docs/benchmarks.md describes what is measured, and why.
import { spawnSync } from "node:child_process"
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { cpus, tmpdir } from "node:os"
import { join } from "node:path"
import { parseArgs } from "node:util"
import { dryRuns } from "./dryRuns.ts"
import { imports } from "./imports.ts"
import type { Measured } from "./measured.ts"
import { others } from "./others.ts"
import { postgres } from "./postgres.ts"
import { type Result, resultOf, table } from "./results.ts"
import { studio } from "./studio.ts"
import { seed, type Target } from "./Target.ts"

const { values } = parseArgs({
  options: {
    only: { type: "string", multiple: true, default: [] },
    rows: { type: "string" },
    rounds: { type: "string", default: process.env["ROUNDS"] ?? "3" },
  },
})
const rounds = Number(values.rounds)
const rows = values.rows === undefined ? undefined : Number(values.rows)
const all = [...dryRuns, ...imports, ...postgres, studio, ...others]
const chosen = values.only.length === 0 ? all : all.filter(({ name }) => values.only.includes(name))
const unknown = values.only.filter((name) => !all.some((one) => one.name === name))
if (unknown.length > 0 || [rounds, rows ?? 1].some((one) => !Number.isInteger(one) || one < 1)) {
  throw new Error(`--only takes ${all.map(({ name }) => name).join(", ")}, --rounds and --rows a number`)
}

/** Waits until earlier writes are on disk, so that no measured process waits for them. */
const settle = () => void spawnSync("sync")

/** Runs a target and its companion in turn, so that other work on the machine affects both equally. */
const measureAll = async (target: Target, root: string): Promise<Result> => {
  mkdirSync(root, { recursive: true })
  const { beside, close, ours } = await target.open(root, rows)
  const [oursRounds, besideRounds]: [Array<Measured>, Array<Measured>] = [[], []]
  try {
    for (let round = 0; round < rounds; round++) {
      settle()
      besideRounds.push(await beside())
      settle()
      oursRounds.push(await ours())
    }
  } finally {
    close?.()
    rmSync(root, { recursive: true })
  }
  return resultOf(target, oursRounds, besideRounds)
}

const root = mkdtempSync(join(tmpdir(), "formferry-bench-"))
const results: Array<Result> = []
const failures: Array<string> = []
try {
  for (const target of chosen) {
    process.stderr.write(`${target.title} …\n`)
    try {
      results.push(await measureAll(target, join(root, target.name)))
    } catch (error) {
      failures.push(`${target.name}: ${error instanceof Error ? error.message : String(error)}`)
    }
  }
} finally {
  rmSync(root, { recursive: true })
}
process.stdout.write(table(results))
for (const failure of failures) process.stdout.write(`${failure}\n`)
if (failures.length > 0 || results.some((one) => !one.met)) process.exitCode = 1
const machine = { node: process.version, processors: cpus().length, processor: cpus()[0]?.model }
writeFileSync("bench.json", `${JSON.stringify({ machine, rounds, seed, results, failures }, undefined, 2)}\n`)
