import * as FileSystem from "@effect/platform/FileSystem"
import * as Path from "@effect/platform/Path"
import * as Effect from "effect/Effect"

/** What work with files needs. */
export type Disk = FileSystem.FileSystem | Path.Path

/** The file system, and how its paths are written. */
export const disk = Effect.all({ fs: FileSystem.FileSystem, path: Path.Path })
