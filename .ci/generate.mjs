// Writes the files that are generated from code; with --check only compares them. The code is TypeScript: it is bundled first.
import { build } from "esbuild"
import { rmSync } from "node:fs"
import { pathToFileURL } from "node:url"

const bundle = "node_modules/.cache/formferry-generate.mjs"
await build({
  stdin: {
    contents: `
      import { NodeContext, NodeRuntime } from "@effect/platform-node"
      import { Console, Effect } from "effect"
      import { generate } from "./src/jobs/generate.ts"
      const check = process.argv.includes("--check")
      NodeRuntime.runMain(generate(".", { check }).pipe(
        Effect.flatMap((files) => Effect.forEach(files, (file) => Console.log("written: " + file))),
        Effect.tapError((error) => Console.error(error.message)),
        Effect.provide(NodeContext.layer),
      ), { disableErrorReporting: true })
    `,
    resolveDir: ".",
    loader: "ts",
  },
  outfile: bundle,
  bundle: true,
  format: "esm",
  platform: "node",
  target: "node20",
  banner: {
    js:
      `import { createRequire as __createRequire } from "node:module"; const require = __createRequire(import.meta.url);`,
  },
  logLevel: "warning",
})
await import(pathToFileURL(bundle).href)
rmSync(bundle)
