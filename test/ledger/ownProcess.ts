import { build } from "esbuild"
import { mkdirSync, mkdtempSync, rmSync } from "node:fs"
import { join, resolve } from "node:path"
import { afterAll, beforeAll } from "vitest"

/**
 * Bundles a function of this folder into a script, before the tests of a file. The script calls the function with the
 * JSON value in its first argument. @param name of the function and of its module, NAME.ts @returns a function with
 * Node's arguments, which tests can call
 */
export const ownProcess = (name: string): (told: object) => ReadonlyArray<string> => {
  let built = ""
  beforeAll(async () => {
    // The script is next to the packages, so that libsql is found.
    const cache = resolve(import.meta.dirname, "../../node_modules/.cache")
    mkdirSync(cache, { recursive: true })
    built = mkdtempSync(join(cache, "ledger-"))
    await build({
      stdin: {
        contents: `import { ${name} } from "./${name}.ts"\nawait ${name}(JSON.parse(process.argv[2] ?? ""))\n`,
        resolveDir: import.meta.dirname,
        loader: "ts",
      },
      bundle: true,
      platform: "node",
      format: "esm",
      external: ["libsql"],
      // The PostgreSQL client is CommonJS.
      banner: {
        js:
          `import { createRequire as __createRequire } from "node:module"; const require = __createRequire(import.meta.url);`,
      },
      outfile: join(built, `${name}.mjs`),
    })
  })
  afterAll(() => rmSync(built, { recursive: true, force: true }))
  return (told) => [join(built, `${name}.mjs`), JSON.stringify(told)]
}
