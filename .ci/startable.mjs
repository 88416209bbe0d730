// Bundles a program into a folder as formferry.cjs, and puts main.js beside it, which starts it (start.mjs). A module that is reached by `import()` only is not run before that.
// Natives can't be bundled: libsql's stays in node_modules.
import { build } from "esbuild"
import { createHash } from "node:crypto"
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { lean } from "./lean.mjs"

export const writeStartable = async (entry, folder) => {
  const { outputFiles } = await build({
    entryPoints: [entry],
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
}
