import { Effect } from "effect"
import { createHash } from "node:crypto"
import { appendFileSync, readFileSync, rmSync } from "node:fs"
import { expect, it } from "vitest"
import { digestAhead, worthAThread } from "../../src/source/bytes.ts"
import { openSource } from "../../src/source/openSource.ts"
import { config, file, open, run } from "./opening.ts"

const sha256 = (path: string) => createHash("sha256").update(readFileSync(path)).digest("hex")

/** Writes a file that is large enough to be digested in a separate thread. */
const large = () => {
  const line = `1,${"x".repeat(1_000)}\n`
  return file(`No,Note\n${line.repeat(Math.ceil(worthAThread / line.length))}`)
}

const digests = (path: string, meanwhile: () => void = () => undefined) =>
  run(Effect.gen(function*() {
    const source = yield* openSource(config(path), { digestAhead: true })
    const opened = open.reads
    meanwhile()
    return { digests: yield* source.digest ?? Effect.succeed([]), reads: open.reads - opened }
  }))

it("digestAhead computes the SHA-256 of all of a file's bytes, even of an empty file", async () => {
  for (const content of ["", "a", "x".repeat(256 * 1024), "y".repeat(600_001)]) {
    const path = file(content)
    expect(await run(Effect.flatten(digestAhead(path)))).toBe(sha256(path))
  }
})

it("digestAhead returns nothing if the file can't be read, and ends with its scope", async () => {
  expect(await run(Effect.flatten(digestAhead("/nowhere/at-all.csv")))).toBeUndefined()
  await run(Effect.asVoid(digestAhead(large())))
})

it("a large source's digest is computed concurrently, so nothing is left to read when it is requested", async () => {
  const path = large()
  expect(await digests(path)).toEqual({ digests: [{ file: path, sha256: sha256(path) }], reads: 0 })
})

it("a source that changed after it was opened has the digest of its current content, and a deleted source is refused", async () => {
  const path = large()
  const before = sha256(path)
  const after = await digests(path, () => appendFileSync(path, "2,more\n"))
  expect(after.digests).toEqual([{ file: path, sha256: sha256(path) }])
  expect(after.digests).not.toEqual([{ file: path, sha256: before }])
  await expect(digests(path, () => rmSync(path))).rejects.toThrow(`There is no file ${path}.`)
})
