import { mkdirSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { expect, it } from "vitest"

/** Returns the number of lines of a folder's files, except the settings of the type checker. */
const linesIn = (folder: string): number =>
  readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((one) => one.isFile() && one.name !== "tsconfig.json")
    .reduce((sum, { name, parentPath }) => sum + readFileSync(join(parentPath, name), "utf8").split("\n").length - 1, 0)

it("the studio's command, server and page together have at most 4,000 lines", () => {
  const command = readFileSync(resolve(import.meta.dirname, "../../src/cli/studio.ts"), "utf8").split("\n").length - 1
  expect(linesIn(resolve(import.meta.dirname, "../../src/studio")) + command).toBeLessThanOrEqual(4000)
})

it("lines of all files and folders are counted", () => {
  const folder = mkdtempSync(join(tmpdir(), "formferry-house-"))
  mkdirSync(join(folder, "page"))
  writeFileSync(join(folder, "serve.ts"), "1\n2\n")
  writeFileSync(join(folder, "page", "page.css"), "3\n\n5\n")
  writeFileSync(join(folder, "page", "tsconfig.json"), "{\n}\n")
  expect(linesIn(folder)).toBe(5)
})
