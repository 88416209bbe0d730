// Tests the rules of every source, whatever its format. The suite runs for each format.
import { Effect, Either, Fiber, Stream } from "effect"
import fc from "fast-check"
import { createHash } from "node:crypto"
import { appendFileSync, readFileSync, truncateSync, utimesSync, writeFileSync } from "node:fs"
import { describe, expect, it } from "vitest"
import type { SourceConfig } from "../../src/project/Pipeline.ts"
import { openSource } from "../../src/source/openSource.ts"
import { isLong, seeds } from "../long.ts"
import { config, file, open, read, readAll, run, texts } from "./opening.ts"

/** Writes a table of texts as a file that a source can read. */
export interface Container {
  readonly extension: string
  readonly said?: Partial<SourceConfig>
  readonly write: (table: ReadonlyArray<ReadonlyArray<string>>) => Uint8Array
  /** Pieces of text that the format itself does not preserve. For example, XML turns CRLF into LF. */
  readonly loses?: ReadonlyArray<string>
  /** Whether rows are returned before the whole file is read. */
  readonly streamed: boolean
  /** Whether a block may contain more rows than its size suggests. */
  readonly packed?: boolean
  /** Titles to use if the format does not allow arbitrary titles. */
  readonly header?: ReadonlyArray<string>
}

const anyHeader = ["id", "  Full   name", "__proto__", "", "id"]

/** Text that formats often get wrong: quotes, delimiters, line ends, umlauts, and characters of smaller encodings. */
const pieces = ["a", "b", "1", ",", ";", "|", '"', '""', "ä", "ß", "é", "'", "=", ".", " ", "\t", "\n", "\r\n"]

const tables = (loses: ReadonlyArray<string>) => {
  const cell = fc.stringOf(fc.constantFrom(...pieces.filter((piece) => !loses.includes(piece))), { maxLength: 8 })
  return fc.array(fc.tuple(fc.constantFrom("k1", "k2", "ä3"), cell, cell, cell, cell), { minLength: 1, maxLength: 12 })
}

const rowsOf = (count: number) =>
  Array.from({ length: count }, (_, at) => [`k${at}`, `Ada ${at}, "née"\nB`, "é".repeat(at % 7), "", "x"])

export const conforms = (name: string, container: Container): void => {
  const header = container.header ?? anyHeader
  const write = (rows: ReadonlyArray<ReadonlyArray<string>>) =>
    file(container.write([header, ...rows]), container.extension)
  const source = (path: string) => config(path, container.said)

  // A workbook is read into memory first. Block boundaries matter less, and testing them costs more.
  const blockUnit = container.streamed ? 1 : 997
  const step = container.streamed && !isLong ? 5 : blockUnit
  const firstSize = container.streamed || (container.packed === true && isLong) ? 1 : isLong ? 7 : 97
  const lastSize = container.streamed ? 32 : 2000
  const many = container.streamed ? 1000 : 300

  describe(`a source in the format ${name}`, () => {
    it("a source returns every row as written, wherever blocks end", () =>
      fc.assert(
        fc.asyncProperty(
          tables(container.loses ?? []),
          fc.integer({ min: 1, max: 40 }).map((size) => size * blockUnit),
          async (rows, blockSize) => {
            const all = await run(read(source(write(rows)), { blockSize }))
            expect(texts(all.rows, header.length)).toEqual(rows)
            expect(all.faults.size).toBe(0)
          },
        ),
        { seed: 20_240_601, numRuns: container.streamed ? seeds(2, 8) : seeds(1, 3) },
      ))

    it(`a source never cuts a row if blocks have ${firstSize} to ${lastSize} bytes, in steps of ${step}`, async () => {
      const rows = rowsOf(9)
      const path = write(rows)
      for (let blockSize = firstSize; blockSize <= lastSize; blockSize += step) {
        expect(texts((await run(read(source(path), { blockSize }))).rows, header.length)).toEqual(rows)
      }
    })

    it("a source names columns by unique titles with white space collapsed, and other columns only by position", async () => {
      const { source: opened } = await run(read(source(write(rowsOf(1)))))
      const names = header.map((title) => title.trim().replaceAll(/\s+/g, " "))
      expect(opened.columns.map((column) => column.name)).toEqual(
        names.map((name) => name === "" || names.filter((other) => other === name).length > 1 ? undefined : name),
      )
      expect(opened.columns.map((column) => column.position)).toEqual([0, 1, 2, 3, 4])
      expect(opened.columns.map((column) => column.title)).toEqual(header)
    })

    it("a source has no rows if the file has only a header", async () => {
      const all = await run(read(source(write([]))))
      expect(all.rows).toEqual([])
      expect(all.files[0]?.file.rows).toBe(0)
    })

    it("a source reports how it was read, with the file's own digest", async () => {
      const path = write(rowsOf(500))
      const all = await run(read(source(path), { blockSize: 1000 }))
      const bytes = readFileSync(path)
      expect(all.files).toHaveLength(1)
      expect(all.files[0]?.file).toMatchObject({
        file: path,
        format: all.source.format,
        bytes: bytes.length,
        sha256: createHash("sha256").update(bytes).digest("hex"),
        rows: 500,
      })
      expect(all.files[0]?.fingerprint.blocks.length).toBe(32 * Math.ceil(bytes.length / 1000))
    })

    it("a source reads the same rows a second time, with the first reading's fingerprint", async () => {
      const path = write(rowsOf(many))
      await run(Effect.gen(function*() {
        const opened = yield* openSource(source(path), { blockSize: 4096 })
        const first = yield* readAll(opened)
        const fingerprints = (yield* opened.files).map((each) => each.fingerprint)
        // A different time alone does not make it a different file.
        utimesSync(path, 1, 1)
        const second = yield* readAll(opened, fingerprints)
        expect(second).toEqual(first)
        expect(second.rows).toHaveLength(many)
        expect((yield* opened.files).map((each) => each.fingerprint)).toEqual(fingerprints)
      }))
    })

    it("a second reading is refused at the first block that differs, before any row of the block is returned", async () => {
      const path = write(rowsOf(400))
      const bytes = readFileSync(path)
      const blockSize = 512
      await run(Effect.gen(function*() {
        const opened = yield* openSource(source(path), { blockSize })
        const first = yield* readAll(opened)
        const fingerprints = (yield* opened.files).map((each) => each.fingerprint)
        for (const share of [0, 0.25, 0.5, 0.75, 0.999]) {
          const at = Math.floor(bytes.length * share)
          const changed = Buffer.from(bytes)
          changed[at]! ^= 1
          writeFileSync(path, changed)
          const given: Array<ReadonlyArray<unknown>> = []
          const result = yield* Effect.either(
            Stream.runForEach(opened.read(fingerprints), (chunk) => Effect.sync(() => void given.push(...chunk.rows))),
          )
          expect(Either.isLeft(result) && result.left._tag).toBe("SourceChanged")
          expect(given).toEqual(first.rows.slice(0, given.length))
          // Each row needs at least 8 bytes, and none of the changed block was returned.
          if (container.packed !== true) {
            expect(given.length).toBeLessThanOrEqual(
              container.streamed ? Math.floor(at / blockSize) * blockSize / 8 : 0,
            )
          }
        }
      }))
    })

    it("a second reading is refused if the file grew or shrank", async () => {
      const path = write(rowsOf(300))
      const bytes = readFileSync(path)
      await run(Effect.gen(function*() {
        const opened = yield* openSource(source(path), { blockSize: 256 })
        yield* readAll(opened)
        const fingerprints = (yield* opened.files).map((each) => each.fingerprint)
        for (
          const change of [
            () => appendFileSync(path, bytes.subarray(0, 300)),
            () => truncateSync(path, bytes.length - 1),
          ]
        ) {
          writeFileSync(path, bytes)
          change()
          const result = yield* Effect.either(readAll(opened, fingerprints))
          expect(Either.isLeft(result) && result.left._tag).toBe("SourceChanged")
        }
      }))
    })

    it("a first reading is refused if the file changed after it was opened", async () => {
      const path = write(rowsOf(300))
      await run(Effect.gen(function*() {
        const opened = yield* openSource(source(path), { blockSize: 256 })
        appendFileSync(path, "more")
        const result = yield* Effect.either(readAll(opened))
        expect(Either.isLeft(result) && result.left._tag).toBe("SourceChanged")
      }))
    })

    it("a source closes the file at its end, after a partial reading, on failure and on interruption", async () => {
      const path = write(rowsOf(container.streamed ? 1500 : 300))
      await run(Effect.gen(function*() {
        const opened = yield* openSource(source(path), { blockSize: 4096 })
        expect(open.files).toBe(0)
        yield* readAll(opened)
        expect(open.files).toBe(0)
        const few = yield* Stream.runCollect(Stream.take(opened.read(), 1))
        expect(few.length).toBe(1)
        expect(open.files).toBe(0)
        yield* Effect.either(Stream.runForEach(opened.read(), () => Effect.fail("enough")))
        expect(open.files).toBe(0)
        const reading = yield* Effect.fork(Stream.runForEach(opened.read(), () => Effect.never))
        yield* Effect.sleep("20 millis")
        yield* Fiber.interrupt(reading)
        expect(open.files).toBe(0)
      }))
    })
  })
}
