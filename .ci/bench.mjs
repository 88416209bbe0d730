// Runs the benchmarks against the built command. The code is TypeScript: it is bundled first. Arguments go to test/bench/index.ts.
import { build } from "esbuild"
import { cpSync, rmSync } from "node:fs"
import { resolve } from "node:path"
import { pathToFileURL } from "node:url"
import { forNode } from "./bundled.mjs"

// Inside of node_modules, so that libsql is found.
const folder = resolve(`node_modules/.cache/formferry-bench-${process.pid}`)
try {
  await build({
    ...forNode,
    entryPoints: ["index", "service", "runUnlimited"].map((name) => `test/bench/${name}.ts`),
    outdir: folder,
    splitting: true,
  })
  cpSync("dist", `${folder}/dist`, { recursive: true })
  await import(pathToFileURL(`${folder}/index.js`).href)
} finally {
  rmSync(folder, { recursive: true, force: true })
}
