import { NodeContext } from "@effect/platform-node"
import { Effect } from "effect"
import { parseArgs } from "node:util"
import { figuresOf, measure } from "./measure.ts"
import { topicSets } from "./topics.ts"

/**
 * Runs `npm run suggest-pairs -- --seeds N [--from N] [--topics SET]`. For `known`, also lists wrong and open
 * suggestions.
 */
export const main = (args: ReadonlyArray<string>): Promise<number> => {
  const { values } = parseArgs({
    args: [...args],
    options: { seeds: { type: "string" }, from: { type: "string" }, topics: { type: "string" } },
  })
  const set = topicSets.find((one) => one === (values.topics ?? "known"))
  if (set === undefined) {
    process.stderr.write(`--topics is one of ${topicSets.join(", ")}\n`)
    return Promise.resolve(2)
  }
  const from = Number(values.from ?? 1)
  const seeds = Array.from({ length: Number(values.seeds ?? 50) }, (_, at) => from + at)
  return Effect.gen(function*() {
    const measured = yield* measure(set, seeds)
    process.stdout.write(
      `${set}, seeds ${from} to ${seeds.at(-1) ?? from}\n${figuresOf(measured, set === "known").join("\n")}\n`,
    )
    return 0
  }).pipe(Effect.provide(NodeContext.layer), Effect.runPromise)
}
