// Checks types and Effect's rules in one pass, with Effect's rules patched into a copy of the type checker. node_modules stays as installed.
// Checking the rules separately from the types took four times as long.
import { spawn } from "node:child_process"
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from "node:fs"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"

const modules = join(dirname(fileURLToPath(import.meta.url)), "..", "node_modules")
const version = (name) => JSON.parse(readFileSync(join(modules, name, "package.json"), "utf8")).version

/** Runs a script with Node. Returns its exit code. */
const node = (args, show) =>
  new Promise((done) => {
    const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "pipe"] })
    let said = ""
    child.stdout.on("data", (part) => (said += part))
    child.stderr.on("data", (part) => (said += part))
    child.on("close", (status) => {
      if (show || status !== 0) process.stdout.write(said)
      done(status ?? 1)
    })
  })

const cache = join(modules, ".cache", "formferry")
const checker = join(cache, `typescript-${version("typescript")}-${version("@effect/language-service")}`)
if (!existsSync(checker)) {
  mkdirSync(cache, { recursive: true })
  const made = mkdtempSync(join(cache, "making-"))
  cpSync(join(modules, "typescript"), join(made, "typescript"), { recursive: true })
  const patch = join(modules, "@effect", "language-service", "cli.js")
  const status = await node([patch, "patch", "--module", "tsc", "--dir", join(made, "typescript")], false)
  if (status !== 0) process.exit(status)
  try {
    renameSync(join(made, "typescript"), checker)
  } catch (error) {
    // A check that ran at the same time may have made the copy already.
    if (!existsSync(checker)) throw error
  }
  rmSync(made, { recursive: true, force: true })
}

const statuses = await Promise.all(
  ["tsconfig.json", join("test", "tsconfig.json"), join("src", "studio", "page", "tsconfig.json")].map((project) =>
    node([join(checker, "lib", "tsc.js"), "-p", project], true)
  ),
)
process.exit(Math.max(...statuses))
