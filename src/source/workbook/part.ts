import { Effect } from "effect"
import type { Scope } from "effect"
import { isUtf8 } from "node:buffer"
import { crc32 } from "node:zlib"
import { inflating } from "../archive.ts"
import type { Bytes } from "../bytes.ts"
import { SourceError } from "../Source.ts"
import type { Fingerprint, SourceChanged } from "../Source.ts"
import { packedData, packedStart } from "../zip.ts"
import type { ZipEntry } from "../zip.ts"

export const damaged = (file: string) =>
  new SourceError({ file, message: `${file} can't be opened. It is damaged or cut short. Fetch or export it again.` })

/** Bytes that are unpacked at a time. */
const pieceBytes = 16 * 1024

/** An entry's packed bytes, piece by piece, `undefined` at their end. */
type Pieces<E> = Effect.Effect<Uint8Array | undefined, E>

/** What comes piece by piece, `undefined` at the end; what it reads from is closed with the scope. */
type Opened<A, E = never> = Effect.Effect<
  Effect.Effect<A | undefined, SourceError | E>,
  SourceError | E,
  Scope.Scope
>

/** One part of a workbook, as often as it is asked for. */
export interface Part<E = never> {
  readonly entry: ZipEntry
  /**
   * Its bytes, which are UTF-8, no character cut in two; those of a piece are valid until the next one is asked for. Size and sum are checked at the
   * end.
   */
  readonly bytes: Opened<Uint8Array, E>
}

/** Of an archive that is held. */
export const heldPart = (file: string, content: Buffer, entry: ZipEntry): Part => ({
  entry,
  bytes: Effect.suspend(() => {
    const data = packedData(content, entry)
    if (data === undefined) return damaged(file)
    let at = 0
    return partBytes(
      file,
      entry,
      Effect.sync(() => {
        if (at >= data.length) return undefined
        at += pieceBytes
        return data.subarray(at - pieceBytes, at)
      }),
    )
  }),
})

/**
 * Of an archive that is read again from its beginning to its end, block by block, each proven to be the same as when it was opened. Nothing of it is held.
 *
 * @param content the archive as it was when it was opened; not held on to
 */
export const streamedPart = (
  bytes: Bytes,
  expected: Fingerprint,
  content: Buffer,
  entry: ZipEntry,
): Part<SourceChanged> => {
  const start = packedStart(content, entry)
  return {
    entry,
    bytes: Effect.gen(function*() {
      if (start === undefined) return yield* damaged(bytes.file)
      const blocks = yield* bytes.blocks(expected)
      return yield* partBytes(bytes.file, entry, between(blocks.next, start, start + entry.packed))
    }),
  }
}

/** The bytes between two places of those that come in blocks, in pieces; the blocks behind are read all the same, and proven by it. */
const between = <E>(next: Pieces<E>, from: number, to: number): Pieces<E> => {
  let block: Uint8Array | undefined = new Uint8Array(0)
  let at = 0
  /** Where the block begins. */
  let position = 0
  return Effect.gen(function*() {
    while (block !== undefined) {
      const start = Math.max(at, from - position)
      const end = Math.min(block.length, to - position, start + pieceBytes)
      if (start < end) {
        at = end
        return block.subarray(start, end)
      }
      position += block.length
      at = 0
      block = yield* next
    }
    return undefined
  })
}

/** How many bytes at the end begin a character that is not complete. */
const cutOff = (bytes: Uint8Array): number => {
  for (let back = 1; back <= Math.min(4, bytes.length); back++) {
    const byte = bytes[bytes.length - back]!
    if (byte >= 0xc0) return back < (byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2) ? back : 0
    if (byte < 0x80) return 0
  }
  return 0
}

const partBytes = <E>(
  file: string,
  entry: ZipEntry,
  pieces: Pieces<E>,
): Effect.Effect<Effect.Effect<Uint8Array | undefined, SourceError | E>, SourceError, Scope.Scope> =>
  Effect.gen(function*() {
    if (entry.method !== 0 && entry.method !== 8) return yield* damaged(file)
    const inflate = entry.method === 8 ? yield* inflating(file, "deflate") : undefined
    let given = 0
    let sum = 0
    let ended = false
    let cut = new Uint8Array(0)
    const checked = (parts: ReadonlyArray<Uint8Array>) =>
      Effect.suspend(() => {
        for (const part of parts) {
          given += part.length
          sum = crc32(part, sum)
        }
        const only = cut.length === 0 && parts.length === 1 ? parts[0] : undefined
        const all = only ?? Buffer.concat([cut, ...parts])
        const whole = all.subarray(0, all.length - cutOff(all))
        cut = Uint8Array.from(all.subarray(whole.length))
        return given > entry.unpacked || !isUtf8(whole) ? damaged(file) : Effect.succeed(whole)
      })
    /** Takes the next piece and begins with it. A piece that is not packed has to be used before the next one is asked for. */
    const begin = Effect.map(pieces, (piece) => {
      const last = piece === undefined
      if (inflate === undefined) return { last, parts: Effect.succeed(last ? [] : [piece]) }
      return { last, parts: last ? inflate.end : inflate.start(piece) }
    })
    let begun: Effect.Effect.Success<typeof begin> | undefined
    return Effect.gen(function*() {
      if (ended) return undefined
      const { last, parts } = begun ?? (yield* begin)
      const unpacked = yield* parts
      // zlib's thread unpacks the next piece while this one is read.
      if (inflate !== undefined && !last) begun = yield* begin
      const bytes = yield* checked(unpacked)
      if (!last) return bytes
      ended = true
      return given === entry.unpacked && sum === entry.crc && cut.length === 0 ? bytes : yield* damaged(file)
    })
  })
