import { FileSystem } from "@effect/platform"
import { NodeContext } from "@effect/platform-node"
import { expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { generate } from "../../src/jobs/generate.ts"

const files = [
  "config/schemas/project.schema.json",
  "config/schemas/pipeline.schema.json",
  "docs/pipeline.md",
  "docs/report-json.md",
]

it.layer(NodeContext.layer)("generated files", (it) => {
  it.effect("are committed as they would be generated now", () =>
    Effect.gen(function*() {
      expect(yield* generate(".", { check: true })).toEqual([])
    }))

  it.scoped("are written once; an edited one fails the check and is mended", () =>
    Effect.gen(function*() {
      const fs = yield* FileSystem.FileSystem
      const root = yield* fs.makeTempDirectoryScoped()
      const missing = yield* Effect.flip(generate(root, { check: true }))
      expect(missing).toMatchObject({ _tag: "GeneratedFilesDiffer", files })
      expect(yield* generate(root, { check: false })).toEqual(files)
      expect(yield* generate(root, { check: false })).toEqual([])
      yield* fs.writeFileString(`${root}/${files[1]}`, "{}\n")
      const edited = yield* Effect.flip(generate(root, { check: true }))
      expect(edited.message).toContain("config/schemas/pipeline.schema.json: not as generated. Run npm run generate")
      expect(yield* generate(root, { check: false })).toEqual([files[1]])
      expect(yield* generate(root, { check: true })).toEqual([])
    }))
})
