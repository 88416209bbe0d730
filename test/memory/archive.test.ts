import { Effect, Either } from "effect"
import { gzipSync } from "node:zlib"
import { expect, it } from "vitest"
import { eachChunk } from "../../src/source/chunks.ts"
import { openSource } from "../../src/source/openSource.ts"
import { isLong } from "../long.ts"
import { config, file, run } from "../source/opening.ts"

it.runIf(isLong)(
  "an archive that unpacks to far more than any ordinary file is refused in bounded memory",
  async () => {
    const path = file(gzipSync(Buffer.alloc(400 * 1024 * 1024, `${"x".repeat(500)},${"y".repeat(500)}\n`)), "csv.gz")
    const before = process.memoryUsage().rss
    let most = 0
    const result = await run(Effect.gen(function*() {
      const source = yield* openSource(config(path))
      return yield* Effect.either(
        eachChunk(
          source.read(),
          () => Effect.sync(() => void (most = Math.max(most, process.memoryUsage().rss - before))),
        ),
      )
    }))
    expect(Either.isLeft(result) && result.left.message).toContain(
      "unpacks to far more bytes than any ordinary file of its size",
    )
    expect(most).toBeLessThan(200 * 1024 * 1024)
  },
)
