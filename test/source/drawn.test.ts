import { Effect, Either } from "effect"
import { expect, it } from "vitest"
import { seeds } from "../long.ts"
import { drawText } from "./drawn/drawText.ts"
import { judge } from "./drawn/judge.ts"
import { config, file, read, run } from "./opening.ts"

const count = seeds(30, 200)

it(`every record of ${count} random texts is read exactly or reported, unless reading stops and the lines are reported`, async () => {
  const outcomes = { exact: 0, named: 0, stopped: 0 }
  for (let seed = 1; seed <= count; seed++) {
    const drawn = drawText(seed)
    const result = await run(Effect.either(read(config(file(drawn.bytes), drawn.config))))
    const { outcome, violations } = judge(drawn, Either.isLeft(result) ? result.left.message : result.right)
    expect({ seed, violations }).toEqual({ seed, violations: [] })
    outcomes[outcome]++
  }
  expect(Math.min(...Object.values(outcomes))).toBeGreaterThan(count / 30)
})
