import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { moveLedger } from "../../src/ledger/move.ts"
import { contentOf, fill, project } from "../ledger/moving.ts"
import { withoutPostgres } from "../ledger/postgres/server.ts"
import { isLong } from "../long.ts"
import { memoryInUse } from "../memoryInUse.ts"

describe.skipIf(withoutPostgres || !isLong)("a ledger with 40,000 rows that is moved", () => {
  it.scopedLive("needs little memory, in both directions", () =>
    Effect.gen(function*() {
      const here = yield* project
      const [first, second, third] = [here.inFile("first"), here.inPostgres(), here.inFile("third")]
      yield* fill(here, first, 1, 40_000)
      for (const [from, to] of [[first, second], [second, third]] as const) {
        const used: Array<number> = []
        let shown = 0
        const measure = () => {
          if (++shown % 25 === 0) used.push(memoryInUse())
        }
        yield* moveLedger(from, to, () => Effect.sync(measure))
        expect(used.length).toBeGreaterThan(5)
        expect(Math.max(...used) - Math.min(...used)).toBeLessThan(20_000_000)
      }
      yield* fill(here, third, 1_000_001)
      const { findings, rows } = yield* contentOf(here, third)
      expect([rows.length, findings]).toEqual([40_030, []])
    }))
})
