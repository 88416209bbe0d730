import { expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { existsSync, mkdirSync, readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { LockHolder, ownedName } from "../../src/ledger/holder.ts"
import { answering } from "../localServer.ts"
import { isLong } from "../long.ts"
import { bench, csv, pipelineYaml, upTo } from "./contacts.ts"
import { start, until } from "./formferry.ts"
import { databasesIfLong } from "./inPostgres.ts"

it.scopedLive(
  "the next rehearsal and run remove the files of killed processes, but not the files of live ones",
  () =>
    Effect.gen(function*() {
      const at = yield* bench()
      at.write("source.csv", csv(upTo(1)))
      yield* at.exits(0, "run", "contacts")
      const first = at.report().run
      at.write("source.csv", csv(upTo(20_000)))
      const copies = () => readdirSync(join(at.folder, ".formferry")).filter((name) => name.startsWith("rehearsal-"))
      const reports = () => at.runs().filter((name) => name !== first)
      const killed = start(["rehearse", "contacts"], { cwd: at.folder })
      yield* until(() => reports().length === 2)
      killed.signal("SIGKILL")
      yield* Effect.promise(() => killed.ended)
      expect(copies().length).toBe(1)
      // An empty folder, and a file with the name of its process.
      expect(reports().length).toBe(2)
      const me = LockHolder.defaultValue()()
      const [live, dead] = [me.pid, 2 ** 22 + 1].map((pid) => [
        `.formferry/ledger.db.key.${ownedName("draft-", { ...me, pid })}`,
        `.formferry/ledger.db.marks/${ownedName("draft-", { ...me, pid })}.1-abc`,
      ])
      for (const draft of [...live ?? [], ...dead ?? []]) at.write(draft, "")

      at.write("source.csv", csv(upTo(2)))
      const next = yield* at.run("rehearse", "contacts")
      expect(next.status, next.stderr).toBe(0)
      expect(copies()).toEqual([])
      expect(reports()).toEqual([at.report().run])
      expect((yield* at.run("run", "contacts")).status).toBe(0)
      const isThere = (draft: string) => existsSync(join(at.folder, draft))
      expect(live?.filter(isThere)).toEqual(live)
      expect(dead?.filter(isThere)).toEqual([])
    }),
  60_000,
)

it.scopedLive.each(databasesIfLong)(
  "a dry run after a killed run lists the rows in doubt that it counts ($name)",
  ({ place }) =>
    Effect.gen(function*() {
      const at = yield* bench({ faults: [{ fault: "unanswered", on: "create", when: "after", at: [1] }] })
      ;(yield* place)(at)
      at.write("source.csv", csv(upTo(40)))
      const killed = start(["run", "contacts"], { cwd: at.folder })
      yield* until(() => at.count() > 0)
      killed.signal("SIGKILL")
      yield* Effect.promise(() => killed.ended)
      yield* at.exits(4, "run", "contacts", "--dry-run")
      const { folder, inDoubt, rows } = at.report()
      expect([rows.inDoubt, inDoubt]).toMatchObject([10, [{ count: 10 }]])
      const [, ...lines] = readFileSync(join(folder, "in-doubt.csv"), "utf8").trim().split("\n")
      expect(lines).toHaveLength(10)
      expect(lines[0]).toContain("the run that sent it has not recorded the outcome")
    }),
)

it.scopedLive.runIf(isLong)(
  "a source fetched by a killed run is removed by the next run, but a live run's copy stays until it ends",
  () =>
    Effect.gen(function*() {
      const at = yield* bench()
      let isSlow = true
      let asked = 0
      const port = yield* answering((_request, response) => {
        asked++
        response.write(csv(upTo(2)))
        if (!isSlow) response.end()
      })
      at.write("pipelines/contacts.yaml", pipelineYaml({ file: `http://127.0.0.1:${port}/source.csv` }))
      const temporary = join(at.folder, "temporary")
      mkdirSync(temporary)
      const fetched = () => readdirSync(temporary)
      const fetching = () => start(["run", "contacts"], { cwd: at.folder, env: { TMPDIR: temporary } })

      const killed = fetching()
      yield* until(() => asked === 1)
      killed.signal("SIGKILL")
      yield* Effect.promise(() => killed.ended)
      const [left] = fetched()
      const live = fetching()
      yield* until(() => asked === 2)
      const [stays] = fetched()
      expect(stays).not.toBe(left)
      isSlow = false
      const next = yield* Effect.promise(() => fetching().ended)
      expect(next.status, next.stderr).toBe(0)
      expect(fetched()).toEqual([stays])
      live.signal("SIGTERM")
      expect((yield* Effect.promise(() => live.ended)).status).toBe(143)
      expect(fetched()).toEqual([])
    }),
  60_000,
)
