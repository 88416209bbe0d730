// Plugins of esbuild that keep out of the bundle what a command would load and run for nothing.
import { readFileSync } from "node:fs"
import { basename } from "node:path"
import { fileURLToPath } from "node:url"

const beside = (name) => fileURLToPath(new URL(name, import.meta.url))

/** Packages of which only a part is used: what their name stands for in the bundle. */
const parts = { undici: beside("undici.mjs"), validator: beside("validator.mjs") }

/** Large packages that are loaded by `import()` and seldom: files of their own beside the bundle, so that no other command has their text in memory. */
export const apart = ["jschardet", "xlsx"]

/** The tables of iconv-lite, each read when an encoding needs it: the same. */
export const tables = "encodings"

const imports = /^import \{([^}]*)\} from "(effect|@effect\/platform|@effect\/cli)"$/gm

const imported = (name, from) => {
  const [module, as = module] = name.split(" as ")
  // The few names that are no modules stand in Function.
  return /^[A-Z]/.test(name)
    ? `import * as ${as} from "${from}/${module}"`
    : `import { ${name} } from "${from}/Function"`
}

/**
 * `import { Effect } from "effect"` becomes `import * as Effect from "effect/Effect"`: a module that is not run before it is needed runs all that its imports name, and the index of such a
 * package names hundreds of modules that nothing here uses. Lines stay where they are, for the source map.
 */
const withoutIndex = (text) =>
  text.replace(
    imports,
    (said, names, from) =>
      names.split(",").map((name) => name.trim()).filter((name) => name !== "").map((name) => imported(name, from))
        .join("; ") + "\n".repeat(said.split("\n").length - 1),
  )

/**
 * Patterns of Unicode properties, and what cuts texts into what people call letters, take string-width and wrap-ansi 20 ms to make: each is made when a text asks for it, which no text of plain
 * ASCII does.
 */
const madeLate = (text) => {
  const names = []
  const late = text.replace(
    /^const (\w+Regex|segmenter) = (\/.*\/\w*|new Intl\.Segmenter\(\));$/gm,
    (_, name, value) => {
      names.push(name)
      return `let ${name}Made; const ${name}Of = () => ${name}Made ??= ${value};`
    },
  )
  if (names.length === 0) throw new Error("nothing is left to be made late: look at it again")
  return late.replace(new RegExp(`\\b(${names.join("|")})\\b`, "g"), "$1Of()")
}

/**
 * libsql's JavaScript goes into the bundle, where the code that V8 made of it is kept as well, and asks for its native part alone: to find out which that is, it would load four more files and
 * have Node write a report of the whole process, names of sockets' other ends included. With GNU's C library one file tells; elsewhere it finds out by itself. 15 ms of every run.
 */
const withNative = (text) => {
  const finding = /^const \{ load, currentTarget \} = require\("@neon-rs\/load"\);\n(.*) = require\("detect-libc"\);$/m
  const changed = text
    .replace(finding, 'const native = require("node:module").createRequire(require.resolve("libsql"));')
    .replace(
      "function requireNative() {",
      `function requireNative() {
  const known = process.platform === "linux" && (process.arch === "x64" || process.arch === "arm64");
  if (known && saysGnu()) return native("@libsql/linux-" + process.arch + "-gnu");
  const { load, currentTarget } = native("@neon-rs/load");
  const { familySync, GLIBC, MUSL } = native("detect-libc");`,
    )
    .replace("return require(`@libsql/", "return native(`@libsql/")
  const asked = changed.match(/\bnative\(/g)?.length
  if (finding.test(changed) || asked !== 4) {
    throw new Error("libsql finds its native part another way: look at it again")
  }
  return `${changed}
function saysGnu() {
  try {
    return require("node:fs").readFileSync("/usr/bin/ldd", "latin1").includes("GNU C Library");
  } catch {
    return false;
  }
}
`
}

/** undici asks Node's HTTP client, which is loaded for it alone, for two things that are not needed here: bodies are no streams, and the size of headers is said. 5 ms of every run. */
const withoutNodeHttp = (text) => {
  const changed = text
    .replace("const { IncomingMessage } = require('node:http')", "")
    .replace(/\bIncomingMessage\b/g, "require('node:http').IncomingMessage")
    .replace("const http = require('node:http')", "")
    .replace(/^(const getDefaultNodeMaxHeaderSize =)[^]*?\n\n/m, "$1 () => require('node:http').maxHeaderSize\n\n")
  const code = changed.replace(/\/\*[^]*?\*\/|\/\/.*/g, "")
  const late = code.replace("require('node:http').IncomingMessage", "").replace(/= \(\) => require\('node:http'\)/, "")
  if (
    late === code || /\brequire\(["'`](node:)?http["'`]\)/.test(late)
    || /\bhttp\b/.test(late.replace(/(["'`]).*?\1/g, ""))
  ) {
    throw new Error("undici asks Node's HTTP client for something else: look at it again")
  }
  return changed
}

export const lean = {
  name: "lean",
  setup: (plugins) => {
    plugins.onResolve({ filter: /^(undici|validator)$/ }, ({ path }) => ({ path: parts[path] }))
    plugins.onResolve({ filter: /^libsql$/ }, ({ kind }) => kind === "require-resolve" ? { external: true } : undefined)
    plugins.onLoad({ filter: /[\\/]libsql[\\/]index\.js$/ }, ({ path }) => ({
      contents: withNative(readFileSync(path, "utf8")),
    }))
    plugins.onResolve({ filter: new RegExp(`^(${apart.join("|")})$`) }, ({ path }) => ({
      path: `./${path}.cjs`,
      external: true,
    }))
    plugins.onResolve(
      { filter: /^\.\/tables\/[\w-]+\.json$/ },
      ({ importer, path }) =>
        importer.includes("iconv-lite") ? { path: `./${tables}/${basename(path)}`, external: true } : undefined,
    )
    // HTTP/2 is never spoken, and Node's own part of it would be loaded.
    plugins.onLoad({ filter: /undici[\\/]lib[\\/]dispatcher[\\/]client-h2\.js$/ }, () => ({
      contents: `module.exports = () => { throw new Error("HTTP/2 is not spoken") }`,
    }))
    plugins.onLoad({ filter: /undici[\\/]lib[\\/](core[\\/]util|dispatcher[\\/]client)\.js$/ }, ({ path }) => ({
      contents: withoutNodeHttp(readFileSync(path, "utf8")),
    }))
    plugins.onLoad({ filter: /(string-width|wrap-ansi)[\\/]index\.js$/ }, ({ path }) => {
      const text = readFileSync(path, "utf8")
      // Others in the tree are older and have none of them.
      return text.includes("new Intl.Segmenter") ? { contents: madeLate(text) } : undefined
    })
    plugins.onLoad({ filter: /[\\/]src[\\/][^.]*\.ts$/ }, ({ path }) =>
      path.includes("node_modules")
        ? undefined
        : { loader: "ts", contents: withoutIndex(readFileSync(path, "utf8")) })
  },
}
