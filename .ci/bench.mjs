// Runs the benchmarks against the built command, or with `scale` the measurements of docs/performance.md. The code is TypeScript, so it is bundled first. Arguments go to test/bench/index.ts or scale.ts.
import { build } from "esbuild"
import { cpSync, rmSync } from "node:fs"
import { resolve } from "node:path"
import { pathToFileURL } from "node:url"
import { forNode } from "./bundled.mjs"

const [entry] = process.argv[2] === "scale" ? process.argv.splice(2, 1) : ["index"]
// Inside node_modules, so that libsql is found.
const folder = resolve(`node_modules/.cache/formferry-bench-${process.pid}`)
try {
  await build({
    ...forNode,
    entryPoints: [entry, "service", "runUnlimited"].map((name) => `test/bench/${name}.ts`),
    outdir: folder,
    splitting: true,
  })
  cpSync("dist", `${folder}/dist`, { recursive: true })
  await import(pathToFileURL(`${folder}/${entry}.js`).href)
} finally {
  rmSync(folder, { recursive: true, force: true })
}
