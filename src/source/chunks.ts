import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import type { Problem } from "../domain/problem.ts"
import type { Cells, RowChunk } from "../domain/row.ts"

/** The maximum number of rows in a chunk. */
const chunkRows = 4096

/** Collects the rows of a source in chunks, and numbers the rows, starting with 1. */
export class ChunkBuilder {
  /** The number of rows so far. */
  count = 0
  #chunks: Array<RowChunk> = []
  #rows: Array<Cells> = []
  #faults = new Map<number, Problem>()

  add(row: Cells, fault: Problem | undefined): void {
    this.count++
    if (fault !== undefined) this.#faults.set(this.#rows.length, fault)
    if (this.#rows.push(row) === chunkRows) this.#close()
  }

  /** Returns the rows that were added since the last call. */
  take(): ReadonlyArray<RowChunk> {
    if (this.#rows.length > 0) this.#close()
    const taken = this.#chunks
    this.#chunks = []
    return taken
  }

  #close(): void {
    this.#chunks.push({ firstRow: this.count - this.#rows.length + 1, rows: this.#rows, faults: this.#faults })
    this.#rows = []
    this.#faults = new Map()
  }
}

/**
 * Calls `use` with each chunk of a source's rows, in order. `Stream.runForEach` and `Stream.takeWhile` keep used chunks until a full garbage
 * collection. For 1M rows of 12 cells, they took 2.9 s and up to 305 MB, and this function 1.9 s and up to 150 MB.
 *
 * @param ended called before each chunk. If it returns true, reading ends early
 */
export const eachChunk = <A, E, R, E2, R2>(
  stream: Stream.Stream<A, E, R>,
  use: (chunk: A) => Effect.Effect<void, E2, R2>,
  ended: () => boolean = () => false,
): Effect.Effect<void, E | E2, R | R2> =>
  Effect.scoped(Effect.gen(function*() {
    const pull = yield* Stream.toPull(stream)
    const next = Effect.catchAll(
      Effect.map(pull, Option.some),
      Option.match({
        onNone: () => Effect.succeedNone,
        onSome: (error: E) => Effect.fail(error),
      }),
    )
    for (let chunks = yield* next; Option.isSome(chunks) && !ended(); chunks = yield* next) {
      for (const chunk of chunks.value) yield* use(chunk)
    }
  }))
