// Bundles src/main.ts into dist, with what it reads there, and the compiled code of the commands that start most often.
import { build } from "esbuild"
import { spawnSync } from "node:child_process"
import { cpSync, mkdtempSync, renameSync, rmSync } from "node:fs"
import { createRequire } from "node:module"
import { tmpdir } from "node:os"
import { dirname, join, resolve } from "node:path"
import { apart, tables } from "./lean.mjs"
import { writeStartable } from "./startable.mjs"

// Built beside and then put in place, so that a command that starts meanwhile finds all of it.
const folder = `node_modules/.cache/formferry-build-${process.pid}`
await writeStartable("src/main.ts", folder)

// Node reads these as they are: their text is not held by the bundle.
await build({
  entryPoints: apart,
  outdir: folder,
  outExtension: { ".js": ".cjs" },
  bundle: true,
  minify: true,
  format: "cjs",
  platform: "node",
  target: "node20",
  logLevel: "warning",
})
const iconv = dirname(createRequire(import.meta.url).resolve("iconv-lite/package.json"))
cpSync(join(iconv, "encodings", "tables"), join(folder, tables), { recursive: true })

// The commands that start most often leave what V8 made of them. What else they do is of no interest here.
const project = mkdtempSync(join(tmpdir(), "formferry-build-"))
try {
  for (const part of ["config", "pipelines", "samples"]) cpSync(part, join(project, part), { recursive: true })
  for (const args of [["--help"], ["run", "contacts"]]) {
    spawnSync(process.execPath, [resolve(folder, "main.js"), ...args], { cwd: project, stdio: "ignore" })
  }
} finally {
  rmSync(project, { recursive: true })
}
rmSync("dist", { recursive: true, force: true })
renameSync(folder, "dist")
