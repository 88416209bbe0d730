import { describe, expect, it } from "vitest"
import type { ColumnUse } from "../../src/domain/cells.ts"
import { CellTable } from "../../src/run/CellTable.ts"
import { FateTable } from "../../src/run/FateTable.ts"

const columns = ["Key", "Name", "Note"].map((title, position) => ({ position, title, name: title }))
const columnUses: ReadonlyArray<ColumnUse> = ["keyOrCondition", "answers", "notMapped"]
/** The row's Name was sent, because the mapping uses this column. */
const nameSent = Uint8Array.of(0, 3, 0)

const table = () => new CellTable(columns, 3, { columnUses })

/** Returns the states that occur, by column. */
const states = (cells: CellTable) =>
  cells.all.map((column) => Object.fromEntries(Object.entries(column.states).filter(([, count]) => count > 0)))

describe("the cells of a sent row", () => {
  it("cells have their own states after the row is imported, and the row's state if it is in doubt, refused or not created", () => {
    const cells = table()
    const fates = new FateTable()
    for (const row of [1, 2, 3, 4]) {
      fates.set(row, "pending")
      cells.read(row, [`k${row}`, "Ada", row === 1 ? "x" : null], fates)
      cells.startSending(row, [`k${row}`, "Ada", row === 1 ? "x" : null], nameSent)
    }
    cells.endSending(1, "imported")
    cells.endSending(2, "inDoubt")
    cells.endSending(3, "refused")
    cells.endSending(4, "pending")
    expect(states(cells)).toEqual([
      { keyOrCondition: 1, inDoubt: 1, rejected: 1, pending: 1 },
      { sent: 1, inDoubt: 1, rejected: 1, pending: 1 },
      { notMapped: 1 },
    ])
    expect(cells.holds).toBe(true)
  })

  it("the cells of a row whose fate was open are counted at the end, unless the row was sent meanwhile", () => {
    const cells = table()
    const fates = new FateTable()
    for (const row of [1, 2, 3, 4]) cells.read(row, ["k", "Ada", "x"], fates)
    expect(cells.holds).toBe(false)
    cells.startSending(1, ["k", "Ada", "x"], nameSent)
    cells.endSending(1, "imported")
    fates.set(1, "imported")
    fates.set(2, "inDoubt")
    fates.set(3, "changed")
    fates.set(4, "duplicate", "repeats")
    cells.close(fates)
    expect(states(cells)[1]).toEqual({ sent: 1, inDoubt: 1, rejected: 1, known: 1 })
    expect(cells.holds).toBe(true)
  })
})

describe("cells beyond the header", () => {
  it("cells beyond the header are counted after the last column, except those that a rejected.csv adds", () => {
    const cells = new CellTable(columns, 5, { columnUses })
    const fates = new FateTable()
    fates.set(1, "invalid")
    cells.read(1, ["k", "Ada", "x", "1", "k", "lost", " "], fates)
    expect(cells.all.map(({ cells, position }) => [position, cells])).toEqual([[1, 1], [2, 1], [3, 1], [4, 1]])
    expect(states(cells)[3]).toEqual({ rejected: 1 })
    expect(cells.holds).toBe(true)
  })
})
