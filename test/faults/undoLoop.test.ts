import { resolve } from "node:path"
import { expect, it } from "vitest"
import { isLong } from "../long.ts"
import { undoLoop } from "./undoLoop.ts"

it.runIf(isLong)("an undo that is killed repeatedly leaves exactly the submissions of other runs", async () => {
  const { broken, deleted, kills } = await undoLoop({
    main: resolve(import.meta.dirname, "../../dist/main.js"),
    kills: 12,
    rows: 400,
    seed: 7,
    tell: (line) => void process.stdout.write(`${line}\n`),
  })
  expect(broken).toEqual([])
  expect(deleted).toBe(400)
  expect(kills).toBeGreaterThan(1)
}, 180_000)
