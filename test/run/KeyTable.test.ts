import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { KeyTable, RowHash } from "../../src/run/KeyTable.ts"

const hash = new RowHash()

/** Returns the hash of a key and a content. All calls use the same RowHash. */
const of = (key: string, content = "") => {
  hash.key(key)
  hash.content([content], [0])
  return hash
}

describe("KeyTable", () => {
  it("KeyTable contains exactly the keys that were added, with their row and content, like a map", () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.string(), fc.string())), (pairs) => {
        const table = new KeyTable()
        const model = new Map<string, { readonly row: number; readonly content: string }>()
        pairs.forEach(([key, content], index) => {
          if (table.find(of(key, content)) < 0) table.add(of(key, content), index + 1)
          if (!model.has(key)) model.set(key, { row: index + 1, content })
        })
        expect(table.size).toBe(model.size)
        for (const [key, { row, content }] of model) {
          const slot = table.find(of(key))
          expect(table.number(slot)).toBe(row)
          expect(table.hasContent(slot, of(key, content))).toBe(true)
          expect(table.hasContent(slot, of(key, `${content}!`))).toBe(false)
          expect(table.isMarked(slot)).toBe(false)
        }
        expect(table.find(of("\u0000 never added"))).toBe(-1)
      }),
      { seed: 20261120 },
    )
  })

  it("KeyTable keeps rows and marks while it grows far beyond its first size", () => {
    const table = new KeyTable()
    for (let row = 1; row <= 50_000; row++) {
      const slot = table.add(of(`key ${row}`, `content ${row}`), row)
      if (row % 3 === 0) table.mark(slot)
    }
    for (let row = 1; row <= 50_000; row++) {
      const slot = table.find(of(`key ${row}`))
      if (table.number(slot) !== row || table.isMarked(slot) !== (row % 3 === 0)) expect.fail(`row ${row} was lost`)
    }
    expect(table.size).toBe(50_000)
  })
})

describe("RowHash", () => {
  it("RowHash distinguishes half a million keys of every usual form by any two of its three words", () => {
    const makes = [
      (n: number) => String(n),
      (n: number) => `K${n}`,
      (n: number) => `2026-${n}`,
      (n: number) => n.toString(36).padStart(24, "0"),
      (n: number) => `["${n % 700}","${n}"]`,
    ]
    const seen = [new Set<number>(), new Set<number>(), new Set<number>()]
    const count = 100_000
    for (const make of makes) {
      for (let n = 0; n < count; n++) {
        hash.key(make(n))
        seen[0]?.add(hash.a * 0x200000 + (hash.b & 0x1fffff))
        seen[1]?.add(hash.b * 0x200000 + (hash.c & 0x1fffff))
        seen[2]?.add(hash.c * 0x200000 + (hash.a & 0x1fffff))
      }
    }
    // For 500,000 keys and 53 bits, the chance of a single collision is one in 70,000.
    expect(seen.map((words) => words.size)).toEqual([count * makes.length, count * makes.length, count * makes.length])
  })

  it("RowHash distinguishes a quarter of a million contents of every usual form", () => {
    const makes = [
      (n: number) => [`${n}`],
      (n: number) => ["", `note about row ${n} of some length`],
      (n: number) => [`${n % 500}`, `${Math.floor(n / 500)}`],
      (n: number) => ["x".repeat(n % 97), `${n}`.padStart(11, "0")],
      (n: number) => [`${n}`.padEnd(40, "-"), "same"],
    ]
    const seen = new Set<number>()
    const count = 50_000
    for (const make of makes) {
      for (let n = 0; n < count; n++) {
        hash.content(make(n), [0, 1])
        seen.add(hash.d * 0x200000 + (hash.e & 0x1fffff))
      }
    }
    expect(seen.size).toBe(count * makes.length)
  })

  it("RowHash distinguishes where one cell ends and the next begins", () => {
    const words = (cells: ReadonlyArray<string>) => {
      hash.content(cells, [0, 1])
      return `${hash.d} ${hash.e}`
    }
    expect(words(["ab", ""])).not.toBe(words(["a", "b"]))
    expect(words(["", "ab"])).not.toBe(words(["ab", ""]))
    expect(words(["a", "b"])).toBe(words(["a", "b"]))
  })
})
