import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { expect, it } from "vitest"
import { differing } from "./generated.ts"

it("differing returns generated files that are missing or were edited", () => {
  const root = mkdtempSync(join(tmpdir(), "formferry-generated-"))
  const files = differing(root)
  expect(files.map(({ file }) => file)).toEqual([
    "config/schemas/project.schema.json",
    "config/schemas/pipeline.schema.json",
    "docs/pipeline.md",
    "docs/report.md",
    "docs/commands.md",
    "docs/presets.md",
  ])
  for (const { file, text } of files) {
    mkdirSync(dirname(join(root, file)), { recursive: true })
    writeFileSync(join(root, file), text)
  }
  expect(differing(root)).toEqual([])
  writeFileSync(join(root, "docs/pipeline.md"), "edited\n")
  expect(differing(root).map(({ file }) => file)).toEqual(["docs/pipeline.md"])
})
