import { Effect } from "effect"
import type { Scope } from "effect"
import { crc32, createGunzip, createInflateRaw } from "node:zlib"
import type { Bytes, FileBytes } from "./bytes.ts"
import { limits, thousands } from "./limits.ts"
import { SourceError } from "./Source.ts"
import { BadArchive, directoryPlace, tailBytes, zipEntries } from "./zip.ts"
import type { ZipEntry } from "./zip.ts"

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

const quoted = (name: string) => JSON.stringify(name)

/** Files that operating systems put into archives on their own. */
const ofTheSystem = /(?:^|\/)(?:__MACOSX\/|\.DS_Store$|Thumbs\.db$|desktop\.ini$|\._)/

/** Files that may hold rows, by their names. */
const holdsRows = /\.(?:csv|tsv|tab|txt|xlsx|xlsm|xlsb|xls|ods|json|jsonl|ndjson)(?:\.gz)?$/i

const climbsOut = (name: string) => /^(?:[/\\]|[A-Za-z]:)/.test(name) || /(?:^|[/\\])\.\.(?:[/\\]|$)/.test(name)

/** Entries that make a zip archive a workbook. */
const ofWorkbooks = /^(?:\[Content_Types\]\.xml|mimetype)$/

const refusing = (file: string) => (message: string) => new SourceError({ file, message: `${file} ${message}` })

/** Names for a sentence: a few, and how many more. */
const listed = (names: ReadonlyArray<string>) =>
  names.slice(0, 8).map(quoted).join(", ") + (names.length > 8 ? ` and ${thousands(names.length - 8)} more` : "")

const entriesOf = (bytes: FileBytes) =>
  Effect.gen(function*() {
    const { file, size } = bytes
    const refuse = refusing(file)
    const attempt = <A>(run: () => A) =>
      Effect.suspend(() => {
        try {
          return Effect.succeed(run())
        } catch (error) {
          return error instanceof BadArchive ? refuse(`can't be opened. ${error.message}`) : Effect.die(error)
        }
      })
    const from = Math.max(0, size - tailBytes)
    const tail = Buffer.from(yield* bytes.range(from, tailBytes))
    const place = yield* attempt(() => directoryPlace(tail))
    if (place.size > limits.directory) {
      return yield* refuse(
        `holds ${thousands(place.count)} files, more than can be looked through. Unpack it, and name the file inside.`,
      )
    }
    const directory = Buffer.from(yield* bytes.range(place.offset, place.size))
    return yield* attempt(() => zipEntries(directory, place.count))
  })

/** The entry that a pipeline names, or the only one that may hold rows. */
const chooseMember = (file: string, entries: ReadonlyArray<ZipEntry>, asked: string | undefined) => {
  const refuse = refusing(file)
  const outside = entries.find(({ name }) => climbsOut(name))
  if (outside !== undefined) {
    return refuse(
      `holds ${quoted(outside.name)}, whose path leads out of the archive. Nothing of it was read: have it made again.`,
    )
  }
  const files = entries.filter(({ name }) => !name.endsWith("/") && !ofTheSystem.test(name))
  const names = files.map(({ name }) => name)
  if (asked !== undefined) {
    const found = files.find(({ name }) => name === asked)
      ?? files.find(({ name }) => name.toLowerCase() === asked.toLowerCase())
    return found
      ?? refuse(
        `holds no ${quoted(asked)}. Correct \`source.member\`; there ${names.length === 1 ? "is" : "are"} ${
          listed(names)
        }.`,
      )
  }
  if (files.length === 0) return refuse("holds no file. Fetch or export it again.")
  const likely = files.filter(({ name }) => holdsRows.test(name))
  const [only, ...others] = likely.length > 0 ? likely : files
  return only !== undefined && others.length === 0
    ? only
    : refuse(`holds several files: ${listed(names)}. Say which one: \`member: …\` under \`source\`.`)
}

/** Takes the member's bytes out of the archive's: leaves out what stands before and behind, unpacks, and checks size and sum. */
const extracting = (
  file: string,
  { crc, method, name, packed, unpacked: size }: ZipEntry,
  start: number,
): Effect.Effect<Unpacking, never, Scope.Scope> =>
  Effect.gen(function*() {
    const inflate = method === 8 ? yield* inflating(file, "deflate") : undefined
    const wrong = refusing(file)(
      `is damaged: ${quoted(name)} in it is not what its directory says. Fetch or export it again.`,
    )
    let position = 0
    let sum = 0
    let given = 0
    let finished = false
    const checked = (parts: ReadonlyArray<Uint8Array>) => {
      for (const part of parts) {
        given += part.length
        sum = crc32(part, sum)
      }
      return given > size ? wrong : Effect.succeed(parts)
    }
    const finish = Effect.gen(function*() {
      if (finished) return []
      finished = true
      const last = yield* checked(inflate === undefined ? [] : yield* inflate.end)
      return given === size && sum === crc ? last : yield* wrong
    })
    return {
      push: (piece) =>
        Effect.gen(function*() {
          const from = Math.max(0, start - position)
          const to = Math.min(piece.length, start + packed - position)
          position += piece.length
          if (finished) return []
          const own = piece.subarray(from, Math.max(from, to))
          const parts = own.length === 0
            ? []
            : yield* checked(inflate === undefined ? [own] : yield* inflate.push(own))
          return position >= start + packed ? [...parts, ...yield* finish] : parts
        }),
      end: Effect.suspend(() => position < start + packed ? wrong : finish),
    }
  })

/**
 * What a zip archive holds: the member of that name, or the only one that may hold rows. Undefined when the archive is a workbook. Errors: no
 * archive, no or several members, one that can't be unpacked, a path that leads out.
 */
export const zipMember = (
  bytes: FileBytes,
  asked: string | undefined,
): Effect.Effect<{ readonly name: string; readonly bytes: Bytes } | undefined, SourceError> =>
  Effect.gen(function*() {
    const refuse = refusing(bytes.file)
    const entries = yield* entriesOf(bytes)
    if (asked === undefined && entries.some(({ name }) => ofWorkbooks.test(name))) return undefined
    const entry = yield* toEffect(chooseMember(bytes.file, entries, asked))
    if (entry.encrypted) return yield* refuse("is protected by a password. Unpack it, and name the file inside.")
    if (entry.method !== 0 && entry.method !== 8) {
      return yield* refuse(
        `packs ${quoted(entry.name)} in a way that can't be unpacked here. Unpack it, and name the file inside.`,
      )
    }
    if (entry.unpacked > limits.unpackedFreely && entry.unpacked > entry.packed * limits.ratio) {
      return yield* refuse(
        `unpacks to ${
          thousands(Math.round(entry.unpacked / entry.packed))
        } times its size, which no ordinary file does. If you trust it, unpack it and name the file inside.`,
      )
    }
    const header = Buffer.from(yield* bytes.range(entry.offset, 30))
    if (header.length < 30 || header.readUInt32LE(0) !== 0x04034b50) {
      return yield* refuse("can't be opened. It is damaged or cut short. Fetch or export it again.")
    }
    const start = entry.offset + 30 + header.readUInt16LE(26) + header.readUInt16LE(28)
    return { name: entry.name, bytes: unpacked(bytes, extracting(bytes.file, entry, start)) }
  })

const toEffect = <A>(value: A | SourceError): Effect.Effect<A, SourceError> =>
  value instanceof SourceError ? value : Effect.succeed(value)
