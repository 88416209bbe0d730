import { Effect } from "effect"
import { expect, it } from "vitest"
import { eachChunk } from "../../../src/source/chunks.ts"
import { openSource } from "../../../src/source/openSource.ts"
import { config, file, run } from "../opening.ts"

it("JSON records are read in bounded memory", async () => {
  const one = JSON.stringify({ id: 1, answers: { email: "ada@example.org", note: "x".repeat(200) }, list: [1, 2, 3] })
  const path = file(`{"items":[${`${one},`.repeat(250_000)}${one}]}`, "json")
  globalThis.gc?.()
  const before = process.memoryUsage().rss
  let most = 0
  let count = 0
  await run(Effect.gen(function*() {
    const source = yield* openSource(config(path))
    yield* eachChunk(source.read(), (chunk) =>
      Effect.sync(() => {
        count += chunk.rows.length
        most = Math.max(most, process.memoryUsage().rss - before)
      }))
  }))
  expect(count).toBe(250_001)
  expect(most).toBeLessThan(150 * 1024 * 1024)
})
