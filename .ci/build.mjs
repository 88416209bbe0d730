// Bundles src/main.ts into dist/formferry.cjs, and puts dist/main.js beside it, which starts it (start.mjs). A module that is reached by `import()` only is not run before that.
// Natives can't be bundled: libsql's stays in node_modules.
import { build } from "esbuild"
import { spawnSync } from "node:child_process"
import { createHash } from "node:crypto"
import { chmodSync, cpSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs"
import { createRequire } from "node:module"
import { tmpdir } from "node:os"
import { dirname, join, resolve } from "node:path"
import { apart, lean, tables } from "./lean.mjs"

// Built beside and then put in place, so that a command that starts meanwhile finds all of it.
const folder = `node_modules/.cache/formferry-build-${process.pid}`
const { outputFiles } = await build({
  entryPoints: ["src/main.ts"],
  outfile: `${folder}/formferry.cjs`,
  write: false,
  bundle: true,
  minifyWhitespace: true,
  minifySyntax: true,
  // A script, for of modules Node 20 keeps no compiled code.
  format: "cjs",
  supported: { "dynamic-import": false },
  define: { "import.meta.url": "__start" },
  banner: { js: "(function (require, __start) { const module = { exports: {} }, exports = module.exports;" },
  footer: { js: "})" },
  platform: "node",
  target: "node20",
  plugins: [lean],
  sourcemap: "external",
  sourcesContent: false,
  logLevel: "warning",
})
mkdirSync(folder, { recursive: true })
let code = ""
for (const { path, text } of outputFiles) {
  // esbuild leaves other characters in templates with a tag; in ASCII, V8 takes the file as it lies there. Where a tag reads the raw text, that is JavaScript, which reads it so too.
  const plain = path.endsWith(".cjs")
    ? text.replace(/[^\0-\x7F]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`)
    : text
  if (path.endsWith(".cjs")) code = plain
  writeFileSync(path, plain)
}
const id = createHash("sha256").update(code).digest("hex").slice(0, 16)
const start = readFileSync(new URL("start.mjs", import.meta.url), "utf8")
writeFileSync(`${folder}/main.js`, start.replace("BUILD", id))
chmodSync(`${folder}/main.js`, 0o755)

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
  for (const args of [["--help"], ["run", "contacts", "--dry-run"]]) {
    spawnSync(process.execPath, [resolve(folder, "main.js"), ...args], { cwd: project, stdio: "ignore" })
  }
} finally {
  rmSync(project, { recursive: true })
}
rmSync("dist", { recursive: true, force: true })
renameSync(folder, "dist")
