// Files that are copied into a project, so that someone can make a pipeline from them.
import type { PlatformError } from "@effect/platform/Error"
import * as FileSystem from "@effect/platform/FileSystem"
import * as Path from "@effect/platform/Path"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { parse } from "node:path"
import { isPresent } from "../domain/systemErrors.ts"
import { leftByEnded, LockHolder, ownedName } from "../ledger/holder.ts"
import { type Disk, disk } from "../project/disk.ts"
import { listPipelines } from "../project/loadProject.ts"
import { SourceError } from "../source/Source.ts"
import { JobRefused } from "./JobRefused.ts"

/** Returns a file name of letters, digits, spaces and `.()_-`, without folders, that is valid on every system. */
export const safeName = (name: string): string => {
  const [last = ""] = name.split(/[/\\]/).slice(-1)
  const plain = last.normalize("NFC").replaceAll(/[^\p{L}\p{N} .()_-]+/gu, "_").replaceAll(/^[. ]+|[. ]+$/g, "")
  const cut = plain.length > 100 ? plain.slice(-100).replace(/^[. ]+/, "") : plain
  return cut === "" || /^(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)/i.test(cut) ? `file-${cut}` : cut
}

/**
 * Stores a file's content in a folder. Never replaces a file. Removes the file if the content is too large or incomplete.
 *
 * @param name the name that its sender proposes
 * @param most the maximum size in bytes
 * @returns the file's name
 */
export const storeFile = <E, R>(content: Stream.Stream<Uint8Array, E, R>, folder: string, name: string, most: number) =>
  Effect.gen(function*() {
    const { fs, path } = yield* disk
    const file = yield* claim(folder, safeName(name))
    const place = path.join(folder, file)
    yield* Effect.onError(fill(content, place, most), () => Effect.ignore(fs.remove(place, { force: true })))
    return file
  })

/** Gives the error of a stored file that can't be read the name that the file had before. */
export const named = <A, E, R>(work: Effect.Effect<A, E | SourceError, R>, place: string, name: string) =>
  Effect.mapError(work, (error) =>
    error instanceof SourceError
      ? new SourceError({ file: name, message: error.message.replaceAll(place, name) })
      : error)

/** Writes content into a file. Fails if it is larger than `most` bytes. */
const fill = <E, R>(content: Stream.Stream<Uint8Array, E, R>, place: string, most: number) =>
  Effect.gen(function*() {
    const fs = yield* FileSystem.FileSystem
    const tooLarge = new JobRefused({
      code: "FileTooLarge",
      message: `The file is larger than ${Math.floor(most / 1024 / 1024)} MiB. Use \`formferry init\` instead.`,
    })
    let bytes = 0
    yield* content.pipe(
      Stream.mapEffect((chunk) => {
        bytes += chunk.length
        return bytes > most ? tooLarge : Effect.succeed(chunk)
      }),
      Stream.run(fs.sink(place)),
    )
  })

/** Creates an empty file with this name, or with a number after it if the folder has such a file, also of an upload in progress. Returns the file's name. */
const claim = (
  folder: string,
  name: string,
  nth = 1,
): Effect.Effect<string, PlatformError, Disk> =>
  Effect.gen(function*() {
    const { ext, name: base } = parse(name)
    const free = nth === 1 ? name : `${base} (${nth})${ext}`
    const isNew = yield* createNew(folder, free, "")
    return isNew ? free : yield* claim(folder, name, nth + 1)
  })

/** Writes a file that only its owner can read, unless it exists. Returns whether it was written. */
const createNew = (folder: string, name: string, text: string) =>
  Effect.gen(function*() {
    const { fs, path } = yield* disk
    return yield* fs.writeFileString(path.join(folder, name), text, { flag: "wx", mode: 0o600 }).pipe(
      Effect.as(true),
      Effect.catchIf(
        isPresent,
        () => Effect.succeed(false),
      ),
    )
  })

/** The folder of copied sources, in the project's folder. */
const sources = "sources"

/** The beginning of an empty file that says which process copied a source from which no pipeline was made yet. The source's name follows. */
const prefix = ".new-"

/** Returns the file that says that no pipeline was made from a source yet. */
const markerOf = (root: string, file: string) =>
  Effect.gen(function*() {
    const path = yield* Path.Path
    const me = (yield* LockHolder)()
    return path.join(root, sources, `${ownedName(prefix, me)}.${path.basename(file)}`)
  })

/** Copies a file into the project. Returns its place, from the project's folder. */
export const copySource = <E, R>(root: string, content: Stream.Stream<Uint8Array, E, R>, name: string, most: number) =>
  Effect.gen(function*() {
    const { fs, path } = yield* disk
    const folder = path.join(root, sources)
    yield* fs.makeDirectory(folder, { recursive: true, mode: 0o700 })
    // People's answers don't belong in a repository.
    yield* createNew(folder, ".gitignore", "*\n")
    const file = `${sources}/${yield* claim(folder, safeName(name))}`
    // Written before the content, so that a later studio removes what a killed one had not stored completely.
    yield* fs.writeFileString(yield* markerOf(root, file), "", { mode: 0o600 })
    yield* Effect.onError(fill(content, path.join(root, file), most), () => Effect.ignore(discardSource(root, file)))
    return file
  })

/** Notes that a pipeline was made from a copied source, so that it is never removed. */
export const keepSource = (root: string, file: string) =>
  Effect.gen(function*() {
    const fs = yield* FileSystem.FileSystem
    yield* fs.remove(yield* markerOf(root, file), { force: true })
  })

/** Removes a copied source. */
export const discardSource = (root: string, file: string) =>
  Effect.gen(function*() {
    const { fs, path } = yield* disk
    yield* fs.remove(path.join(root, file), { force: true })
    yield* keepSource(root, file)
  })

/** Removes sources that ended processes copied, unless a pipeline's file names them. */
export const removeUnusedSources = (root: string) =>
  Effect.gen(function*() {
    const { fs, path } = yield* disk
    const folder = path.join(root, sources)
    if (!(yield* fs.exists(folder))) return
    const me = (yield* LockHolder)()
    const left = yield* Effect.try(() => leftByEnded(folder, prefix, me))
    const { texts, unreadable } = yield* listPipelines(root)
    // A file that can't be read may name any of them.
    if (unreadable.length > 0) return
    for (const { name: marker, text: name } of left) {
      const isNamed = texts.some(({ yaml }) => yaml.text.includes(name))
      if (!isNamed) yield* fs.remove(path.join(folder, name), { force: true })
      yield* fs.remove(path.join(folder, marker), { force: true })
    }
  })
