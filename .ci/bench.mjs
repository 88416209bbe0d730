// Runs the benchmarks against the built command. The code is TypeScript: it is bundled first. Arguments go to test/bench/index.ts.
import { build } from "esbuild"
import { cpSync, rmSync } from "node:fs"
import { resolve } from "node:path"
import { pathToFileURL } from "node:url"
import { forNode } from "./bundled.mjs"
import { writeStartable } from "./startable.mjs"

// Inside of node_modules, so that libsql is found.
const folder = resolve(`node_modules/.cache/formferry-bench-${process.pid}`)
try {
  await build({
    ...forNode,
    entryPoints: ["index", "service"].map((name) => `test/bench/${name}.ts`),
    outdir: folder,
    splitting: true,
  })
  cpSync("dist", `${folder}/dist`, { recursive: true })
  // Started just as the command is.
  await writeStartable("test/bench/runUnlimited.ts", `${folder}/unlimited`)
  await import(pathToFileURL(`${folder}/index.js`).href)
} finally {
  rmSync(folder, { recursive: true, force: true })
}
