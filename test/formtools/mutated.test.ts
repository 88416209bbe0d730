import { Effect, Either } from "effect"
import { readdirSync, readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { expect, it } from "vitest"
import { seeds } from "../long.ts"
import { random } from "../random.ts"
import { checkText } from "../source/mutated/truth.ts"
import { config, file, read, run } from "../source/opening.ts"

const folder = fileURLToPath(new URL("../../samples/form-tools/", import.meta.url))

const mutations: ReadonlyArray<(bytes: Buffer, next: () => number) => Buffer> = [
  (bytes, next) => {
    const changed = Buffer.from(bytes)
    for (let count = 0; count < 5; count++) changed[Math.floor(next() * changed.length)] = Math.floor(next() * 256)
    return changed
  },
  (bytes, next) => bytes.subarray(0, Math.floor(next() * bytes.length)),
  (bytes, next) => {
    const at = Math.floor(next() * bytes.length)
    return Buffer.concat([bytes.subarray(0, at), Buffer.from('"'), bytes.subarray(at)])
  },
  (bytes, next) => {
    const lines = bytes.toString("latin1").split("\n")
    lines.splice(Math.floor(next() * lines.length), 1)
    return Buffer.from(lines.join("\n"), "latin1")
  },
  (bytes, next) => {
    const lines = bytes.toString("latin1").split("\n")
    const at = Math.floor(next() * lines.length)
    lines.splice(at, 0, lines[at] ?? "")
    return Buffer.from(lines.join("\n"), "latin1")
  },
]

const last = seeds(50, 150)

it("a damaged export is either read with all records and unchanged row widths, or refused with a message", async () => {
  const names = readdirSync(folder)
  let readable = 0
  for (let seed = 1; seed <= last; seed++) {
    const next = random(seed)
    const name = names[seed % names.length] ?? ""
    const mutate = mutations[Math.floor(next() * mutations.length)] ?? ((bytes: Buffer) => bytes)
    const content = mutate(readFileSync(folder + name), next)
    const path = file(content, name.replace(/^.*\./, ""))
    const result = await run(Effect.either(read(config(path))))
    if (Either.isLeft(result)) {
      expect(result.left._tag, `seed ${seed}`).toMatch(/^Source(?:Error|Changed)$/)
      expect(result.left.message.length, `seed ${seed}`).toBeGreaterThan(20)
      continue
    }
    readable++
    // Rows keep the file's text, however the tool interprets it. Independent code counts records and letters again.
    if (result.right.source.format === "csv") checkText(content, result.right)
    const { files, rows, source } = result.right
    expect(files[0]?.file.rows, `seed ${seed}`).toBe(rows.length)
    const positions = new Set(source.columns.map(({ position }) => position))
    expect(positions.size, `seed ${seed}`).toBe(source.columns.length)
    for (const { columns } of source.blocks) {
      for (const { position } of columns) expect(positions.has(position), `seed ${seed}`).toBe(true)
    }
    for (const row of rows) expect(source.tool?.clean(row).length ?? row.length, `seed ${seed}`).toBe(row.length)
  }
  expect(readable).toBeGreaterThan(last / 2)
})
