import * as FileSystem from "@effect/platform/FileSystem"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import { failing, ReportError } from "./partFiles.ts"

/** Records that are added in any order, and read in the order of their rows. */
export interface Spool<A> {
  readonly add: (records: ReadonlyArray<A>) => Effect.Effect<void, ReportError>
  /**
   * The records so far, sorted by row. Records of the same row are in the order in which they were added. More records
   * may be added during and after reading.
   */
  readonly sorted: Stream.Stream<ReadonlyArray<A>, ReportError>
}

interface Numbered {
  readonly row: number
}

/** A range of bytes in the file, end excluded. The range contains lines of JSON, which preserve lone surrogates and line breaks inside a record. */
interface Segment {
  readonly start: number
  readonly end: number
}

/** The number of characters of encoded records that are kept in memory before they are written. */
const bufferLimit = 2 * 1024 * 1024

/** The maximum number of bytes of records that are read together, unless a single record is longer. */
const pageBytes = 1024 * 1024

/**
 * Opens a spool in a separate file, readable only by its owner. Removes the file's name at once, so that even a killed process leaves no rows behind. If a system does not allow that, removes the file
 * when the scope closes. Memory use is small: 16 bytes for each written record, and one page of records at a time.
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

    /** The row of each record and the record's end in the file, in the order of writing. */
    const rows: Array<number> = []
    const ends: Array<number> = []
    let buffer: Array<{ readonly row: number; readonly line: string }> = []
    let buffered = 0

    const flush = Effect.suspend(() => {
      // The sort is stable: records of the same row stay in the order in which they were added. Adjacent records are read together.
      const records = buffer.toSorted((a, b) => a.row - b.row)
      buffer = []
      buffered = 0
      for (const { line, row } of records) {
        ends.push((ends.at(-1) ?? 0) + Buffer.byteLength(line))
        rows.push(row)
      }
      return records.length === 0 ? Effect.void : writer.writeAll(Buffer.from(records.map(({ line }) => line).join("")))
    }).pipe(failed)

    /** Returns the indexes of the records so far, sorted by row. */
    const order = (): Uint32Array =>
      Uint32Array.from(rows.keys()).sort((a, b) => (rows[a] ?? 0) - (rows[b] ?? 0) || a - b)

    /** Returns the segments of a page's records, and the position after the page. */
    const page = (records: Uint32Array, from: number): { readonly segments: Array<Segment>; readonly next: number } => {
      const segments: Array<Segment> = []
      let next = from
      for (let room = pageBytes; next < records.length; next++) {
        const record = records[next] ?? 0
        const start = ends[record - 1] ?? 0
        const end = ends[record] ?? start
        room -= end - start
        if (room < 0 && next > from) break
        if (segments.at(-1)?.end === start) segments.push({ start: segments.pop()?.start ?? start, end })
        else segments.push({ start, end })
      }
      return { segments, next }
    }

    // All readers share the position of the file handle.
    const oneReader = yield* Effect.makeSemaphore(1)
    const read = ({ start, end }: Segment) =>
      oneReader.withPermits(1)(Effect.gen(function*() {
        const parts: Array<Uint8Array> = []
        yield* reader.seek(start, "start")
        for (let left = end - start; left > 0; left -= parts.at(-1)?.length ?? 0) {
          const bytes = yield* reader.readAlloc(left).pipe(failed)
          if (Option.isNone(bytes)) {
            return yield* new ReportError({ file, cause: "the spool is shorter than the data written to it" })
          }
          parts.push(bytes.value)
        }
        return Buffer.concat(parts).toString("utf8")
      }))
    const readPages = (records: Uint32Array) =>
      Stream.unfoldEffect(0, (from) =>
        Effect.gen(function*() {
          if (from >= records.length) return Option.none()
          const { next, segments } = page(records, from)
          const texts = yield* Effect.forEach(segments, read)
          return Option.some([
            texts.flatMap((text) => text.split("\n").slice(0, -1)).map((line): A => JSON.parse(line)),
            next,
          ])
        }))

    const oneWriter = yield* Effect.makeSemaphore(1)
    return {
      add: (records) =>
        oneWriter.withPermits(1)(Effect.suspend(() => {
          for (const record of records) {
            const line = `${JSON.stringify(record)}\n`
            buffer.push({ row: record.row, line })
            buffered += line.length
          }
          return buffered >= limit ? flush : Effect.void
        })),
      sorted: Stream.unwrap(Effect.map(oneWriter.withPermits(1)(Effect.map(flush, order)), readPages)),
    }
  })
