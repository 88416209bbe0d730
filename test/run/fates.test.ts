import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { type Fate, fates } from "../../src/domain/fate.ts"
import { balanceHolds } from "../../src/run/balance.ts"
import { Deferred } from "../../src/run/Deferred.ts"
import { FateTable } from "../../src/run/FateTable.ts"
import { RowHash } from "../../src/run/RowHash.ts"

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
    rows: ReadonlyArray<readonly [key: string, doubt: boolean, valid: boolean]>,
    standing: ReadonlyArray<string>,
  ) => {
    const deferred = new Deferred()
    rows.forEach(([name, doubt, valid], index) => {
      hash.key(name)
      deferred.add(index + 1, hash, doubt, valid)
    })
    const given: Array<Fate> = []
    const claimed = new Set<string>()
    const standingKeys = new Set(standing.map(key))
    const words = () => `${hash.a} ${hash.b} ${hash.c}`
    deferred.resolve(
      hash,
      () => standingKeys.has(words()),
      () => {
        const name = words()
        if (claimed.has(name)) return false
        claimed.add(name)
        return true
      },
      (row, fate) => {
        given[row - 1] = fate
      },
    )
    return given
  }

  it("are changed when no row of the source has the content that was imported", () => {
    expect(resolve([["a", false, true], ["a", false, false]], [])).toEqual(["changed", "changed"])
  })

  it("are duplicates, or invalid, when another row has the content that was imported", () => {
    expect(resolve([["a", false, true], ["a", false, false]], ["a"])).toEqual(["duplicate", "invalid"])
  })

  it("are in doubt once for a key in doubt, also when the row was edited since", () => {
    expect(resolve([["a", true, true], ["a", true, true], ["a", true, false]], [])).toEqual([
      "inDoubt",
      "duplicate",
      "invalid",
    ])
  })

  it("keep their keys apart over more rows than the first buffer holds", () => {
    const names = Array.from({ length: 3_000 }, (_, index) => `key ${index}`)
    const given = resolve(
      names.map((name) => [name, false, true] as const),
      names.filter((_, index) => index % 7 === 0),
    )
    expect(given.map((fate, index) => fate === (index % 7 === 0 ? "duplicate" : "changed")).every(Boolean)).toBe(true)
  })
})
