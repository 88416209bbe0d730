import * as FileSystem from "@effect/platform/FileSystem"
import * as Path from "@effect/platform/Path"
import * as Effect from "effect/Effect"

/** What work with files needs. */
export type Disk = FileSystem.FileSystem | Path.Path

/** The file system, and how its paths are written. */
export const disk = Effect.all({ fs: FileSystem.FileSystem, path: Path.Path })

/** Returns the path of a file relative to a folder, with slashes on every system. */
export const relativePath = (path: Path.Path, folder: string, file: string): string =>
  path.relative(folder, file).split(path.sep).join("/")

/** Writes a file of a project, and creates its folder if there is none. With the flag `wx`, fails if the file exists. */
export const writeProjectFile = (root: string, name: string, text: string, flag: "w" | "wx" = "w") =>
  Effect.gen(function*() {
    const { fs, path } = yield* disk
    const file = path.join(root, name)
    yield* fs.makeDirectory(path.dirname(file), { recursive: true })
    yield* fs.writeFileString(file, text, { flag })
  })
