// Runs the simulation of test/faults: node .ci/simulate.mjs --seeds 2000. The code is TypeScript: it is bundled first.
import { build } from "esbuild"
import { pathToFileURL } from "node:url"

const bundle = `node_modules/.cache/formferry-simulate-${process.pid}.mjs`
await build({
  stdin: {
    contents: `export { main } from "./test/faults/main.ts"`,
    resolveDir: ".",
    loader: "ts",
  },
  outfile: bundle,
  bundle: true,
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
const { main } = await import(pathToFileURL(bundle).href)
const { rmSync } = await import("node:fs")
rmSync(bundle)
// What waits for ever on a machine that was switched off keeps timers.
process.exit(await main(process.argv.slice(2)))
