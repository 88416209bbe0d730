import iconv from "iconv-lite"
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { afterAll, expect, it } from "vitest"
import { start } from "./formferry.ts"

// Tests what can fail only in the bundle: packages that load parts of their code on demand.

const folder = mkdtempSync(join(tmpdir(), "formferry-built-"))
afterAll(() => rmSync(folder, { recursive: true }))

const inspect = async (name: string, content: Uint8Array) => {
  writeFileSync(join(folder, name), content)
  const { status, stderr, stdout } = await start(["inspect", name], { cwd: folder }).ended
  expect(status, stderr).toBe(0)
  return stdout
}

it("the built command detects an encoding, although it loads the detector and its tables only when needed", async () => {
  const line = "1,日本語の回答です,東京都千代田区\n"
  const shown = await inspect("japanese.csv", iconv.encode(`番号,回答,住所\n${line.repeat(40)}`, "shift_jis"))
  expect(shown).toMatch(/shift_?jis|cp932/i)
  expect(shown).toContain("日本語の回答です")
})

it("the built command reads a workbook, although it loads the reader only when needed", async () => {
  const { status, stdout, stderr } = await start(["inspect", resolve("samples/registrations.xlsx")], { cwd: folder })
    .ended
  expect(status, stderr).toBe(0)
  expect(stdout).toContain("excel")
})

it("the built command measures wide and joined characters as terminals show them", async () => {
  const plain = await inspect("plain.csv", Buffer.from("Id,Note\n1,abcd\n2,abcd\n"))
  const wide = await inspect("plain.csv", Buffer.from("Id,Note\n1,語👩‍👩‍👧\n2,語👩‍👩‍👧\n"))
  // Both notes are four columns wide.
  expect(wide.replaceAll("語👩‍👩‍👧", "abcd")).toBe(plain)
})

it("the built command detects email and web addresses", async () => {
  const shown = await inspect(
    "addresses.csv",
    Buffer.from('Id,Mail,Site\n1,"""a b""@example.org",https://example.org/a\n2,ö@example.org,https://example.org/b\n'),
  )
  expect(shown).toMatch(/e-?mail/i)
})

it("the built command loads PostgreSQL's client only with the ledger's adapter", () => {
  const parts = resolve("dist/parts")
  const texts = new Map(
    ["../main.js", ...readdirSync(parts).filter((name) => name.endsWith(".js"))]
      .map((name) => [name, readFileSync(join(parts, name), "utf8")]),
  )
  const [client = ""] = [...texts].find(([, text]) => text.includes("SCRAM-SHA-256")) ?? []
  expect(client).not.toBe("")
  /** Adds the parts that import one of these parts. Parts that only several others share are called chunks. */
  const withImporters = (parts: ReadonlySet<string>): ReadonlySet<string> => {
    const more = [...texts].filter(([name, text]) =>
      !parts.has(name) && [...parts].some((part) => new RegExp(`(?:from|import)"\\./${part}"`).test(text))
    )
    return more.length === 0 ? parts : withImporters(new Set([...parts, ...more.map(([name]) => name)]))
  }
  const loading = [...withImporters(new Set([client]))].map((name) => name.split("-")[0]).filter((name) =>
    name !== "chunk"
  )
  expect(loading.toSorted()).toEqual(["Store", "copy", "marks", "rate", "reports"])
})
