import { execFile, execFileSync } from "node:child_process"
import { createHash } from "node:crypto"
import {
  chownSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join, relative, resolve } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { registry } from "../acceptance/deployed.ts"
import { isLong } from "../long.ts"

const repository = resolve(import.meta.dirname, "../..")
const { listed, thirdParty } = await import(join(repository, ".ci/thirdParty.mjs")) as {
  readonly listed: (text: string) => ReadonlyArray<string>
  readonly thirdParty: (metafile: unknown) => string
}

const read = (...path: ReadonlyArray<string>) => readFileSync(join(...path), "utf8")
const filesIn = (folder: string) =>
  readdirSync(folder, { recursive: true, withFileTypes: true }).flatMap((entry) =>
    entry.isFile() ? [relative(folder, join(entry.parentPath, entry.name))] : []
  )

const { version } = JSON.parse(read(repository, "package.json")) as { readonly version: string }
const name = `formferry-${version}`

// The user is not root. Its home and npm cache are empty, and its only npm settings are those for reaching the
// registry.
const user = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {}
const home = mkdtempSync(join(tmpdir(), "formferry-package-"))
if (user.uid !== undefined) chownSync(home, user.uid, user.gid)
afterAll(() => rmSync(home, { recursive: true }))

const env = {
  ...Object.fromEntries(Object.entries(process.env).filter(([key]) => !/^(npm_|vitest|node_env|ci$)/i.test(key))),
  HOME: home,
  TMPDIR: home,
  ...registry(),
  npm_config_prefix: join(home, "prefix"),
}

/** Runs a program as `user` and returns its output. Fails with the output if the exit code isn't 0. */
const run = (program: string, ...args: ReadonlyArray<string>) =>
  new Promise<{ readonly stdout: string; readonly stderr: string }>((done, failed) => {
    execFile(program, args, { cwd: home, env, ...user }, (error, stdout, stderr) => {
      if (error === null) done({ stdout, stderr })
      else failed(new Error(`${program} ${args.join(" ")}\n${stdout}\n${stderr}`, { cause: error }))
    })
  })

describe.runIf(isLong)("the package", () => {
  const modules = join(home, "prefix/lib/node_modules")
  const installed = join(modules, "formferry")
  let installing: { readonly stdout: string; readonly stderr: string }

  beforeAll(async () => {
    execFileSync(process.execPath, [".ci/release.mjs", home], { cwd: repository, stdio: "pipe" })
    // The Dockerfile's command installs the package in this folder, and leaves no other files.
    const [, command = ""] = /^RUN (npm install .*)$/m.exec(read(repository, "docs/deploy/Dockerfile")) ?? []
    mkdirSync(join(home, "tmp"))
    copyFileSync(join(home, `${name}.tgz`), join(home, "tmp", `${name}.tgz`))
    if (user.uid !== undefined) chownSync(join(home, "tmp"), user.uid, user.gid)
    installing = await run(
      "sh",
      "-e",
      "-c",
      command.replaceAll("/tmp/", `${home}/tmp/`).replaceAll("/root/", `${home}/`),
    )
    expect(readdirSync(join(home, "tmp"))).toEqual([])
    expect(existsSync(join(home, ".npm"))).toBe(false)
  })

  it("the package has at most 10 MB, and installs at most 15 packages and 60 MB without warnings or install scripts", () => {
    const packed = readFileSync(join(home, `${name}.tgz`))
    expect(packed.length).toBeLessThan(10e6)
    const files = filesIn(modules)
    const manifests = files.filter((file) => /(^|node_modules\/)(@[^/]+\/)?[^/]+\/package\.json$/.test(file))
    expect(manifests.length).toBeLessThanOrEqual(15)
    const bytes = files.reduce((sum, file) => sum + readFileSync(join(modules, file)).length, 0)
    expect(bytes).toBeLessThan(60e6)
    const scripts = manifests.flatMap((file) => Object.keys(JSON.parse(read(modules, file)).scripts ?? {}))
    expect(scripts.filter((script) => /^(pre|post)?install$/.test(script))).toEqual([])
    expect(installing.stderr).toBe("")
    expect(installing.stdout).toMatch(/^\s*added \d+ packages in \S+\s*$/)
  })

  it("the package runs the demonstration without a Node warning", async () => {
    const { stderr, stdout } = await run(join(home, "prefix/bin/formferry"), "demo")
    expect(stdout).toContain("Everything is in")
    expect(stderr).not.toMatch(/warning|\(node:/i)
    const npx = await run("npx", "--yes", `--package=${join(home, `${name}.tgz`)}`, "formferry", "--version")
    expect(npx.stdout.trim()).toBe(version)
  })

  it("the package contains every page and file that its pages link to, and no source maps", () => {
    const files = filesIn(installed).filter((file) => !file.startsWith("node_modules"))
    expect(files.filter((file) => file.endsWith(".map"))).toEqual([])
    const links = files.filter((file) => file.endsWith(".md") && !file.startsWith("dist")).flatMap((page) =>
      [...read(installed, page).matchAll(/\]\(([^)#\s]+)/g)].map(([, link = ""]) => ({ page, link }))
    )
    expect(links.length).toBeGreaterThan(50)
    // Development pages link to sources, which only the repository contains.
    const isSource = (file: string) => /^(src|test|\.ci|\.github)\//.test(file) && existsSync(join(repository, file))
    const broken = links.filter(({ link, page }) => {
      const file = join(dirname(page), link)
      return !link.startsWith("https://") && !existsSync(join(installed, file)) && !isSource(file)
    })
    expect(broken).toEqual([])
  })

  it("the package comes with its checksum and a list of all bundled and installed packages", () => {
    const digest = createHash("sha256").update(readFileSync(join(home, `${name}.tgz`))).digest("hex")
    expect(read(home, `${name}.tgz.sha256`)).toBe(`${digest}  ${name}.tgz\n`)
    const sbom = JSON.parse(read(home, `${name}.sbom.json`)) as {
      readonly components: ReadonlyArray<{ readonly "bom-ref": string; readonly scope: string }>
    }
    const required = sbom.components.filter(({ scope }) => scope === "required").map((one) => one["bom-ref"])
    const bundled = listed(read(installed, "dist/THIRD-PARTY.md"))
    expect(bundled.length).toBeGreaterThan(20)
    expect(required).toEqual(expect.arrayContaining([...bundled, expect.stringMatching(/^libsql@/)]))
    expect(sbom.components.filter((one) => /^(vitest|esbuild)@/.test(one["bom-ref"]))).toEqual([])
  })
})

describe("the licence list of bundled packages", () => {
  const packages = (manifest: { readonly name: string; readonly license?: string }, text?: string) => {
    const folder = join(home, "bundle/node_modules", manifest.name)
    mkdirSync(folder, { recursive: true })
    writeFileSync(join(folder, "package.json"), JSON.stringify({ version: "1.0.0", ...manifest }))
    if (text !== undefined) writeFileSync(join(folder, "LICENCE.txt"), text)
    return { outputs: { "main.js": { inputs: { [join(folder, "lib/index.js")]: { bytesInOutput: 1 } } } } }
  }

  it("the licence list contains the text of each licence", () => {
    const text = thirdParty(packages({ name: "@planted/sound", license: "MIT" }, "Do what you want.\n"))
    expect(listed(text)).toEqual(["@planted/sound@1.0.0"])
    expect(text).toContain("## @planted/sound\n\n~~~text\nDo what you want.\n~~~")
  })

  it.each([
    ["has no text", { name: "textless", license: "MIT" }, undefined, "textless 1.0.0 has no licence text"],
    ["isn't allowed", { name: "strict", license: "AGPL-3.0" }, "…", "strict 1.0.0: the licence AGPL-3.0 is not"],
    ["isn't named", { name: "unnamed" }, "…", "unnamed 1.0.0: the licence undefined is not"],
  ])("the build fails if a package %s", (_, manifest, text, says) => {
    expect(() => thirdParty(packages(manifest, text))).toThrow(says)
  })
})
