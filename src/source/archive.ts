import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { crc32, createGunzip, createInflateRaw } from "node:zlib"
import { count, firstOf } from "../domain/words.ts"
import type { Bytes, FileBytes } from "./bytes.ts"
import { limits } from "./limits.ts"
import { catchOwn, refusing, type SourceError } from "./Source.ts"
import {
  BadArchive,
  damagedNote,
  directoryPlace,
  headerLength,
  isSwollen,
  swollenNote,
  tailBytes,
  zipEntries,
  type ZipEntry,
} from "./zip.ts"

/** Returns the next piece of the bytes, or `undefined` at their end. A piece's bytes are valid until the next piece is requested. */
export type Pieces<E> = Effect.Effect<Uint8Array | undefined, E>

/**
 * Starts to unpack a piece, or ends if the piece is `undefined`. The returned effect gives the unpacked bytes. The piece's bytes must not change
 * until the effect has ended.
 */
type Unpack = (piece: Uint8Array | undefined) => Effect.Effect<ReadonlyArray<Uint8Array>, SourceError>

/** Checks unpacked bytes piece by piece. Returns the reason if they are refused. */
type Check = (took: number, gave: ReadonlyArray<Uint8Array>, isLast: boolean) => SourceError | undefined

/** The packed bytes in a file. */
interface Packed {
  readonly kind: "gzip" | "deflate" | "stored"
  /** The offsets at which the packed bytes start and end in the file. */
  readonly from: number
  readonly to: number
  /** Returns a new check for each reading. */
  readonly makeCheck: () => Check
}

/** Returns the error about an archive whose parts can't be found or unpacked. Most workbooks are archives. */
export const damaged = (file: string): SourceError => refusing(file)(`can't be opened. ${damagedNote}`)

/** The size of a piece in bytes. Deflate turns one byte into at most 1,032, so a piece unpacks to at most 16 MB. */
const pieceBytes = 16 * 1024

/** The number of bytes that zlib unpacks before it returns to the main thread. About as many bytes are returned at once. */
const chunkBytes = 128 * 1024

/** Unpacks with zlib, and releases it when the scope closes. */
const inflating = (file: string, kind: "gzip" | "deflate"): Effect.Effect<Unpack, never, Scope.Scope> =>
  Effect.gen(function*() {
    const damaged = refusing(file)("is damaged or cut short: it can't be unpacked. Fetch or export it again.")
    let out: Array<Uint8Array> = []
    let failed = false
    let ended = false
    let fed = 0
    const zlib = yield* Effect.acquireRelease(
      Effect.sync(() => {
        const made = kind === "gzip"
          ? createGunzip({ chunkSize: chunkBytes })
          : createInflateRaw({ chunkSize: chunkBytes })
        // Without a listener, an error would end the process. At the end of the packed bytes, zlib ends by itself.
        return made.setMaxListeners(0)
          .on("data", (bytes: Uint8Array) => out.push(bytes))
          .on("error", () => void (failed = true))
          .on("end", () => void (ended = true))
      }),
      (made) => Effect.sync(() => made.destroy()),
    )
    /** Calls `act` at once. The returned effect ends when zlib has finished. */
    const started = (act: (settle: () => void) => void) => {
      const done = new Promise<void>((resolve) => {
        if (failed) return resolve()
        const settle = () => {
          zlib.off("error", settle).off("end", settle)
          resolve()
        }
        zlib.once("error", settle)
        act(settle)
      })
      return Effect.flatMap(Effect.uninterruptible(Effect.promise(() => done)), () => {
        const given = out
        out = []
        return failed ? damaged : Effect.succeed(given)
      })
    }
    return (piece) => {
      if (piece === undefined) return started((settle) => ended ? settle() : zlib.once("end", settle).end())
      fed += piece.length
      const parts = ended ? Effect.succeed([]) : started((settle) => zlib.write(piece, settle))
      // Zeros (tape padding) may follow the packed bytes. Anything else would be lost silently.
      const unread = () => piece.subarray(Math.max(0, piece.length - (fed - zlib.bytesWritten)))
      return Effect.filterOrFail(parts, () => unread().every((byte) => byte === 0), () => damaged)
    }
  })

/** Refuses a file that unpacks to more than any ordinary file does. Sizes are in bytes. */
const tooLarge = (file: string, packed: number, unpacked: number): SourceError | undefined =>
  unpacked > limits.unpackedText
    ? refusing(file)(
      `unpacks to more than ${count(limits.unpackedText)} bytes, which is the limit. None of it was used. Split it.`,
    )
    : isSwollen(packed, unpacked)
    ? refusing(file)(swollenNote("file"))
    : undefined

/** Adds up the sizes of the pieces for `tooLarge`. */
const notTooLarge = (file: string): Check => {
  let packed = 0
  let unpacked = 0
  return (took, gave) => {
    packed += took
    for (const part of gave) unpacked += part.length
    return tooLarge(file, packed, unpacked)
  }
}

/** Refuses an entry whose size or checksum differs from the archive's directory. */
const asInDirectory = (file: string, { crc, name, unpacked }: ZipEntry): Check => {
  let given = 0
  let sum = 0
  return (_, parts, isLast) => {
    for (const part of parts) {
      given += part.length
      sum = crc32(part, sum)
    }
    return given > unpacked || (isLast && (given < unpacked || sum !== crc))
      ? refusing(file)(
        `is damaged or cut short: the entry ${
          inQuotes(name)
        } does not match the archive's own table of contents. Fetch or export the file again.`,
      )
      : undefined
  }
}

/**
 * Extracts the packed bytes from blocks, in pieces.
 *
 * @param until offset at which reading stops: the end of the packed bytes, or Infinity to verify all blocks
 */
const between = <E>(next: Pieces<E>, { from, to }: Packed, until: number): Pieces<E> => {
  let block: Uint8Array | undefined = new Uint8Array(0)
  let at = 0
  /** The offset of the block's start. */
  let position = 0
  return Effect.gen(function*() {
    while (block !== undefined && position + at < until) {
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

/** Unpacks pieces. zlib's thread works on the next piece while the current one is used. */
const unpacking = <E>(
  file: string,
  pieces: Pieces<E>,
  { kind, makeCheck }: Packed,
): Effect.Effect<Pieces<E | SourceError>, never, Scope.Scope> =>
  Effect.gen(function*() {
    const inflate = kind === "stored" ? undefined : yield* inflating(file, kind)
    const check = makeCheck()
    const begin = Effect.map(pieces, (piece) => ({
      took: piece?.length,
      parts: inflate?.(piece) ?? Effect.succeed(piece === undefined ? [] : [piece]),
    }))
    const ready: Array<Uint8Array> = []
    /** A piece may unpack to a thousand times its size, so it is passed on in small parts. */
    const take = () => {
      let length = 0
      let parts = 0
      while (parts < ready.length && length < chunkBytes) length += ready[parts++]!.length
      const taken = ready.splice(0, parts)
      return taken.length === 1 ? taken[0] : Buffer.concat(taken)
    }
    let started: Effect.Effect.Success<typeof begin> | undefined
    let ended = false
    return Effect.gen(function*() {
      while (ready.length === 0 && !ended) {
        const { parts, took } = started ?? (yield* begin)
        const unpacked = yield* parts
        ended = took === undefined
        // A piece that is not packed must be used before the next piece is requested.
        started = inflate === undefined || ended ? undefined : yield* begin
        const refused = check(took ?? 0, unpacked, ended)
        if (refused !== undefined) return yield* refused
        ready.push(...unpacked)
      }
      return ready.length === 0 ? undefined : take()
    })
  })

/** Returns the unpacked bytes of a file. Their fingerprints are those of the file itself. */
const unpacked = (archive: Bytes, packed: Packed): Bytes => {
  const look: Bytes["look"] = Effect.flatMap(
    archive.look,
    (next) => unpacking(archive.file, between(next, packed, packed.to), packed),
  )
  return {
    file: archive.file,
    size: archive.size,
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
        const { fingerprint, next } = yield* archive.blocks(expected)
        return { next: yield* unpacking(archive.file, between(next, packed, Infinity), packed), fingerprint }
      }),
  }
}

/** Returns the content of a gzip archive. */
export const gunzipped = (archive: Bytes): Bytes =>
  unpacked(archive, { kind: "gzip", from: 0, to: Infinity, makeCheck: () => notTooLarge(archive.file) })

/**
 * Returns the content of a zip archive's entry. The entry is packed with deflate, or not packed.
 *
 * @param start offset of its packed bytes
 */
export const entryBytes = (archive: Bytes, entry: ZipEntry, start: number): Bytes =>
  unpacked(archive, {
    kind: entry.method === 8 ? "deflate" : "stored",
    from: start,
    to: start + entry.packed,
    makeCheck: () => asInDirectory(archive.file, entry),
  })

const inQuotes = (name: string) => JSON.stringify(name)

/** Files that operating systems add to archives. */
const ofTheSystem = /(?:^|\/)(?:__MACOSX\/|\.DS_Store$|Thumbs\.db$|desktop\.ini$|\._)/

/** The endings of workbooks, and of all files with typed cells. */
const workbooks = "xlsx|xlsm|xlsb|xls|ods"
const typed = `${workbooks}|json|jsonl|ndjson`

/** Matches the name of a workbook. */
export const workbookName = new RegExp(`\\.(?:${workbooks})$`, "i")

/** Matches a text that contains the name of a file with typed cells. */
export const typedName = new RegExp(`\\.(?:${typed})\\b`, "i")

/** Matches the name of a file that may contain rows. */
const rowFileName = new RegExp(`\\.(?:csv|tsv|tab|txt|${typed})(?:\\.gz)?$`, "i")

/** The maximum number of other files that are named. */
const mostOthers = 50

/** Names the other files of an archive that may contain rows. */
const othersOf = (entries: ReadonlyArray<ZipEntry>, read: ZipEntry): ReadonlyArray<string> => {
  const names = entries.filter((one) => one !== read && rowFileName.test(one.name) && !ofTheSystem.test(one.name))
    .map(({ name }) => name)
  return names.length <= mostOthers
    ? names
    : [...names.slice(0, mostOthers), `${count(names.length - mostOthers)} others`]
}

const climbsOut = (name: string) => /^(?:[/\\]|[A-Za-z]:)/.test(name) || /(?:^|[/\\])\.\.(?:[/\\]|$)/.test(name)

/** Names of entries that show that a zip archive is a workbook. */
const ofWorkbooks = /^(?:\[Content_Types\]\.xml|mimetype)$/i

/** Lists up to eight names in a sentence, and how many more there are. */
const listed = (names: ReadonlyArray<string>) => firstOf(names.map(inQuotes), 8)

/** Runs a function that may throw `BadArchive`. */
export const inArchive = <A>(file: string, run: () => A): Effect.Effect<A, SourceError> =>
  catchOwn(
    run,
    (error) => error instanceof BadArchive ? refusing(file)(`can't be opened. ${error.message}`) : undefined,
  )

const entriesOf = (bytes: FileBytes) =>
  Effect.gen(function*() {
    const { file, size } = bytes
    const tail = Buffer.from(yield* bytes.range(Math.max(0, size - tailBytes), tailBytes))
    const place = yield* inArchive(file, () => directoryPlace(tail))
    if (place.size > limits.directory) {
      return yield* refusing(file)(
        `contains ${count(place.count)} files, too many to search. Unpack it, and give the path of the file inside.`,
      )
    }
    const directory = Buffer.from(yield* bytes.range(place.offset, place.size))
    return yield* inArchive(file, () => zipEntries(directory, place.count))
  })

/** Finds the entry that a pipeline names, or the only one that may contain rows. */
const chooseMember = (
  file: string,
  entries: ReadonlyArray<ZipEntry>,
  asked: string | undefined,
): Effect.Effect<ZipEntry, SourceError> => {
  const refuse = refusing(file)
  const outside = entries.find(({ name }) => climbsOut(name))
  if (outside !== undefined) {
    return refuse(
      `contains ${
        inQuotes(outside.name)
      }, whose path leads out of the archive. None of it was read. Ask for a new archive.`,
    )
  }
  const files = entries.filter(({ name }) => !name.endsWith("/") && !ofTheSystem.test(name))
  const names = files.map(({ name }) => name)
  if (asked !== undefined) {
    const exact = files.filter(({ name }) => name === asked)
    const found = exact.length > 0 ? exact : files.filter(({ name }) => name.toLowerCase() === asked.toLowerCase())
    const [only, ...same] = found
    if (only === undefined) {
      return refuse(`contains no ${inQuotes(asked)}, only ${listed(names)}. Correct \`source.member\`.`)
    }
    return same.length === 0 ? Effect.succeed(only) : refuse(
      `contains ${found.length} files with the name ${
        inQuotes(asked)
      }, so it is unclear which one to read. Unpack it, and give the path of the file inside.`,
    )
  }
  if (files.length === 0) return refuse("contains no file. Fetch or export it again.")
  const likely = files.filter(({ name }) => rowFileName.test(name))
  if (likely.length === 0 && files.some(({ name }) => name.endsWith(".iwa"))) {
    return refuse(
      "is a document of Numbers or a similar program, which can't be read. Export it there as a workbook or as CSV.",
    )
  }
  const [only, ...others] = likely.length > 0 ? likely : files
  return only !== undefined && others.length === 0
    ? Effect.succeed(only)
    : refuse(`contains several files: ${listed(names)}. Name the one to read: \`member: …\` under \`source\`.`)
}

/**
 * Returns the named member of a zip archive, or the only member that may contain rows, and the names of others that may.
 * Undefined if the archive is a workbook. Fails if the file is not an archive, if the member is missing or several are possible, if it can't be
 * unpacked, or if a path leads out of the archive.
 */
export const zipMember = (bytes: FileBytes, asked: string | undefined): Effect.Effect<
  { readonly name: string; readonly bytes: Bytes; readonly others: ReadonlyArray<string> } | undefined,
  SourceError
> =>
  Effect.gen(function*() {
    const refuse = refusing(bytes.file)
    const entries = yield* entriesOf(bytes)
    if (asked === undefined && entries.some(({ name }) => ofWorkbooks.test(name))) return undefined
    const entry = yield* chooseMember(bytes.file, entries, asked)
    if (entry.encrypted) {
      return yield* refuse("is protected by a password. Unpack it, and give the path of the file inside.")
    }
    if (entry.method !== 0 && entry.method !== 8) {
      return yield* refuse(
        `packs ${inQuotes(entry.name)} with an unsupported method. Unpack it, and give the path of the file inside.`,
      )
    }
    const refused = tooLarge(bytes.file, entry.packed, entry.unpacked)
    if (refused !== undefined) return yield* refused
    const header = headerLength(Buffer.from(yield* bytes.range(entry.offset, 30)))
    if (header === undefined) return yield* damaged(bytes.file)
    return {
      name: entry.name,
      bytes: entryBytes(bytes, entry, entry.offset + header),
      others: othersOf(entries, entry),
    }
  })
