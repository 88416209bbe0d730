import { FileSystem, Path } from "@effect/platform"
import { Effect } from "effect"
import { fileURLToPath } from "node:url"
import { projectFolder } from "../project/projectFolder.ts"

export const repository = fileURLToPath(new URL("../..", import.meta.url))

/** Copies the demonstration project, with its own ledger, reports and store. */
export const demonstration = Effect.gen(function*() {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const root = yield* projectFolder({})
  for (const part of ["config", "pipelines", "samples"]) {
    yield* fs.copy(path.join(repository, part), path.join(root, part))
  }
  return root
})
