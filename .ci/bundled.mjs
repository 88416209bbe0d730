// Bundles a TypeScript module of the tests and returns its exports, for scripts that `npm run` starts outside vitest.
import { build } from "esbuild"
import { rmSync } from "node:fs"
import { pathToFileURL } from "node:url"

/** How formferry's modules are bundled for Node. Native packages stay outside, and bundled CommonJS packages get their own `require`. */
export const forNode = {
  bundle: true,
  format: "esm",
  platform: "node",
  target: "node20",
  external: ["libsql"],
  // Without this, a literal such as /\p{N}/u becomes a constructor call, which runs each time.
  supported: { "regexp-unicode-property-escapes": true },
  banner: {
    js:
      `import { createRequire as __createRequire } from "node:module"; const require = __createRequire(import.meta.url);`,
  },
  logLevel: "warning",
}

export const bundled = async (entry) => {
  const outfile = `node_modules/.cache/formferry-${process.pid}.mjs`
  await build({ ...forNode, entryPoints: [entry], outfile })
  try {
    return await import(pathToFileURL(outfile).href)
  } finally {
    rmSync(outfile)
  }
}
