import { FileSystem } from "@effect/platform"
import { Effect, Option, Stream } from "effect"
import type { Scope } from "effect"
import { ReportError } from "./RunFolder.ts"
import { mergeRuns } from "./spoolMerge.ts"
import type { Segment } from "./spoolMerge.ts"

/** Records on disk, one line each; JSON keeps lone surrogates and line breaks inside of a line. */
export interface Codec<A> {
  readonly encode: (record: A) => string
  readonly decode: (line: string) => A
}

/** Records that come in any order and any number, and are wanted in the order of their rows. */
export interface Spool<A> {
  readonly add: (records: ReadonlyArray<A>) => Effect.Effect<void, ReportError>
  /** The records so far by row, those of one row in the order in which they came. More may be added meanwhile and afterwards. */
  readonly sorted: Stream.Stream<ReadonlyArray<A>, ReportError>
}

/** Buffers in the file that follow each other in the order of their rows. */
interface SortedRun {
  readonly segments: Array<Segment>
  /** Row of its last record. */
  last: number
}

/** Characters of encoded records that are held in memory before they are sorted and written. */
const bufferLimit = 2 * 1024 * 1024

/**
 * Opens a spool in a file of its own, readable by its owner only, and takes the file's name away at once, so that not even a killed process leaves its rows behind;
 * where a system does not allow that the file goes with the scope. Memory is bounded: records are sorted in buffers of `limit` characters, each
 * appended to a sorted run of earlier buffers where it fits (rows that come in order make a single run), and the runs are merged at the end.
 */
export const openSpool = <A extends { readonly row: number }>(
  file: string,
  codec: Codec<A>,
  limit = bufferLimit,
): Effect.Effect<Spool<A>, ReportError, Scope.Scope | FileSystem.FileSystem> =>
  Effect.gen(function*() {
    const fs = yield* FileSystem.FileSystem
    const failed = Effect.mapError((cause: unknown) => new ReportError({ file, cause }))
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
      const [first, last] = sortStably(buffer)
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

    // The handle has one position for all who read.
    const oneReader = yield* Effect.makeSemaphore(1)
    const read = (offset: number, length: number) =>
      oneReader.withPermits(1)(
        reader.seek(offset, "start").pipe(
          Effect.zipRight(reader.readAlloc(length)),
          failed,
          Effect.flatMap(Option.match({
            onNone: () =>
              Effect.fail(new ReportError({ file, cause: new Error("the spool is shorter than what was written") })),
            onSome: Effect.succeed,
          })),
        ),
      )

    const one = yield* Effect.makeSemaphore(1)
    return {
      add: (records) =>
        one.withPermits(1)(Effect.suspend(() => {
          for (const record of records) {
            const line = codec.encode(record)
            buffer.push({ row: record.row, line })
            buffered += line.length
          }
          return buffered >= limit ? flush : Effect.void
        })),
      sorted: Stream.unwrap(Effect.map(
        one.withPermits(1)(Effect.map(flush, () => runs.map(({ segments }) => segments.slice()))),
        (written) => mergeRuns(written, read, codec.decode),
      )),
    }
  })

/** Sorts by row, equal rows as they came, and gives the first and the last row. */
const sortStably = (buffer: Array<{ readonly row: number }>): readonly [number | undefined, number | undefined] => {
  buffer.sort((a, b) => a.row - b.row)
  return [buffer[0]?.row, buffer.at(-1)?.row]
}

/** The run that ends closest before this row: there the buffer goes, so that there are few runs to merge. */
const runThatEndsBefore = (runs: ReadonlyArray<SortedRun>, row: number): SortedRun | undefined => {
  let best: SortedRun | undefined
  for (const run of runs) if (run.last <= row && (best === undefined || run.last > best.last)) best = run
  return best
}
