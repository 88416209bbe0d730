import { Effect } from "effect"
import { expect } from "vitest"
import { Draws } from "../faults/Draws.ts"
import { seeds } from "../long.ts"
import { live, world } from "./world.ts"

const rowKeys = ["[No]", "[New]", "[Code]", "[No, Mail]", "[New, No]", "[Mail]", "[Name]"] as const

/**
 * Draws a source whose rows keep their cells, with columns that may be row keys. `New` has other numbers than `No` from a row on, which may be the
 * numbers of other rows. `Code` is filled in row by row. Some rows are absent at times.
 */
const drawSource = (draws: Draws) => {
  const count = draws.pick([3, 6, 20, 40])
  const [shift, from] = [draws.int(0, 2), draws.int(1, count)]
  const isCoded = Array.from({ length: count }, () => draws.chance(0.6))
  return {
    count,
    rows: (absent: number): ReadonlyArray<string> =>
      isCoded.flatMap((_, at) => {
        const number = at + 1
        isCoded[at] ||= draws.chance(0.3)
        const cells = [number, number < from ? number : number + shift, isCoded[at] ? `C-${number}` : ""]
        return draws.chance(absent) ? [] : [`${cells.join(",")},Person ${number},p${number}@example.org`]
      }),
  }
}

for (let seed = 10; seed < 10 + seeds(3, 40); seed++) {
  live(
    `every row is sent once, however the row key is edited (seed ${seed})`,
    Effect.gen(function*() {
      const draws = new Draws(seed)
      const at = yield* world
      const { count, rows } = drawSource(draws)
      const edits = Array.from({ length: 7 }, () => draws.pick(rowKeys))
      for (const rowKey of [...edits, "[Mail]"]) {
        yield* at.settings({ rowKey, source: draws.chance(0.3) ? ", vanished: ignore" : "" })
        const isLast = rowKey === "[Mail]"
        yield* at.source(rows(isLast ? 0 : draws.pick([0, 0, 0.1, 0.3])), "No,New,Code,Name,Mail")
        yield* at.run()
        expect(new Set(at.names()).size, edits.join()).toBe(at.names().length)
      }
      expect(at.names(), edits.join()).toHaveLength(count)
    }),
  )
}
