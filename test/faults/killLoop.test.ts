import { resolve } from "node:path"
import { expect, it } from "vitest"
import { seeds } from "../long.ts"
import { killLoop } from "./killLoop.ts"

it("imports killed at random moments by SIGKILL end with every row in the form exactly once", async () => {
  const lines: Array<string> = []
  const figures = await killLoop({
    main: resolve(import.meta.dirname, "../../dist/main.js"),
    runs: seeds(1, 3),
    rows: 120,
    seed: 5,
    tell: (line) => void lines.push(line),
  })
  process.stdout.write(`${lines.join("\n")}\n`)
  expect(figures.broken).toEqual([])
  expect(figures.kills).toBeGreaterThan(2)
  expect(figures.exports).toBeGreaterThan(0)
}, 180_000)
