import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { type Fate, fates } from "../../src/domain/fate.ts"
import { balanceHolds } from "../../src/run/ending.ts"
import { FateTable } from "../../src/run/FateTable.ts"
import { RowHash } from "../../src/run/KeyTable.ts"
import { type Reason, UndecidedRows } from "../../src/run/UndecidedRows.ts"

const hash = new RowHash()

const key = (text: string) => {
  hash.key(text)
  return `${hash.a} ${hash.b} ${hash.c}`
}

describe("FateTable", () => {
  it("counts every row under its last fate", () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.integer({ min: 1, max: 200_000 }), fc.constantFrom(...fates))), (changes) => {
        const table = new FateTable()
        const model = new Map<number, Fate>()
        for (const [row, fate] of changes) {
          table.set(row, fate)
          model.set(row, fate)
        }
        const counts = table.counts(model.size)
        for (const fate of fates) {
          expect(counts[fate]).toBe([...model.values()].filter((one) => one === fate).length)
        }
        for (const [row, fate] of model) expect(table.get(row)).toBe(fate)
      }),
      { seed: 20261120, numRuns: 50 },
    )
  })
})

describe("the balance", () => {
  const verdicts = { verified: 1, differing: 0, missing: 0, unread: 0 }

  it("holds when every row read has one fate and every imported row one verdict", () => {
    const table = new FateTable()
    table.set(1, "imported")
    table.set(2, "invalid")
    expect(balanceHolds(table.counts(2), verdicts)).toBe(true)
  })

  it("does not hold when a row read has no fate, or an imported row no verdict", () => {
    const table = new FateTable()
    table.set(1, "imported")
    expect(balanceHolds(table.counts(2), verdicts)).toBe(false)
    expect(balanceHolds(table.counts(1), { ...verdicts, verified: 0 })).toBe(false)
  })
})

describe("rows whose key was sent with other content", () => {
  const resolve = (
    rows: ReadonlyArray<readonly [key: string, waiting: Reason, valid: boolean, content?: string]>,
    standing: ReadonlyArray<string>,
  ) => {
    const deferred = new UndecidedRows()
    rows.forEach(([name, waiting, valid, content = ""], index) => {
      hash.key(name)
      hash.content([content], [0])
      deferred.add(index + 1, hash, waiting, valid)
    })
    const given: Array<Fate | "the same"> = []
    const claimed = new Map<string, number>()
    const standingKeys = new Set(standing.map(key))
    const words = () => `${hash.a} ${hash.b} ${hash.c}`
    deferred.resolve(
      hash,
      {
        matched: () => standingKeys.has(words()),
        claim: () => {
          const name = words()
          const content = claimed.get(name)
          if (content !== undefined) return content === hash.d ? "same" : "other"
          claimed.set(name, hash.d)
          return "mine"
        },
      },
      (row, fate, same) => {
        given[row - 1] = same ? "the same" : fate
      },
    )
    return given
  }

  it("are changed when no row of the source has the content that was imported", () => {
    expect(resolve([["a", "changed", true], ["a", "changed", false]], [])).toEqual(["changed", "changed"])
  })

  it("are duplicates, or invalid, when another row has the content that was imported", () => {
    expect(resolve([["a", "changed", true], ["a", "changed", false]], ["a"])).toEqual(["duplicate", "invalid"])
  })

  it("are in doubt once for a key in doubt, also when the row was edited since", () => {
    expect(resolve([["a", "doubt", true], ["a", "doubt", true], ["a", "doubt", false]], [])).toEqual([
      "inDoubt",
      "duplicate",
      "invalid",
    ])
  })

  it("go in again, the first of a key that can, where changes are imported again", () => {
    expect(
      resolve([
        ["a", "again", false, "no"],
        ["a", "again", true, "x"],
        ["a", "again", true, "x"],
        ["a", "again", true, "y"],
        ["b", "refused", true],
        ["c", "again", true],
        ["c", "again", false],
      ], ["c"]),
    ).toEqual(["invalid", "pending", "the same", "duplicate", "refused", "duplicate", "invalid"])
  })

  it("keep their keys apart over more rows than the first buffer holds", () => {
    const names = Array.from({ length: 3_000 }, (_, index) => `key ${index}`)
    const given = resolve(
      names.map((name) => [name, "changed", true] as const),
      names.filter((_, index) => index % 7 === 0),
    )
    expect(given.map((fate, index) => fate === (index % 7 === 0 ? "duplicate" : "changed")).every(Boolean)).toBe(true)
  })
})
