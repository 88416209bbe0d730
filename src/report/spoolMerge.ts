import { Effect, Option, Stream } from "effect"
import type { ReportError } from "./RunFolder.ts"

/** A buffer of a spool as it stands in its file: lines in the order of their rows. */
export interface Segment {
  readonly offset: number
  readonly length: number
  /** Number of the buffer: of two records with one row, the one with the smaller number came first. */
  readonly ordinal: number
}

/** Bytes of a run that are read at once: with many runs, this times their number is held in memory. */
const blockSize = 32 * 1024

/** Records given out at once. */
const chunkSize = 1000

/** One run while it is merged: decoded records at hand, and where to go on reading. */
class RunReader<A extends { readonly row: number }> {
  private readonly segments: ReadonlyArray<Segment>
  private readonly decode: (line: string) => A
  private segment = 0
  private position = 0
  private partial: Uint8Array = new Uint8Array(0)
  private records: Array<A> = []
  private next = 0
  ordinal = 0

  constructor(segments: ReadonlyArray<Segment>, decode: (line: string) => A) {
    this.segments = segments
    this.decode = decode
  }

  get head(): A | undefined {
    return this.records[this.next]
  }

  skip(): void {
    this.next++
  }

  /** Where to read on; undefined at the run's end. */
  get wanted(): { readonly offset: number; readonly length: number } | undefined {
    const segment = this.segments[this.segment]
    if (segment === undefined) return undefined
    return { offset: segment.offset + this.position, length: Math.min(blockSize, segment.length - this.position) }
  }

  /** Takes the bytes that were wanted; a record cut by the block's end waits for the next block. */
  take(bytes: Uint8Array): void {
    const segment = this.segments[this.segment]
    if (segment === undefined) return
    this.ordinal = segment.ordinal
    const all = this.partial.length === 0 ? bytes : Buffer.concat([this.partial, bytes])
    const complete = all.lastIndexOf(0x0A) + 1
    const lines = Buffer.from(all.buffer, all.byteOffset, complete).toString("utf8").split("\n")
    lines.pop()
    this.records = lines.map(this.decode)
    this.next = 0
    this.partial = all.subarray(complete)
    this.position += bytes.length
    if (this.position >= segment.length) {
      this.segment++
      this.position = 0
    }
  }
}

const before = <A extends { readonly row: number }>(a: RunReader<A>, b: RunReader<A>): boolean => {
  const left = a.head?.row ?? Infinity
  const right = b.head?.row ?? Infinity
  return left < right || (left === right && a.ordinal < b.ordinal)
}

/** Merges runs, each made of segments that follow each other in the order of their rows, into one stream of chunks. Effects are per block that is read, never per record. */
export const mergeRuns = <A extends { readonly row: number }>(
  runs: ReadonlyArray<ReadonlyArray<Segment>>,
  read: (offset: number, length: number) => Effect.Effect<Uint8Array, ReportError>,
  decode: (line: string) => A,
): Stream.Stream<ReadonlyArray<A>, ReportError> =>
  Stream.suspend(() => {
    let readers = runs.map((run) => new RunReader(run, decode))

    const fill = (reader: RunReader<A>): Effect.Effect<void, ReportError> =>
      Effect.gen(function*() {
        while (reader.head === undefined) {
          const wanted = reader.wanted
          if (wanted === undefined) return
          reader.take(yield* read(wanted.offset, wanted.length))
        }
      })

    /** Gives out the smallest until a reader has nothing at hand. */
    const drain = (): ReadonlyArray<A> => {
      const out: Array<A> = []
      while (out.length < chunkSize) {
        let least = readers[0]
        if (least === undefined) return out
        for (const reader of readers) if (before(reader, least)) least = reader
        const record = least.head
        if (record === undefined) return out
        out.push(record)
        least.skip()
        if (least.head === undefined) return out
      }
      return out
    }

    return Stream.repeatEffectOption(Effect.gen(function*() {
      for (const reader of readers) if (reader.head === undefined) yield* Effect.mapError(fill(reader), Option.some)
      readers = readers.filter((reader) => reader.head !== undefined)
      if (readers.length === 0) return yield* Effect.fail(Option.none())
      return drain()
    }))
  })
