import { parseArgs } from "node:util"
import { withTemporaryFolder } from "../temporaryFolder.ts"
import { firstSeed, happens, play } from "./play.ts"

/**
 * Runs `npm run histories -- --seeds 500 [--from N]`, or `--seed N` to repeat one history. Exits with code 1 if a
 * promise was broken, or if an event never happened in many seeds. `.ci/run` runs 25 seeds.
 */
export const main = (args: ReadonlyArray<string>): Promise<number> => withTemporaryFolder(() => histories(args))

const histories = async (args: ReadonlyArray<string>): Promise<number> => {
  const { values } = parseArgs({
    args: [...args],
    options: { seeds: { type: "string" }, from: { type: "string" }, seed: { type: "string" } },
  })
  const from = Number(values.seed ?? values.from ?? firstSeed)
  const count = values.seed === undefined ? Number(values.seeds ?? 500) : 1
  const began = performance.now()
  const met = new Map<string, number>()
  let broken = 0
  for (let seed = from; seed < from + count; seed++) {
    const played = await play(seed)
    for (const [what, times] of played.met) met.set(what, (met.get(what) ?? 0) + times)
    if (values.seed !== undefined || played.broken.length > 0) process.stderr.write(`${played.lines.join("\n")}\n`)
    for (const what of played.broken) process.stderr.write(`seed ${seed}: ${what}\n`)
    if (played.broken.length > 0) broken++
    if (values.seed === undefined && (seed - from + 1) % 50 === 0) {
      process.stderr.write(`${seed - from + 1} of ${count} seeds\n`)
    }
  }
  for (const [what, times] of [...met].toSorted(([a], [b]) => a < b ? -1 : 1)) {
    process.stdout.write(`${what.padEnd(45)}${String(times).padStart(6)}\n`)
  }
  const expected = [...count < 25 ? [] : happens.inFew, ...count < 400 ? [] : happens.inMany]
  const lacking = expected.filter((what) => !met.has(what))
  if (lacking.length > 0) process.stderr.write(`These never happened: ${lacking.join(", ")}.\n`)
  const seconds = ((performance.now() - began) / 1_000).toFixed(0)
  process.stdout.write(`histories: ${count}, broken: ${broken} (${seconds} s)\n`)
  return broken + lacking.length === 0 ? 0 : 1
}
