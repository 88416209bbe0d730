import type * as Path from "@effect/platform/Path"

/** Returns the path of a file relative to a folder, with slashes on every system. */
export const relativePath = (path: Path.Path, folder: string, file: string): string =>
  path.relative(folder, file).split(path.sep).join("/")
