// Runs the benchmarks against the built command. The code is TypeScript: it is bundled first. Arguments go to test/bench/index.ts.
import { build } from "esbuild"
import { cpSync, rmSync } from "node:fs"
import { resolve } from "node:path"
import { pathToFileURL } from "node:url"

// Inside of node_modules, so that libsql is found.
const folder = resolve(`node_modules/.cache/formferry-bench-${process.pid}`)
try {
  await build({
    entryPoints: ["index", "service", "runUnlimited"].map((name) => `test/bench/${name}.ts`),
    outdir: folder,
    bundle: true,
    splitting: true,
    format: "esm",
    platform: "node",
    target: "node20",
    external: ["libsql"],
    banner: {
      js:
        `import { createRequire as __createRequire } from "node:module"; const require = __createRequire(import.meta.url);`,
    },
    logLevel: "warning",
  })
  cpSync("dist", `${folder}/dist`, { recursive: true })
  await import(pathToFileURL(`${folder}/index.js`).href)
} finally {
  rmSync(folder, { recursive: true, force: true })
}
