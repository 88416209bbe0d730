import { NodeContext } from "@effect/platform-node"
import { expect, layer } from "@effect/vitest"
import { Effect } from "effect"
import { isLong } from "../../long.ts"
import { wrongTruths } from "./check.ts"
import { drawPair } from "./drawPair.ts"
import { measure, readable, score } from "./measure.ts"
import { fileOf } from "./sheet.ts"
import { topicsOf } from "./topics.ts"

/** Five pairs of each tool. */
const seeds = Array.from({ length: 60 }, (_, at) => 1001 + at)

/**
 * Today's figures, rounded down, for pairs with decoys (the floors of pairs without decoys don't apply). `texts` is the recall for texts of
 * options of accepted questions, so it can fall when more questions are accepted. If suggestions improve, raise these figures. Never lower them.
 */
const floors: Readonly<
  Record<
    "known" | "unseen",
    { readonly precision: number; readonly recall: number; readonly texts: number }
  >
> = {
  known: { precision: 0.99, recall: 0.965, texts: 0.72 },
  unseen: { precision: 0.99, recall: 0.946, texts: 0.66 },
}

layer(NodeContext.layer)("Suggestions for generated pairs", (it) => {
  for (const half of ["known", "unseen"] as const) {
    it.effect.runIf(isLong)(`are still as precise and as complete for ${half} topics`, () =>
      Effect.gen(function*() {
        const { questions, recognised, texts } = yield* measure(half, seeds)
        const all = score(questions)
        const options = score(readable(texts))
        yield* Effect.sync(() =>
          process.stdout.write(
            `${half}, seeds ${seeds[0]} to ${seeds.at(-1)}: precision ${all.precision.toFixed(3)}, recall ${
              all.recall.toFixed(3)
            }; of option texts precision ${options.precision.toFixed(3)}, recall ${options.recall.toFixed(3)}\n`,
          )
        )
        expect(recognised).toBe(seeds.length)
        expect(all.precision).toBeGreaterThanOrEqual(floors[half].precision)
        expect(all.recall).toBeGreaterThanOrEqual(floors[half].recall)
        expect(options.precision).toBeGreaterThanOrEqual(0.97)
        expect(options.recall).toBeGreaterThanOrEqual(floors[half].texts)
      }))
  }

  it("are the same for the same seed", () => {
    const topics = topicsOf("known")
    for (const seed of seeds.slice(0, 12)) {
      const [one, again] = [drawPair(seed, topics), drawPair(seed, topics)]
      expect(again.form).toEqual(one.form)
      expect(again.sheet.columns).toEqual(one.sheet.columns)
      expect(again.asked).toEqual(one.asked)
    }
  })

  it("are judged against expected answers that the file's own cells confirm", () => {
    const topics = topicsOf("known")
    for (const seed of seeds.slice(0, 24)) {
      const pair = drawPair(seed, topics)
      expect(wrongTruths(pair)).toEqual([])
      const answered = pair.asked.filter(({ origins }) => origins.length > 0)
      const ofTheNext = answered.map((asked, at) => ({
        ...asked,
        origins: answered[(at + 1) % answered.length]?.origins ?? [],
      }))
      expect(wrongTruths({ ...pair, asked: ofTheNext }).length).toBeGreaterThanOrEqual(answered.length)
      const columns = pair.sheet.columns.map((column) => ({ ...column, cells: column.cells.toReversed() }))
      const reversed = wrongTruths({ ...pair, file: fileOf({ ...pair.sheet, columns }) })
      expect(reversed.length).toBeGreaterThanOrEqual(answered.length * 0.8)
    }
  })
})
