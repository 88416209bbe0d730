import { expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { cpSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import type { RunReport } from "../../src/domain/report.ts"
import { formferry, inProcess } from "./formferry.ts"
import { databasesIfLong } from "./inPostgres.ts"

const demo = resolve(import.meta.dirname, "../..")

it.scopedLive.each(databasesIfLong)(
  "reconciling an export with blocks uses the run's mapping, and reports no edit ($name)",
  ({ place }) =>
    Effect.gen(function*() {
      const cwd = yield* Effect.acquireRelease(
        Effect.sync(() => realpathSync(mkdtempSync(join(tmpdir(), "formferry-reconcile-")))),
        (folder) => Effect.sync(() => rmSync(folder, { recursive: true })),
      )
      for (const part of ["config", "pipelines", "samples"]) {
        cpSync(join(demo, part), join(cwd, part), { recursive: true })
      }
      ;(yield* place)({
        read: (file) => readFileSync(join(cwd, file), "utf8"),
        write: (file, text) => writeFileSync(join(cwd, file), text),
      })
      const report = (): RunReport =>
        JSON.parse(readFileSync(join(cwd, "reports/star-wars/latest/report.json"), "utf8")) as RunReport
      const run = yield* inProcess(["run", "star-wars"], { cwd })
      expect(run.status, run.stderr).toBeLessThan(2)
      const { fingerprints, rows } = report()
      expect(rows.imported).toBeGreaterThan(100)

      // Reconciles twice. The second time, a record of the first exists.
      for (const reconcile of [formferry, inProcess]) {
        const { status, stderr, stdout } = yield* reconcile(["reconcile", "star-wars"], { cwd })
        expect(status, stderr).toBe(0)
        expect(stdout + stderr).not.toContain("edited")
        expect(report()).toMatchObject({ mode: "reconcile", fingerprints, warnings: [] })
      }
      const again = yield* inProcess(["run", "star-wars"], { cwd })
      expect(again.stdout + again.stderr).not.toContain("edited")
    }),
)
