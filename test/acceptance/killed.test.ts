import { expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { readdirSync } from "node:fs"
import { join } from "node:path"
import { bench, csv, upTo } from "./contacts.ts"
import { start } from "./formferry.ts"

const until = (holds: () => boolean) => Effect.repeat(Effect.delay(Effect.sync(holds), 5), { until: (held) => held })

it.scopedLive(
  "the copy of the ledger that a killed rehearsal leaves goes with the next rehearsal",
  () =>
    Effect.gen(function*() {
      const at = yield* bench()
      at.write("source.csv", csv(upTo(1)))
      expect((yield* at.run("run", "contacts")).status).toBe(0)
      at.write("source.csv", csv(upTo(20_000)))
      const copies = () => readdirSync(join(at.folder, ".formferry")).filter((name) => name.startsWith("rehearsal-"))
      const killed = start(["rehearse", "contacts"], { cwd: at.folder })
      yield* until(() => copies().length === 1)
      killed.signal("SIGKILL")
      yield* Effect.promise(() => killed.ended)
      expect(copies().length).toBe(1)

      at.write("source.csv", csv(upTo(2)))
      const next = yield* at.run("rehearse", "contacts")
      expect(next.status, next.stderr).toBe(0)
      expect(copies()).toEqual([])
    }),
  60_000,
)
