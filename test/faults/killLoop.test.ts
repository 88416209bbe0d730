import { resolve } from "node:path"
import { describe, expect, it } from "vitest"
import { isLong } from "../long.ts"
import { killLoop } from "./killLoop.ts"

const killed = async (list: boolean) => {
  const lines: Array<string> = []
  const figures = await killLoop({
    main: resolve(import.meta.dirname, "../../dist/main.js"),
    runs: 3,
    rows: 120,
    seed: 5,
    list,
    tell: (line) => void lines.push(line),
  })
  process.stdout.write(`${lines.join("\n")}\n`)
  expect(figures.broken).toEqual([])
  expect(figures.kills).toBeGreaterThan(2)
  expect(figures.exports).toBeGreaterThan(0)
  return figures
}

describe.runIf(isLong)("imports killed at random moments by SIGKILL", () => {
  it("end with every row in the form exactly once", () => killed(false), 180_000)

  it(
    "leave rows in doubt that the next run settles without a person if the service can list",
    async () => {
      const figures = await killed(true)
      expect(figures.notLanded).toBeGreaterThan(0)
    },
    180_000,
  )
})
