// Bundles src/main.ts into dist. What a command loads with `import()` becomes a file of its own.
import { build } from "esbuild"
import { renameSync, rmSync } from "node:fs"
import { forNode } from "./bundled.mjs"

// Built in a folder of its own and then moved, so that a command that starts meanwhile finds a whole program.
const folder = `node_modules/.cache/formferry-build-${process.pid}`
await build({
  ...forNode,
  entryPoints: ["src/main.ts"],
  outdir: folder,
  splitting: true,
  chunkNames: "parts/[name]-[hash]",
  minifySyntax: true,
  minifyWhitespace: true,
  sourcemap: "linked",
  sourcesContent: false,
})
rmSync("dist", { recursive: true, force: true })
renameSync(folder, "dist")
