import { FileSystem } from "@effect/platform"
import { NodeContext } from "@effect/platform-node"
import { describe, it } from "@effect/vitest"
import { Chunk, Effect, Stream } from "effect"
import fc from "fast-check"
import { expect } from "vitest"
import { openSpool } from "../../src/report/spool.ts"

interface Entry {
  readonly row: number
  readonly text: string
}

const collect = <A, E>(stream: Stream.Stream<ReadonlyArray<A>, E>) =>
  Effect.map(Stream.runCollect(stream), (chunks) => Chunk.toReadonlyArray(chunks).flat())

const inFolder = <A, E, R>(use: (folder: string) => Effect.Effect<A, E, R>) =>
  Effect.gen(function*() {
    const fs = yield* FileSystem.FileSystem
    return yield* use(yield* fs.makeTempDirectoryScoped())
  }).pipe(Effect.scoped, Effect.provide(NodeContext.layer))

/** The expected order: by row, and by insertion for the same row. */
const ordered = (entries: ReadonlyArray<Entry>) => entries.toSorted((a, b) => a.row - b.row)

describe("a spool of records", () => {
  it.effect("a spool returns records by row and in the order added, for any buffer size", () =>
    inFolder((folder) =>
      Effect.promise(() =>
        fc.assert(
          fc.asyncProperty(
            fc.array(
              fc.array(fc.record({ row: fc.integer({ min: 1, max: 30 }), text: fc.string({ unit: "binary" }) }), {
                maxLength: 6,
              }),
              { maxLength: 12 },
            ),
            fc.constantFrom(1, 40, 200, 100_000),
            (batches, limit) =>
              Effect.gen(function*() {
                const spool = yield* openSpool<Entry>(`${folder}/spool`, limit)
                for (const batch of batches) yield* spool.add(batch)
                expect(yield* collect(spool.sorted)).toEqual(ordered(batches.flat()))
              }).pipe(Effect.scoped, Effect.provide(NodeContext.layer), Effect.runPromise),
          ),
          { seed: 7, numRuns: 60 },
        )
      )
    ))

  it.effect("a spool reads long records page by page", () =>
    inFolder((folder) =>
      Effect.gen(function*() {
        const spool = yield* openSpool<Entry>(`${folder}/spool`)
        const entries = Array.from({ length: 40 }, (_, index) => ({ row: 40 - index, text: "x".repeat(300_000) }))
        yield* spool.add(entries)
        const pages = Chunk.toReadonlyArray(yield* Stream.runCollect(spool.sorted))
        expect(pages.flat()).toEqual(ordered(entries))
        for (const page of pages) expect(page.length).toBeLessThanOrEqual(3)
      })
    ))

  it.effect("a spool returns records that are longer than its buffer", () =>
    inFolder((folder) =>
      Effect.gen(function*() {
        const spool = yield* openSpool<Entry>(`${folder}/spool`, 50_000)
        const entries = Array.from(
          { length: 40 },
          (_, index) => ({ row: 40 - index, text: "x" + "ß😀".repeat(index * 900) }),
        )
        for (const entry of entries) yield* spool.add([entry])
        expect(yield* collect(spool.sorted)).toEqual(ordered(entries))
      })
    ))

  it.effect("a spool can be read before and while more records are added", () =>
    inFolder((folder) =>
      Effect.gen(function*() {
        const spool = yield* openSpool<Entry>(`${folder}/spool`, 1000)
        const first = Array.from({ length: 3000 }, (_, row) => ({ row, text: "a" }))
        yield* spool.add(first)
        let seen = 0
        yield* Stream.runForEach(spool.sorted, (entries) => {
          seen += entries.length
          return spool.add([{ row: 5000 + seen, text: "late" }, { row: 7, text: "late" }])
        })
        expect(seen).toBe(3000)
        const all = yield* collect(spool.sorted)
        expect(all.filter(({ text }) => text === "a")).toHaveLength(3000)
        expect(all.filter(({ row }) => row === 7).map(({ text }) => text)[0]).toBe("a")
        expect(all.map(({ row }) => row)).toEqual(all.map(({ row }) => row).toSorted((a, b) => a - b))
      })
    ))

  it.effect("a spool's file has no name in its folder, even while it is open", () =>
    inFolder((folder) =>
      Effect.gen(function*() {
        const fs = yield* FileSystem.FileSystem
        const spool = yield* openSpool<Entry>(`${folder}/spool`, 1)
        yield* spool.add([{ row: 1, text: "secret" }])
        expect(yield* fs.readDirectory(folder)).toEqual([])
      })
    ))
})
