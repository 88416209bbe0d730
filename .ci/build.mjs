// Bundles src/main.ts into dist/main.js. The rooms that the command tree imports with `import()` become files of their own
// and load when they are needed. Natives can't be bundled: libsql stays in node_modules.
import { build } from "esbuild"
import { chmodSync, renameSync, rmSync } from "node:fs"
import { fileURLToPath } from "node:url"

// Built beside and then put in place, so that a command that starts meanwhile finds all its rooms.
rmSync("dist.next", { recursive: true, force: true })
await build({
  entryPoints: ["src/main.ts"],
  outdir: "dist.next",
  bundle: true,
  splitting: true,
  minifyWhitespace: true,
  minifySyntax: true,
  format: "esm",
  platform: "node",
  target: "node20",
  external: ["libsql"],
  plugins: [{
    name: "part of undici",
    setup: (plugins) =>
      plugins.onResolve({ filter: /^undici$/ }, () => ({ path: fileURLToPath(new URL("undici.mjs", import.meta.url)) })),
  }],
  sourcemap: true,
  sourcesContent: false,
  chunkNames: "rooms/[name]-[hash]",
  // CommonJS packages inside an ES module still call require for Node's own modules.
  banner: {
    js:
      `import { createRequire as __createRequire } from "node:module"; const require = __createRequire(import.meta.url);`,
  },
  logLevel: "warning",
})
chmodSync("dist.next/main.js", 0o755)
rmSync("dist", { recursive: true, force: true })
renameSync("dist.next", "dist")
