// Runs the benchmarks against the built command. With `scale`, runs the measurements of docs/performance.md instead. The code is TypeScript, so it is bundled first. Passes its arguments to
// test/bench/index.ts or scale.ts.
import { build } from "esbuild"
import { cpSync, rmSync } from "node:fs"
import { resolve } from "node:path"
import { pathToFileURL } from "node:url"
import { forNode } from "./bundled.mjs"

const [entry] = process.argv[2] === "scale" ? process.argv.splice(2, 1) : ["index"]
// The bundle is written inside node_modules, so that Node finds libsql.
const folder = resolve(`node_modules/.cache/formferry-bench-${process.pid}`)
try {
  await build({
    ...forNode,
    external: [...forNode.external, "playwright-core", "axe-core"],
    entryPoints: [entry, "service", "runUnlimited", "lookUps", "records"].map((name) => `test/bench/${name}.ts`),
    outdir: folder,
    splitting: true,
  })
  cpSync("dist", `${folder}/dist`, { recursive: true })
  // As in the installed package. Without it, Node parses each module twice to find out its format.
  cpSync("package.json", `${folder}/package.json`)
  await import(pathToFileURL(`${folder}/${entry}.js`).href)
} finally {
  rmSync(folder, { recursive: true, force: true })
}
