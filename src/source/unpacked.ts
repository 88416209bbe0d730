import { Effect } from "effect"
import type { Scope } from "effect"
import { createGunzip, createInflateRaw } from "node:zlib"
import type { Bytes } from "./bytes.ts"
import { limits, thousands } from "./limits.ts"
import { SourceError } from "./Source.ts"

/** Turns bytes into other bytes, piece by piece; `undefined` for the end. Each piece is small enough that its result is held whole. */
export interface Unpacking {
  readonly push: (piece: Uint8Array) => Effect.Effect<ReadonlyArray<Uint8Array>, SourceError>
  readonly end: Effect.Effect<ReadonlyArray<Uint8Array>, SourceError>
}

/** An unpacking that goes on while its results are used. */
export interface UnpackingAhead extends Unpacking {
  /** Begins with a piece, whose bytes have to stay until the effect that is given has ended: that gives what `push` would. */
  readonly start: (piece: Uint8Array) => Effect.Effect<ReadonlyArray<Uint8Array>, SourceError>
}

/** Deflate makes at most 1,032 bytes of one: 16 MB of a piece. */
const pieceBytes = 16 * 1024

/** Bytes that zlib unpacks in one go: it comes back to our thread after each. */
const chunkSize = 128 * 1024

/** About as many bytes are given at once. */
const givenBytes = 128 * 1024

const damaged = (file: string) =>
  new SourceError({ file, message: `${file} is damaged or cut short: it can't be unpacked. Fetch or export it again.` })

/** Unpacks with zlib; closed with the scope. */
export const inflating = (
  file: string,
  kind: "gzip" | "deflate",
): Effect.Effect<UnpackingAhead, never, Scope.Scope> =>
  Effect.gen(function*() {
    let out: Array<Uint8Array> = []
    let failed = false
    let ended = false
    let fed = 0
    const zlib = yield* Effect.acquireRelease(
      Effect.sync(() => {
        const made = kind === "gzip" ? createGunzip({ chunkSize }) : createInflateRaw({ chunkSize })
        // Without a listener an error would end the process; `done` sees it. zlib ends by itself where the packed bytes do.
        return made.setMaxListeners(0)
          .on("data", (bytes: Uint8Array) => out.push(bytes))
          .on("error", () => void (failed = true))
          .on("end", () => void (ended = true))
      }),
      (made) => Effect.sync(() => made.destroy()),
    )
    /** Acts at once; the effect ends when zlib is done with it. */
    const begun = (act: (settle: () => void) => void) => {
      let over = failed
      let told = () => {}
      if (!failed) {
        const settle = () => {
          zlib.off("error", settle).off("end", settle)
          over = true
          told()
        }
        zlib.once("error", settle)
        act(settle)
      }
      return Effect.uninterruptible(Effect.async<ReadonlyArray<Uint8Array>, SourceError>((resume) => {
        told = () => {
          const given = out
          out = []
          resume(failed ? damaged(file) : Effect.succeed(given))
        }
        if (over) told()
      }))
    }
    /** What stands behind the end of the packed bytes: a tape's zeros, or something that would be lost without a word. */
    const unread = (piece: Uint8Array) => piece.subarray(Math.max(0, piece.length - (fed - zlib.bytesWritten)))
    const start: UnpackingAhead["start"] = (piece) => {
      fed += piece.length
      const parts = ended ? Effect.succeed([]) : begun((settle) => zlib.write(piece, () => settle()))
      return Effect.filterOrFail(parts, () => unread(piece).every((byte) => byte === 0), () => damaged(file))
    }
    return {
      start,
      push: (piece) => Effect.suspend(() => start(piece)),
      end: Effect.suspend(() =>
        begun((settle) => {
          if (ended) settle()
          else zlib.once("end", settle).end()
        })
      ),
    }
  })

/** Counts what is unpacked, and refuses what no honest archive holds. */
const counting = (file: string) => {
  let packed = 0
  let unpacked = 0
  return (took: number, gave: ReadonlyArray<Uint8Array>): SourceError | undefined => {
    packed += took
    for (const part of gave) unpacked += part.length
    if (unpacked > limits.unpackedText) {
      const most = thousands(limits.unpackedText)
      return new SourceError({
        file,
        message: `${file} unpacks to more than ${most} bytes, the most that are read. Split it.`,
      })
    }
    return unpacked > limits.unpackedFreely && unpacked > packed * limits.ratio
      ? new SourceError({
        file,
        message:
          `${file} unpacks to more than ${limits.ratio} times its size, which no ordinary file does. If you trust it, unpack it and name the file inside.`,
      })
      : undefined
  }
}

/** Reads packed bytes block by block and gives them unpacked. */
const unpackedReading = <E>(
  file: string,
  inner: Effect.Effect<Uint8Array | undefined, E>,
  unpacking: Unpacking,
): Effect.Effect<Uint8Array | undefined, E | SourceError> => {
  const count = counting(file)
  const ready: Array<Uint8Array> = []
  /** A piece may unpack to a thousand times its size: it is handed on bit by bit. */
  const take = () => {
    let length = 0
    let parts = 0
    while (parts < ready.length && length < givenBytes) length += ready[parts++]!.length
    return Buffer.concat(ready.splice(0, parts))
  }
  let block: Uint8Array | undefined
  let at = 0
  let ended = false
  return Effect.gen(function*() {
    if (ready.length > 0) return take()
    while (!ended) {
      if (block === undefined || at >= block.length) {
        block = yield* inner
        at = 0
      }
      const piece: Uint8Array | undefined = block?.subarray(at, at + pieceBytes)
      at += pieceBytes
      ended = piece === undefined
      const parts = yield* piece === undefined ? unpacking.end : unpacking.push(piece)
      const refused = count(piece?.length ?? 0, parts)
      if (refused !== undefined) return yield* refused
      ready.push(...parts)
      if (ready.length > 0) return take()
    }
    return undefined
  })
}

/** The bytes that packed bytes hold. Its fingerprints are those of the packed ones: of the file as it stands. */
export const unpacked = (packed: Bytes, make: Effect.Effect<Unpacking, never, Scope.Scope>): Bytes => {
  const look: Bytes["look"] = Effect.gen(function*() {
    return unpackedReading(packed.file, yield* packed.look, yield* make)
  })
  return {
    file: packed.file,
    size: packed.size,
    look,
    head: (length) =>
      Effect.scoped(Effect.gen(function*() {
        const next = yield* look
        const parts: Array<Uint8Array> = []
        let got = 0
        while (got < length) {
          const part = yield* next
          if (part === undefined) break
          parts.push(Uint8Array.from(part))
          got += part.length
        }
        return Buffer.concat(parts).subarray(0, length)
      })),
    blocks: (expected) =>
      Effect.gen(function*() {
        const inner = yield* packed.blocks(expected)
        return { next: unpackedReading(packed.file, inner.next, yield* make), fingerprint: inner.fingerprint }
      }),
  }
}

/** What a gzip archive holds. */
export const gunzipped = (packed: Bytes): Bytes => unpacked(packed, inflating(packed.file, "gzip"))
