import { resolve } from "node:path"
import { expect, it } from "vitest"
import { seeds } from "../long.ts"
import { undoLoop } from "./undoLoop.ts"

it("an undo that is killed again and again leaves exactly the submissions of other runs", async () => {
  const { broken, deleted, kills } = await undoLoop({
    main: resolve(import.meta.dirname, "../../dist/main.js"),
    kills: seeds(3, 20),
    rows: seeds(90, 400),
    seed: 7,
    tell: (line) => void process.stdout.write(`${line}\n`),
  })
  expect(broken).toEqual([])
  expect(deleted).toBe(seeds(90, 400))
  expect(kills).toBeGreaterThan(1)
}, 180_000)
