import { FileSystem } from "@effect/platform"
import { Effect, Option, Stream } from "effect"
import type { Scope } from "effect"
import { failing, ReportError } from "./partFiles.ts"

/** Records that are added in any order and any number, and read in the order of their rows. */
export interface Spool<A> {
  readonly add: (records: ReadonlyArray<A>) => Effect.Effect<void, ReportError>
  /** The records so far by row, those of one row in the order in which they were added. More may be added during and after. */
  readonly sorted: Stream.Stream<ReadonlyArray<A>, ReportError>
}

interface Numbered {
  readonly row: number
}

/** Bytes of the file, the end excluded: lines of JSON, which keeps lone surrogates and line breaks inside a record. */
interface Segment {
  readonly start: number
  readonly end: number
}

/** Rows of a bucket: their records are read, and sorted, together. */
const bucketRows = 256

/** Characters of encoded records that are held in memory before they are written. */
const bufferLimit = 2 * 1024 * 1024

/** Bytes of buckets that follow each other and are read together. */
const pageBytes = 1024 * 1024

/**
 * Opens a spool in a file of its own, readable by its owner only. Removes the file's name at once, so that not even a killed process leaves its rows behind;
 * if a system does not allow that, the file is removed with the scope. Memory is bounded: of what was written only the places of each bucket of rows are
 * kept, and a page of buckets is read and sorted at a time.
 */
export const openSpool = <A extends Numbered>(
  file: string,
  limit = bufferLimit,
): Effect.Effect<Spool<A>, ReportError, Scope.Scope | FileSystem.FileSystem> =>
  Effect.gen(function*() {
    const fs = yield* FileSystem.FileSystem
    const failed = failing(file)
    yield* Effect.addFinalizer(() => Effect.ignore(fs.remove(file, { force: true })))
    const writer = yield* fs.open(file, { flag: "wx", mode: 0o600 }).pipe(failed)
    const reader = yield* fs.open(file, { flag: "r" }).pipe(failed)
    yield* Effect.ignore(fs.remove(file))

    const buckets = new Map<number, Array<Segment>>()
    let buffer: Array<{ readonly bucket: number; readonly line: string }> = []
    let buffered = 0
    let end = 0

    const flush = Effect.suspend(() => {
      const lines = buffer.toSorted((a, b) => a.bucket - b.bucket)
      buffer = []
      buffered = 0
      for (const { bucket, line } of lines) {
        const segments = buckets.get(bucket) ?? []
        buckets.set(bucket, segments)
        const start = segments.at(-1)?.end === end ? segments.pop()?.start ?? end : end
        end += Buffer.byteLength(line)
        segments.push({ start, end })
      }
      return lines.length === 0 ? Effect.void : writer.writeAll(Buffer.from(lines.map(({ line }) => line).join("")))
    }).pipe(failed)

    /** Returns the segments of each page, in the order in which they were written. */
    const pages = (): ReadonlyArray<ReadonlyArray<Segment>> => {
      const all: Array<Array<Segment>> = []
      let room = 0
      for (const [, segments] of [...buckets].toSorted(([a], [b]) => a - b)) {
        const bytes = segments.reduce((sum, segment) => sum + segment.end - segment.start, 0)
        if (bytes > room || all.length === 0) {
          all.push([])
          room = pageBytes
        }
        all.at(-1)?.push(...segments)
        room -= bytes
      }
      return all.map((page) => page.toSorted((a, b) => a.start - b.start))
    }

    // The handle has one position for all readers.
    const oneReader = yield* Effect.makeSemaphore(1)
    const read = ({ start, end }: Segment) =>
      oneReader.withPermits(1)(Effect.gen(function*() {
        const parts: Array<Uint8Array> = []
        yield* reader.seek(start, "start")
        for (let left = end - start; left > 0; left -= parts.at(-1)?.length ?? 0) {
          const bytes = yield* reader.readAlloc(left).pipe(failed)
          if (Option.isNone(bytes)) {
            return yield* new ReportError({ file, cause: "the spool is shorter than what was written" })
          }
          parts.push(bytes.value)
        }
        return Buffer.concat(parts).toString("utf8")
      }))
    const readPage = (segments: ReadonlyArray<Segment>) => {
      const joined: Array<Segment> = []
      for (const { start, end } of segments) {
        const before = joined.at(-1)
        if (before?.end === start) joined.splice(-1, 1, { start: before.start, end })
        else joined.push({ start, end })
      }
      return Effect.map(Effect.forEach(joined, read), (texts) =>
        texts.join("").split("\n").slice(0, -1).map((line): A =>
          JSON.parse(line)
        ).toSorted((a, b) => a.row - b.row))
    }

    const oneWriter = yield* Effect.makeSemaphore(1)
    return {
      add: (records) =>
        oneWriter.withPermits(1)(Effect.suspend(() => {
          for (const record of records) {
            const line = `${JSON.stringify(record)}\n`
            buffer.push({ bucket: Math.floor(record.row / bucketRows), line })
            buffered += line.length
          }
          return buffered >= limit ? flush : Effect.void
        })),
      sorted: Stream.unwrap(Effect.map(
        oneWriter.withPermits(1)(Effect.map(flush, pages)),
        (written) => Stream.mapEffect(Stream.fromIterable(written), readPage),
      )),
    }
  })
