// Bundles src/main.ts into dist, and the studio's page into dist/studio. A module that is loaded with `import()` becomes a separate file.
import { build } from "esbuild"
import { readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs"
import { isBuiltin } from "node:module"
import { join } from "node:path"
import { gzipSync } from "node:zlib"
import { bundled, forNode } from "./bundled.mjs"
import { thirdParty } from "./thirdParty.mjs"

// The bundle is built in a separate folder and then moved, so that a command that starts in the meantime finds a complete program.
const folder = `node_modules/.cache/formferry-build-${process.pid}`
const { metafile } = await build({
  ...forNode,
  entryPoints: ["src/main.ts"],
  outdir: folder,
  splitting: true,
  chunkNames: "parts/[name]-[hash]",
  minifySyntax: true,
  minifyWhitespace: true,
  // Source maps are for `node --enable-source-maps` in a checkout. They would make the package 1.1 MB larger, so package.json excludes them.
  sourcemap: "linked",
  sourcesContent: false,
  metafile: true,
})
/** The maximum size in bytes of the studio's page, compressed. */
const pageSize = 400 * 1024
const page = await build({
  entryPoints: ["src/studio/page/main.tsx", "src/studio/page/page.css"],
  outdir: join(folder, "studio"),
  bundle: true,
  format: "esm",
  platform: "browser",
  target: "es2022",
  tsconfig: "src/studio/page/tsconfig.json",
  splitting: true,
  minify: true,
  metafile: true,
  logLevel: "warning",
})
const compressed = readdirSync(join(folder, "studio")).reduce(
  (sum, name) => sum + gzipSync(readFileSync(join(folder, "studio", name))).length,
  0,
)
if (compressed > pageSize) {
  throw new Error(`The studio's page has ${compressed} bytes compressed, more than ${pageSize}.`)
}
const { dependencies } = JSON.parse(readFileSync("package.json", "utf8"))
// An older Node lacks the newest built-in modules, such as node:sqlite. They are recognised by their prefix, which is reserved.
const isThere = (name) => name.startsWith("node:") || isBuiltin(name) || dependencies[name] !== undefined
const absent = Object.values(metafile.outputs).flatMap(({ imports }) =>
  imports.filter(({ external, path }) => external && !isThere(path)).map(({ path }) => path)
)
if (absent.length > 0) throw new Error(`Neither bundled nor a dependency: ${[...new Set(absent)].join(", ")}`)
const { compileTopics } = await bundled(".ci/words/compileTopics.ts")
writeFileSync(join(folder, "topics.bin"), compileTopics())
writeFileSync(
  join(folder, "THIRD-PARTY.md"),
  thirdParty({ outputs: { ...metafile.outputs, ...page.metafile.outputs } }),
)
rmSync("dist", { recursive: true, force: true })
renameSync(folder, "dist")
