import { mkdtempSync, readFileSync, realpathSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { expect, it } from "vitest"
import { isLong } from "../long.ts"
import { pictured, recorded } from "./pictured.ts"

it.runIf(isLong)("README's pictures show what the command and the report say now", () => {
  const project = realpathSync(mkdtempSync(join(tmpdir(), "formferry-pictures-")))
  try {
    expect(pictured(project).text, "Run npm run pictures and commit what changes").toBe(readFileSync(recorded, "utf8"))
  } finally {
    rmSync(project, { recursive: true })
  }
})
