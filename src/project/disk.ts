import { type PlatformError, SystemError } from "@effect/platform/Error"
import * as FileSystem from "@effect/platform/FileSystem"
import * as Path from "@effect/platform/Path"
import * as Effect from "effect/Effect"
import { randomUUID } from "node:crypto"

/** What work with files needs. */
export type Disk = FileSystem.FileSystem | Path.Path

/** The file system, and how its paths are written. */
export const disk = Effect.all({ fs: FileSystem.FileSystem, path: Path.Path })

/** Returns the path of a file relative to a folder, with slashes on every system. */
export const relativePath = (path: Path.Path, folder: string, file: string): string =>
  path.relative(folder, file).split(path.sep).join("/")

/** Appends bytes to a file. */
type Append = (part: Uint8Array) => Effect.Effect<void, PlatformError>

/** Returns a function that makes an error name this file. */
const about = (file: string) => (error: PlatformError): PlatformError =>
  error._tag === "SystemError" ? new SystemError({ ...error, cause: error.cause, pathOrDescriptor: file }) : error

/** Fills a file that must not exist yet. Removes it if it can't be written to its end. */
export const createFile = <E, R>(file: string, fill: (append: Append) => Effect.Effect<void, E, R>, mode = 0o666) =>
  Effect.scoped(Effect.gen(function*() {
    const fs = yield* FileSystem.FileSystem
    const handle = yield* fs.open(file, { flag: "wx", mode })
    // An error about an open file contains only its descriptor.
    const append: Append = (part) => Effect.mapError(handle.writeAll(part), about(file))
    yield* Effect.onError(fill(append), () => Effect.ignore(fs.remove(file)))
  }))

/** Replaces a file's text in one step, even if other processes do the same at the same time. */
export const replaceText = (file: string, text: string, mode?: number) =>
  Effect.gen(function*() {
    const { fs, path } = yield* disk
    const part = path.join(path.dirname(file), `${randomUUID()}-${path.basename(file)}.part`)
    yield* createFile(part, (append) => append(new TextEncoder().encode(text)), mode)
    yield* (mode === undefined ? Effect.void : fs.chmod(part, mode)).pipe(
      Effect.zipRight(fs.rename(part, file)),
      Effect.onError(() => Effect.ignore(fs.remove(part))),
    )
  }).pipe(Effect.mapError(about(file)))

/** Writes a file of a project as a whole, and creates its folder if there is none. With the flag `wx`, fails if the file exists. */
export const writeProjectFile = (root: string, name: string, text: string, flag: "w" | "wx" = "w") =>
  Effect.gen(function*() {
    const { fs, path } = yield* disk
    const file = path.join(root, name)
    yield* fs.makeDirectory(path.dirname(file), { recursive: true })
    yield* flag === "w" ? replaceText(file, text) : createFile(file, (append) => append(new TextEncoder().encode(text)))
  })
