import { expect, it } from "vitest"
import { readyRows } from "../../src/jobs/readyRows.ts"

it("the count of rows that need review is in the singular or the plural", () => {
  const rows = (changed: number) =>
    readyRows({ rows: 9, changed, duplicate: 0, filtered: 0, invalid: 0, known: 9 - changed })
  expect(rows(1)).toBe("0 rows are ready to send, 1 needs review, 8 are known from earlier runs.")
  expect(rows(2)).toBe("0 rows are ready to send, 2 need review, 7 are known from earlier runs.")
})
