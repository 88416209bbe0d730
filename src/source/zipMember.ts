import { Effect } from "effect"
import type { Scope } from "effect"
import { crc32 } from "node:zlib"
import type { Bytes, FileBytes } from "./bytes.ts"
import { limits, thousands } from "./limits.ts"
import { SourceError } from "./Source.ts"
import { inflating, unpacked } from "./unpacked.ts"
import type { Unpacking } from "./unpacked.ts"
import { BadArchive, directoryPlace, tailBytes, zipEntries } from "./zip.ts"
import type { ZipEntry } from "./zip.ts"

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
