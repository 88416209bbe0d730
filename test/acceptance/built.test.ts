import iconv from "iconv-lite"
import { spawnSync } from "node:child_process"
import { createHash } from "node:crypto"
import { once } from "node:events"
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { afterAll, expect, it } from "vitest"
import { start } from "./formferry.ts"

// The build leaves out, replaces and sets apart parts of packages (.ci/lean.mjs): what only the built command can get wrong.

const folder = mkdtempSync(join(tmpdir(), "formferry-built-"))
afterAll(() => rmSync(folder, { recursive: true }))

const inspect = async (name: string, content: Uint8Array) => {
  writeFileSync(join(folder, name), content)
  const { status, stderr, stdout } = await start(["inspect", name], { cwd: folder }).ended
  expect(status, stderr).toBe(0)
  return stdout
}

it("finds encodings whose detector and tables lie beside the bundle", async () => {
  const line = "1,日本語の回答です,東京都千代田区\n"
  const shown = await inspect("japanese.csv", iconv.encode(`番号,回答,住所\n${line.repeat(40)}`, "shift_jis"))
  expect(shown).toMatch(/shift_?jis|cp932/i)
  expect(shown).toContain("日本語の回答です")
})

it("reads a workbook, whose reader lies beside the bundle", async () => {
  const { status, stdout, stderr } = await start(["inspect", resolve("samples/registrations.xlsx")], { cwd: folder })
    .ended
  expect(status, stderr).toBe(0)
  expect(stdout).toContain("excel")
})

it("measures wide characters and joined signs in its tables as terminals show them", async () => {
  const plain = await inspect("plain.csv", Buffer.from("Id,Note\n1,abcd\n2,abcd\n"))
  const wide = await inspect("plain.csv", Buffer.from("Id,Note\n1,語👩‍👩‍👧\n2,語👩‍👩‍👧\n"))
  // Four columns either way: what stands behind them stands where it stood.
  expect(wide.replaceAll("語👩‍👩‍👧", "abcd")).toBe(plain)
})

it("tells e-mail and web addresses by the part of validator that it has", async () => {
  const shown = await inspect(
    "addresses.csv",
    Buffer.from('Id,Mail,Site\n1,"""a b""@example.org",https://example.org/a\n2,ö@example.org,https://example.org/b\n'),
  )
  expect(shown).toMatch(/e-?mail/i)
})

it("asks a service without what Node has for its own HTTP client, for threads and for starting programs: it would be loaded for nothing", async () => {
  const here = join(folder, "live")
  for (const name of ["config", "pipelines"]) mkdirSync(join(here, name), { recursive: true })
  const server = createServer((_, response) => void response.writeHead(401).end("{}")).listen(0, "127.0.0.1")
  await once(server, "listening")
  const { port } = server.address() as AddressInfo
  const service = `{ baseUrl: "http://127.0.0.1:${port}", apiKey: { env: FORM_SERVICE_API_KEY } }`
  writeFileSync(join(here, "config", "formferry.yaml"), `services: { live: ${service} }\n`)
  const mapping = "mapping: { questions: [{ name: Name, from: Name }] }\nsink: { service: live, form: f }\n"
  const pipeline = `pipeline: people\nsource: { file: ../people.csv, rowKey: [Id] }\n${mapping}`
  writeFileSync(join(here, "pipelines", "people.yaml"), pipeline)
  writeFileSync(join(here, "people.csv"), "Id,Name\n1,Ada\n")
  const told = join(here, "modules.json")
  const telling = `import { writeFileSync } from "node:fs"; process.on("exit", () => writeFileSync(${
    JSON.stringify(told)
  }, JSON.stringify(process.moduleLoadList)))`
  const { status, stderr } = await start(["run", "people", "--confirm", "live"], {
    cwd: here,
    env: { NODE_OPTIONS: `--import data:text/javascript,${encodeURIComponent(telling)}` },
  }).ended
  server.close()
  expect(status, stderr).toBe(5)
  const loaded: ReadonlyArray<string> = JSON.parse(readFileSync(told, "utf8"))
  expect(loaded).toContain("NativeModule net")
  const needless = ["http", "https", "http2", "child_process", "worker_threads"].map((name) => `NativeModule ${name}`)
  expect(needless.filter((name) => loaded.includes(name))).toEqual([])
})

it("never runs compiled code that is not as it was written, and makes it anew; help leaves none for the command that it is of", () => {
  const dist = join(folder, "dist")
  cpSync("dist", dist, { recursive: true })
  const help = (...args: ReadonlyArray<string>) => {
    const { status, stderr, stdout } = spawnSync(process.execPath, [join(dist, "main.js"), ...args, "--help"], {
      encoding: "utf8",
    })
    expect(status, stderr).toBe(0)
    return stdout
  }
  const compiled = join(dist, "compiled")
  const files = () => readdirSync(compiled).toSorted()
  const [name = ""] = files().filter((one) => one.startsWith("help-"))
  const file = join(compiled, name)
  const whole = readFileSync(file)
  const shown = help()
  expect(readFileSync(file).equals(whole), "what is as it was written is left alone").toBe(true)
  const flipped = Buffer.from(whole)
  for (let at = 1_000; at < flipped.length; at += 1_000) flipped[at] = (flipped[at] ?? 0) ^ 0xff
  for (const damaged of [flipped, whole.subarray(0, whole.length / 2), Buffer.alloc(0)]) {
    writeFileSync(file, damaged)
    expect(help()).toBe(shown)
    const anew = readFileSync(file)
    expect(anew.length).toBeGreaterThan(whole.length / 2)
    expect(createHash("sha256").update(anew.subarray(32)).digest().equals(anew.subarray(0, 32))).toBe(true)
  }
  const before = files()
  help("inspect")
  expect(files()).toEqual(before)
})
