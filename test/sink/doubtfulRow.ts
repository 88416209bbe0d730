import type { Item } from "../../src/domain/item.ts"
import type { DoubtfulRow } from "../../src/ledger/pages.ts"

/** Returns a row in doubt that batch 5 sent. */
export const doubtfulRow = (row: number, item: Item, members: Partial<DoubtfulRow> = {}): DoubtfulRow => ({
  at: row,
  keyDigest: Buffer.alloc(16, row),
  key: `k${row}`,
  row,
  batch: 5,
  first: 5,
  closed: 6,
  run: "run",
  sentAt: new Date(0).toISOString(),
  reason: "timeout",
  resent: false,
  item,
  cells: [],
  columns: [],
  acknowledged: false,
  isUndone: false,
  ...members,
})
