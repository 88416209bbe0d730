import { FileSystem } from "@effect/platform"
import { NodeContext } from "@effect/platform-node"
import { Effect, Either } from "effect"
import { parseArgs } from "node:util"
import type { SourceConfig } from "../../../src/project/Pipeline.ts"
import { openSource } from "../../../src/source/openSource.ts"
import { config, readAll } from "../opening.ts"
import { drawText } from "./drawText.ts"
import { judge } from "./judge.ts"
import { throughRun } from "./throughRun.ts"

/** Every text whose seed is a multiple of this number also goes through a whole run. */
const throughRunEvery = 50

const tried = (source: SourceConfig) => Effect.scoped(Effect.flatMap(openSource(source), readAll)).pipe(Effect.either)

/**
 * Runs `npm run fuzz-text -- --seeds N [--from N]`, or `--seed N` (any number of times) to repeat some seeds. Exits
 * with code 1 if a promise was broken.
 */
export const main = (args: ReadonlyArray<string>): Promise<number> => {
  const { values } = parseArgs({
    args: [...args],
    options: { seeds: { type: "string" }, from: { type: "string" }, seed: { type: "string", multiple: true } },
  })
  const from = Number(values.from ?? 1)
  const seeds = values.seed?.map(Number) ?? Array.from({ length: Number(values.seeds ?? 500) }, (_, at) => from + at)
  const figures = new Map<string, number>()
  const add = (what: string, times = 1) => figures.set(what, (figures.get(what) ?? 0) + times)
  return Effect.gen(function*() {
    const fs = yield* FileSystem.FileSystem
    const path = `${yield* fs.makeTempDirectoryScoped({ prefix: "formferry-drawn-" })}/drawn.csv`
    let broken = 0
    const tell = (seed: number, violations: ReadonlyArray<string>) => {
      if (violations.length === 0) return
      broken++
      process.stdout.write(`seed ${seed} is broken: npm run fuzz-text -- --seed ${seed}\n`)
      for (const one of violations.slice(0, 5)) process.stdout.write(`  ${one.slice(0, 300)}\n`)
    }
    for (const [at, seed] of seeds.entries()) {
      const drawn = drawText(seed)
      yield* fs.writeFile(path, drawn.bytes)
      const result = yield* tried(config(path, drawn.config))
      const { outcome, violations } = judge(drawn, Either.isLeft(result) ? result.left.message : result.right)
      add(`texts ${outcome}`)
      add("records", drawn.records.length)
      if (drawn.wellFormed) add(`well-formed texts ${drawn.doubtful ? "that fit both readings " : ""}${outcome}`)
      for (const what of drawn.met) add(`  ${what}`)
      tell(seed, violations)
      if (seed % throughRunEvery === 0 || values.seed !== undefined) {
        const run = yield* throughRun(seed)
        add(`whole runs with exit code ${run.exitCode}`)
        if (run.fedBack) add("rejected.csv imported unchanged")
        tell(seed, run.violations)
      }
      if ((at + 1) % 500 === 0) process.stderr.write(`${at + 1} of ${seeds.length} seeds\n`)
    }
    for (const [what, times] of [...figures].toSorted(([a], [b]) => (a < b ? -1 : 1))) {
      process.stdout.write(`${what.padEnd(40)} ${String(times).padStart(9)}\n`)
    }
    process.stdout.write(`broken seeds: ${broken}\n`)
    return broken > 0 ? 1 : 0
  }).pipe(Effect.scoped, Effect.provide(NodeContext.layer), Effect.runPromise)
}
