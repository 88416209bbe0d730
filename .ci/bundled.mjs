// Bundles a TypeScript module of the tests and gives its exports: what `npm run` starts outside of vitest.
import { build } from "esbuild"
import { rmSync } from "node:fs"
import { pathToFileURL } from "node:url"

export const bundled = async (entry) => {
  const outfile = `node_modules/.cache/formferry-${process.pid}.mjs`
  await build({
    entryPoints: [entry],
    outfile,
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
  try {
    return await import(pathToFileURL(outfile).href)
  } finally {
    rmSync(outfile)
  }
}
