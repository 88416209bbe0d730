import { resolve } from "node:path"
import { describe, expect, it } from "vitest"
import { withoutPostgres } from "../ledger/postgres/server.ts"
import { isLong } from "../long.ts"
import { chaos } from "./chaos.ts"
import { inWords } from "./chaosMain.ts"

describe.runIf(isLong && !withoutPostgres)("hosts that share a ledger in PostgreSQL", () => {
  it(
    "lose and double nothing while processes are killed or stopped, networks freeze, and the database crashes or is replaced",
    async () => {
      const figures = await chaos({
        main: resolve(import.meta.dirname, "../../dist/main.js"),
        seed: 1,
        pipelines: 4,
        rows: 100,
        seconds: 8,
        tell: (line) => void process.stdout.write(`${line}\n`),
      })
      process.stdout.write(`${inWords(figures)}\n`)
      expect(figures.broken).toEqual([])
      expect(Object.entries(figures.faults).filter(([, count]) => count === 0)).toEqual([])
      expect(figures.takeovers.length).toBeGreaterThan(0)
      expect(figures.inDoubt).toBeGreaterThan(0)
    },
    180_000,
  )
})
