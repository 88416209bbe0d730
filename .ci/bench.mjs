// Runs the benchmarks against the built command, or with `scale` what docs/scale.md tells. The code is TypeScript: it is bundled first. Arguments go to test/bench/index.ts, or scale.ts.
import { build } from "esbuild"
import { cpSync, rmSync } from "node:fs"
import { resolve } from "node:path"
import { pathToFileURL } from "node:url"
import { forNode } from "./bundled.mjs"
import { writeStartable } from "./startable.mjs"

const [entry] = process.argv[2] === "scale" ? process.argv.splice(2, 1) : ["index"]
// Inside of node_modules, so that libsql is found.
const folder = resolve(`node_modules/.cache/formferry-bench-${process.pid}`)
try {
  await build({
    ...forNode,
    entryPoints: [entry, "service"].map((name) => `test/bench/${name}.ts`),
    outdir: folder,
    splitting: true,
  })
  cpSync("dist", `${folder}/dist`, { recursive: true })
  // Started just as the command is.
  await writeStartable("test/bench/runUnlimited.ts", `${folder}/unlimited`)
  await import(pathToFileURL(`${folder}/${entry}.js`).href)
} finally {
  rmSync(folder, { recursive: true, force: true })
}
