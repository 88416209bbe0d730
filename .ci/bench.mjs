// Runs the benchmarks against the built command. The code is TypeScript: it is bundled first.
import { build } from "esbuild"
import { rmSync } from "node:fs"
import { pathToFileURL } from "node:url"

const bundle = "node_modules/.cache/formferry-bench.mjs"
await build({
  entryPoints: ["test/bench/index.ts"],
  outfile: bundle,
  bundle: true,
  format: "esm",
  platform: "node",
  target: "node20",
  logLevel: "warning",
})
try {
  await import(pathToFileURL(bundle).href)
} finally {
  rmSync(bundle)
}
