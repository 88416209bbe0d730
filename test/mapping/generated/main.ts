import { NodeContext } from "@effect/platform-node"
import { Effect } from "effect"
import { parseArgs } from "node:util"
import { figuresOf, measure } from "./measure.ts"
import { halves } from "./topics.ts"

/**
 * Runs `npm run suggest-pairs -- --seeds N [--from N] [--topics known|unseen]`. For `known`, also lists wrong and open
 * suggestions.
 */
export const main = (args: ReadonlyArray<string>): Promise<number> => {
  const { values } = parseArgs({
    args: [...args],
    options: { seeds: { type: "string" }, from: { type: "string" }, topics: { type: "string" } },
  })
  const half = halves.find((one) => one === (values.topics ?? "known"))
  if (half === undefined) {
    process.stderr.write(`--topics is one of ${halves.join(", ")}\n`)
    return Promise.resolve(2)
  }
  const from = Number(values.from ?? 1)
  const seeds = Array.from({ length: Number(values.seeds ?? 50) }, (_, at) => from + at)
  return Effect.gen(function*() {
    const measured = yield* measure(half, seeds)
    process.stdout.write(
      `${half}, seeds ${from} to ${seeds.at(-1) ?? from}\n${figuresOf(measured, half === "known").join("\n")}\n`,
    )
    return 0
  }).pipe(Effect.provide(NodeContext.layer), Effect.runPromise)
}
