import { Effect } from "effect"
import type { Scope } from "effect"
import { crc32 } from "node:zlib"
import type { Bytes } from "./bytes.ts"
import { SourceError } from "./Source.ts"
import type { Fingerprint, SourceChanged } from "./Source.ts"
import { inflating } from "./unpacked.ts"
import { packedData, packedStart } from "./zip.ts"
import type { ZipEntry } from "./zip.ts"

export const damaged = (file: string) =>
  new SourceError({ file, message: `${file} can't be opened. It is damaged or cut short. Fetch or export it again.` })

/** Bytes that are unpacked at a time. */
const pieceBytes = 16 * 1024

/** An entry's packed bytes, piece by piece, `undefined` at their end. */
type Pieces<E> = Effect.Effect<Uint8Array | undefined, E>

/** What comes piece by piece, `undefined` at the end; what it reads from is closed with the scope. */
export type Opened<A, E = never> = Effect.Effect<
  Effect.Effect<A | undefined, SourceError | E>,
  SourceError | E,
  Scope.Scope
>

/** One part of a workbook, as often as it is asked for. */
export interface Part<E = never> {
  readonly entry: ZipEntry
  /** Its text; size and sum are checked at its end. */
  readonly text: Opened<string, E>
}

/** Of an archive that is held. */
export const heldPart = (file: string, content: Buffer, entry: ZipEntry): Part => ({
  entry,
  text: Effect.suspend(() => {
    const data = packedData(content, entry)
    if (data === undefined) return damaged(file)
    let at = 0
    return partText(
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
    text: Effect.gen(function*() {
      if (start === undefined) return yield* damaged(bytes.file)
      const blocks = yield* bytes.blocks(expected)
      return yield* partText(bytes.file, entry, between(blocks.next, start, start + entry.packed))
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

/** Line ends of XML are line feeds; a CRLF may be cut in two. */
const lineFeeds = () => {
  let carriageReturn = ""
  return (piece: string, last: boolean) => {
    const all = carriageReturn + piece
    carriageReturn = ""
    if (!all.includes("\r")) return all
    if (!last && all.endsWith("\r")) carriageReturn = "\r"
    return all.slice(0, all.length - carriageReturn.length).replaceAll(/\r\n?/g, "\n")
  }
}

const partText = <E>(
  file: string,
  entry: ZipEntry,
  pieces: Pieces<E>,
): Effect.Effect<Effect.Effect<string | undefined, SourceError | E>, SourceError, Scope.Scope> =>
  Effect.gen(function*() {
    if (entry.method !== 0 && entry.method !== 8) return yield* damaged(file)
    const inflate = entry.method === 8 ? yield* inflating(file, "deflate") : undefined
    const decoder = new TextDecoder("utf-8", { fatal: true })
    const settle = lineFeeds()
    let given = 0
    let sum = 0
    let ended = false
    const decode = (parts: ReadonlyArray<Uint8Array>) =>
      Effect.suspend(() => {
        try {
          let text = ""
          for (const part of parts) {
            given += part.length
            sum = crc32(part, sum)
            text += decoder.decode(part, { stream: true })
          }
          return given > entry.unpacked ? damaged(file) : Effect.succeed(settle(text, ended))
        } catch {
          return damaged(file)
        }
      })
    return Effect.gen(function*() {
      if (ended) return undefined
      const piece = yield* pieces
      if (piece !== undefined) return yield* decode(inflate === undefined ? [piece] : yield* inflate.push(piece))
      ended = true
      const last = yield* decode(inflate === undefined ? [] : yield* inflate.end)
      return given === entry.unpacked && sum === entry.crc ? last : yield* damaged(file)
    })
  })
