import { FileSystem } from "@effect/platform"
import { NodeContext } from "@effect/platform-node"
import { expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { join } from "node:path"
import { foldersHolding } from "../../src/report/forget.ts"

it.scoped("a search of reports says once why the folder of a pipeline can't be read", () =>
  Effect.gen(function*() {
    const fs = yield* FileSystem.FileSystem
    const reports = yield* fs.makeTempDirectoryScoped()
    const file = join(reports, "contacts")
    yield* fs.writeFileString(file, "")
    const { message } = yield* Effect.flip(foldersHolding(reports, "contacts", ["K-1"], [], () => Effect.void))
    expect(message.match(/can't be/g)).toHaveLength(1)
    expect(message).toContain(`The report ${file} can't be read or written: `)
  }).pipe(Effect.provide(NodeContext.layer)))
