import { parseArgs } from "node:util"
import { withTemporaryFolder } from "../temporaryFolder.ts"
import { figures } from "./figures.ts"
import { pipeline } from "./pipeline.ts"
import { simulate, type Simulated } from "./simulate.ts"

const tell = (line: string) => void process.stderr.write(`${line}\n`)

/**
 * Runs `npm run simulate -- --seeds N [--from N]`, or `--seed N` to repeat one seed. Exits with code 1 if a promise was
 * broken.
 */
export const main = (args: ReadonlyArray<string>): Promise<number> => withTemporaryFolder(() => simulateSeeds(args))

const simulateSeeds = async (args: ReadonlyArray<string>): Promise<number> => {
  const { values } = parseArgs({
    args: [...args],
    options: { seeds: { type: "string" }, from: { type: "string" }, seed: { type: "string" } },
  })
  const from = Number(values.seed ?? values.from ?? 1)
  const count = values.seed === undefined ? Number(values.seeds ?? 200) : 1
  const began = performance.now()
  const seeds: Array<Simulated> = []
  for (let seed = from; seed < from + count; seed++) {
    seeds.push(await simulate(seed, pipeline, {}, values.seed === undefined ? undefined : tell))
    if (seeds.length % 100 === 0) process.stderr.write(`${seeds.length} of ${count} seeds\n`)
  }
  process.stdout.write(`${figures(seeds, (performance.now() - began) / 1000)}\n`)
  return seeds.some(({ violations }) => violations.length > 0) ? 1 : 0
}
