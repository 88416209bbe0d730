import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { type Fate, fates } from "../../src/domain/fate.ts"
import { balanceHolds } from "../../src/run/ending.ts"
import { FateTable, SeenLedgerRows } from "../../src/run/FateTable.ts"
import { KeyTable, RowHash } from "../../src/run/KeyTable.ts"
import { type ChangedFate, WaitingRows } from "../../src/run/WaitingRows.ts"

describe("FateTable", () => {
  it("FateTable counts every row under its last fate", () => {
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

describe("a row in doubt that may be resent", () => {
  it("a row in doubt stays in doubt unless it was resent", () => {
    const table = new FateTable()
    for (const row of [1, 2]) table.set(row, "pending", "resends")
    table.set(3, "pending", "replaces")
    table.set(2, "imported")
    table.endSending()
    expect([1, 2, 3].map((row) => table.get(row))).toEqual(["inDoubt", "imported", "pending"])
    expect([table.countNoted("resends"), table.countNoted("replaces")]).toEqual([2, 1])
  })
})

describe("an undone row that may be sent again", () => {
  it("an undone row stays undone unless it was sent", () => {
    const table = new FateTable()
    for (const row of [1, 2, 3]) table.set(row, "pending", "undone")
    table.set(2, "imported")
    table.keepPending(3)
    table.endSending()
    expect([1, 2, 3].map((row) => table.get(row))).toEqual(["undone", "imported", "pending"])
    expect(table.countNoted("undone")).toBe(2)
  })
})

describe("the balance of a run", () => {
  const verdicts = { verified: 1, differing: 0, missing: 0, unread: 0 }

  it("the balance is correct if every row has one fate and every imported row has one verdict", () => {
    const table = new FateTable()
    table.set(1, "imported")
    table.set(2, "invalid")
    expect(balanceHolds(table.counts(2), verdicts)).toBe(true)
  })

  it("the balance is incorrect if a row has no fate or an imported row has no verdict", () => {
    const table = new FateTable()
    table.set(1, "imported")
    expect(balanceHolds(table.counts(2), verdicts)).toBe(false)
    expect(balanceHolds(table.counts(1), { ...verdicts, verified: 0 })).toBe(false)
  })
})

describe("rows whose key was sent with different content", () => {
  /** @param matched keys whose sent content is in the source */
  const resolve = (
    rows: ReadonlyArray<readonly [key: string, waiting: ChangedFate, valid: boolean, content?: string]>,
    matched: ReadonlyArray<string>,
  ) => {
    const waiting = new WaitingRows()
    const [fates, keys, hash] = [new FateTable(), new KeyTable(), new RowHash()]
    for (const name of matched) {
      hash.key(name)
      keys.mark(keys.add(hash, 1))
    }
    rows.forEach(([name, fate, valid, content = ""], index) => {
      hash.key(name)
      hash.content([content], [0])
      waiting.addChanged(index + 1, hash, fate, valid)
    })
    waiting.decide({ fates, keys, seen: new SeenLedgerRows() })
    return rows.map((_, index) => fates.has(index + 1, "repeats") ? "the same" : fates.get(index + 1))
  }

  it("rows are changed if no row of the source has the imported content", () => {
    expect(resolve([["a", "changed", true], ["a", "changed", false]], [])).toEqual(["changed", "changed"])
  })

  it("rows are duplicates, valid or not, if a different row has the imported content", () => {
    expect(resolve([["a", "changed", true], ["a", "changed", false]], ["a"])).toEqual(["duplicate", "duplicate"])
  })

  it("each key in doubt has only one row in doubt, even if the row was edited later", () => {
    expect(resolve([["a", "inDoubt", true], ["a", "inDoubt", true], ["a", "inDoubt", false]], [])).toEqual([
      "inDoubt",
      "duplicate",
      "invalid",
    ])
  })

  it("only the first valid row of each key is imported again if changes are imported", () => {
    expect(
      resolve([
        ["a", "pending", false, "no"],
        ["a", "pending", true, "x"],
        ["a", "pending", true, "x"],
        ["a", "pending", true, "y"],
        ["b", "refused", true],
        ["c", "pending", true],
        ["c", "pending", false],
      ], ["c"]),
    ).toEqual(["invalid", "pending", "the same", "duplicate", "refused", "duplicate", "duplicate"])
  })

  it("rows are grouped correctly by key over thousands of rows", () => {
    const names = Array.from({ length: 3_000 }, (_, index) => `key ${index}`)
    const given = resolve(
      names.map((name) => [name, "changed", true] as const),
      names.filter((_, index) => index % 7 === 0),
    )
    expect(given).toEqual(names.map((_, index) => (index % 7 === 0 ? "duplicate" : "changed")))
  })
})
