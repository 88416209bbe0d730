import { Effect } from "effect"
import { expect, it } from "vitest"
import { eachChunk } from "../../src/source/chunks.ts"
import { openSource } from "../../src/source/openSource.ts"
import { isLong } from "../long.ts"
import { memoryInUse } from "../memoryInUse.ts"
import { config, file, run } from "../source/opening.ts"

it.runIf(isLong)("JSON records are read in bounded memory", async () => {
  const one = JSON.stringify({ id: 1, answers: { email: "ada@example.org", note: "x".repeat(200) }, list: [1, 2, 3] })
  const path = file(`{"items":[${`${one},`.repeat(250_000)}${one}]}`, "json")
  const before = memoryInUse()
  let most = 0
  let chunks = 0
  let count = 0
  await run(Effect.gen(function*() {
    const source = yield* openSource(config(path))
    yield* eachChunk(source.read(), (chunk) =>
      Effect.sync(() => {
        count += chunk.rows.length
        if (chunks++ % 50 === 0) most = Math.max(most, memoryInUse() - before)
      }))
  }))
  expect(count).toBe(250_001)
  expect(chunks).toBeGreaterThan(200)
  expect(most).toBeLessThan(40_000_000)
})
