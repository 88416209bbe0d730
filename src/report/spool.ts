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

/** A sorted buffer in the file: a line of JSON for each record, which keeps lone surrogates and line breaks inside it. */
interface Segment {
  readonly offset: number
  readonly length: number
  /** Number of the buffer: of two records with one row, the one with the smaller number was added first. */
  readonly ordinal: number
}

/** Buffers in the file that follow each other in the order of their rows. */
interface SortedRun {
  readonly segments: Array<Segment>
  /** Row of its last record. */
  last: number
}

interface Numbered {
  readonly row: number
}

/** Characters of encoded records that are held in memory before they are sorted and written. */
const bufferLimit = 2 * 1024 * 1024

/** Bytes of a run that are read at once: with many runs, this times their number is held in memory. */
const blockSize = 32 * 1024

/** Records of a page. */
const pageSize = 1000

/**
 * Opens a spool in a file of its own, readable by its owner only. Removes the file's name at once, so that not even a killed process leaves its rows behind;
 * if a system does not allow that, the file is removed with the scope. Memory is bounded: records are sorted in buffers of `limit` characters, each
 * appended to a sorted run of earlier buffers if it fits (rows that are added in order make a single run), and the runs are merged at the end.
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

    const runs: Array<SortedRun> = []
    let buffer: Array<{ readonly row: number; readonly line: string }> = []
    let buffered = 0
    let ordinal = 0
    let end = 0

    const flush = Effect.suspend(() => {
      // Stable: equal rows stay in the order in which they were added.
      buffer.sort((a, b) => a.row - b.row)
      const [first, last] = [buffer[0]?.row, buffer.at(-1)?.row]
      if (first === undefined || last === undefined) return Effect.void
      const bytes = new TextEncoder().encode(buffer.map(({ line }) => line + "\n").join(""))
      const segment = { offset: end, length: bytes.length, ordinal: ordinal++ }
      buffer = []
      buffered = 0
      end += bytes.length
      const run = runThatEndsBefore(runs, first)
      if (run === undefined) runs.push({ segments: [segment], last })
      else {
        run.segments.push(segment)
        run.last = last
      }
      return writer.writeAll(bytes).pipe(failed)
    })

    // The handle has one position for all readers.
    const oneReader = yield* Effect.makeSemaphore(1)
    const read = (offset: number, length: number) =>
      oneReader.withPermits(1)(
        reader.seek(offset, "start").pipe(
          Effect.zipRight(reader.readAlloc(length)),
          failed,
          Effect.flatMap(Option.match({
            onNone: () => new ReportError({ file, cause: "the spool is shorter than what was written" }),
            onSome: Effect.succeed,
          })),
        ),
      )

    const oneWriter = yield* Effect.makeSemaphore(1)
    return {
      add: (records) =>
        oneWriter.withPermits(1)(Effect.suspend(() => {
          for (const record of records) {
            const line = JSON.stringify(record)
            buffer.push({ row: record.row, line })
            buffered += line.length
          }
          return buffered >= limit ? flush : Effect.void
        })),
      sorted: Stream.unwrap(Effect.map(
        oneWriter.withPermits(1)(Effect.map(flush, () => runs.map(({ segments }) => segments.slice()))),
        (written) => merged(written, read),
      )),
    }
  })

/** The run that ends closest before this row: the buffer is appended there, so that there are few runs to merge. */
const runThatEndsBefore = (runs: ReadonlyArray<SortedRun>, row: number): SortedRun | undefined => {
  let best: SortedRun | undefined
  for (const run of runs) if (run.last <= row && (best === undefined || run.last > best.last)) best = run
  return best
}

/** One run while it is merged: decoded records at hand, and where to continue reading. */
class RunReader<A extends Numbered> {
  readonly #segments: ReadonlyArray<Segment>
  #segment = 0
  #position = 0
  #partial: Uint8Array = new Uint8Array(0)
  #records: ReadonlyArray<A> = []
  #next = 0
  #ordinal = 0

  constructor(segments: ReadonlyArray<Segment>) {
    this.#segments = segments
  }

  get head(): A | undefined {
    return this.#records[this.#next]
  }

  skip(): void {
    this.#next++
  }

  isBefore(other: RunReader<A>): boolean {
    const left = this.head?.row ?? Infinity
    const right = other.head?.row ?? Infinity
    return left < right || (left === right && this.#ordinal < other.#ordinal)
  }

  /** The next bytes to read; undefined at the run's end. */
  get wanted(): { readonly offset: number; readonly length: number } | undefined {
    const segment = this.#segments[this.#segment]
    return segment === undefined ? undefined : {
      offset: segment.offset + this.#position,
      length: Math.min(blockSize, segment.length - this.#position),
    }
  }

  /** Parses the next bytes. A record that the block's end cuts is kept for the next block. */
  take(bytes: Uint8Array): void {
    const segment = this.#segments[this.#segment]
    if (segment === undefined) return
    this.#ordinal = segment.ordinal
    const all = this.#partial.length === 0 ? bytes : Buffer.concat([this.#partial, bytes])
    const complete = all.lastIndexOf(0x0A) + 1
    const lines = Buffer.from(all.buffer, all.byteOffset, complete).toString("utf8").split("\n")
    this.#records = lines.slice(0, -1).map((line) => JSON.parse(line) as A)
    this.#next = 0
    this.#partial = all.subarray(complete)
    this.#position += bytes.length
    if (this.#position >= segment.length) {
      this.#segment++
      this.#position = 0
    }
  }
}

/** Merges runs into one stream of pages. Effects are per block that is read, never per record. */
const merged = <A extends Numbered>(
  runs: ReadonlyArray<ReadonlyArray<Segment>>,
  read: (offset: number, length: number) => Effect.Effect<Uint8Array, ReportError>,
): Stream.Stream<ReadonlyArray<A>, ReportError> =>
  Stream.suspend(() => {
    let readers = runs.map((run) => new RunReader<A>(run))

    const fill = (reader: RunReader<A>) =>
      Effect.gen(function*() {
        for (let next = reader.wanted; reader.head === undefined && next !== undefined; next = reader.wanted) {
          reader.take(yield* read(next.offset, next.length))
        }
      })

    /** Returns the first records until a reader has none buffered. */
    const page = (): ReadonlyArray<A> => {
      const out: Array<A> = []
      while (out.length < pageSize) {
        let least = readers[0]
        if (least === undefined) return out
        for (const reader of readers) if (reader.isBefore(least)) least = reader
        const record = least.head
        if (record === undefined) return out
        out.push(record)
        least.skip()
        if (least.head === undefined) return out
      }
      return out
    }

    return Stream.repeatEffectOption(Effect.gen(function*() {
      for (const reader of readers) yield* Effect.mapError(fill(reader), Option.some)
      readers = readers.filter((reader) => reader.head !== undefined)
      return readers.length === 0 ? yield* Effect.fail(Option.none()) : page()
    }))
  })
