import fc from "fast-check"
import { createHash } from "node:crypto"
import { describe, expect, it } from "vitest"
import { KeyTable } from "../../src/run/KeyTable.ts"

const digest = (text: string): Buffer => createHash("sha256").update(text).digest().subarray(0, 16)

describe("KeyTable", () => {
  it("knows exactly the keys that were added, with their row and content, like a map", () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.string(), fc.string())), (pairs) => {
        const table = new KeyTable()
        const model = new Map<string, { readonly row: number; readonly content: string }>()
        pairs.forEach(([key, content], index) => {
          if (table.find(digest(key)) < 0) table.add(digest(key), digest(content), index + 1)
          if (!model.has(key)) model.set(key, { row: index + 1, content })
        })
        expect(table.size).toBe(model.size)
        for (const [key, { row, content }] of model) {
          const slot = table.find(digest(key))
          expect(table.row(slot)).toBe(row)
          expect(table.hasContent(slot, digest(content))).toBe(true)
          expect(table.hasContent(slot, digest(`${content}!`))).toBe(false)
          expect(table.matched(slot)).toBe(false)
        }
        expect(table.find(digest("\u0000 never added"))).toBe(-1)
      }),
      { seed: 20261120 },
    )
  })

  it("keeps rows and marks while it grows past its first size many times over", () => {
    const table = new KeyTable()
    for (let row = 1; row <= 50_000; row++) {
      const slot = table.add(digest(`key ${row}`), digest(`content ${row}`), row)
      if (row % 3 === 0) table.match(slot)
    }
    for (let row = 1; row <= 50_000; row++) {
      const slot = table.find(digest(`key ${row}`))
      if (table.row(slot) !== row || table.matched(slot) !== (row % 3 === 0)) expect.fail(`row ${row} was lost`)
    }
    expect(table.size).toBe(50_000)
  })
})
