import { describe, expect, it } from "@effect/vitest"
import { Effect, Schedule } from "effect"
import { createHash, randomBytes } from "node:crypto"
import { createReadStream, mkdirSync, writeFileSync } from "node:fs"
import { appendFile } from "node:fs/promises"
import { join } from "node:path"
import { pipeline } from "node:stream/promises"
import { openLedger } from "../../../src/ledger/openLedger.ts"
import { openReports } from "../../../src/ledger/postgres/reports.ts"
import { isLong } from "../../long.ts"
import { folder as newFolder } from "../rows.ts"
import { newSchema, urlOf } from "./connecting.ts"
import { withoutPostgres } from "./server.ts"

const digestOf = (file: string) =>
  Effect.promise(async () => {
    const hash = createHash("sha256")
    await pipeline(createReadStream(file), hash)
    return hash.digest("hex")
  })

/** Returns how many bytes more the process needs at most while it does something. */
const peakOf = <A, E, R>(work: Effect.Effect<A, E, R>) =>
  Effect.gen(function*() {
    const before = process.memoryUsage.rss()
    let peak = before
    const look = Effect.sync(() => {
      peak = Math.max(peak, process.memoryUsage.rss())
    })
    yield* Effect.race(work, Effect.zipRight(Effect.repeat(look, Schedule.spaced("20 millis")), Effect.never))
    return peak - before
  })

describe.skipIf(withoutPostgres)("stored reports", () => {
  it.scopedLive.runIf(isLong)(
    "contain a file of 100 MB without needing the memory for it",
    () =>
      Effect.gen(function*() {
        const folder = yield* newFolder
        const options = {
          url: yield* urlOf(),
          project: "tests",
          schema: newSchema(),
          key: "0123456789abcdef".repeat(4),
          marks: { ledger: "tests", folders: [join(folder, "marks")], write: true },
        }
        expect(yield* openReports(options)).toBe(undefined)
        yield* openLedger(options)
        const stored = yield* openReports(options)
        if (stored === undefined) throw new Error("There is a ledger, but no reports.")
        mkdirSync(join(folder, "run"))
        const [file, read] = [join(folder, "run", "imported.csv"), join(folder, "read.csv")]
        writeFileSync(file, "")
        for (let nth = 0; nth < 100; nth++) yield* Effect.promise(() => appendFile(file, randomBytes(1_000_000)))
        const of = { pipeline: "contacts", run: "r1" }
        const storing = yield* peakOf(stored.store(of, join(folder, "run")))
        const [listed] = yield* stored.files(of)
        if (listed === undefined) throw new Error("No file is stored.")
        expect(listed.pieces).toBeGreaterThan(300)
        const reading = yield* peakOf(stored.read(of, listed, read))
        expect(yield* digestOf(read)).toBe(yield* digestOf(file))
        expect(Math.max(storing, reading)).toBeLessThan(60_000_000)
      }),
    120_000,
  )
})
