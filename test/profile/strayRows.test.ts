import { expect, it } from "vitest"
import { whereWithout } from "../../src/profile/strayRows.ts"

it("rows are skipped by any column, whatever its title", () => {
  const where = whereWithout([{ is: "totals", row: 3, column: "__proto__", text: "Total" }])
  expect(Object.entries(where)).toEqual([["__proto__", { not: "Total" }]])
})
