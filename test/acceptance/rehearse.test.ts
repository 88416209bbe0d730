import { expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { readdirSync } from "node:fs"
import { join } from "node:path"
import { bench, csv, pipelineYaml, upTo } from "./contacts.ts"
import { onOneLine } from "./formferry.ts"

it.scopedLive(
  "rehearse sends nothing, needs no confirmation, and is mentioned by the next run",
  () =>
    Effect.gen(function*() {
      const at = yield* bench()
      // This service requires a confirmation for every run.
      at.write("pipelines/contacts.yaml", pipelineYaml({ sink: "service: careful\n  form: contacts" }))
      at.write("source.csv", csv(upTo(15)))
      const rehearsed = yield* at.exits(0, "rehearse", "contacts")
      expect(rehearsed.stdout).toContain("rehearsal")
      expect(rehearsed.stdout).toContain("Next:   formferry run contacts")
      expect(at.count()).toBe(0)
      const { folder, mode } = at.report()
      expect(mode).toBe("rehearsal")
      expect(readdirSync(join(at.folder, ".formferry")).filter((name) => name.startsWith("rehearsal"))).toEqual([])

      const ran = yield* at.exits(0, "run", "contacts", "--confirm", "careful")
      expect(onOneLine(ran.stdout)).toMatch(
        /Rehearsed .* before \(\S+\) with the same source, mapping and form, with the same result\./,
      )
      expect(at.count()).toBe(15)
      expect(folder).not.toBe(at.report().folder)
      expect((yield* at.inProcess("report", "contacts")).stdout).toContain(at.report().run)
    }),
  60_000,
)

it.scopedLive(
  "a rehearsal's findings are in its own report, and --json ends with the report",
  () =>
    Effect.gen(function*() {
      const at = yield* bench()
      at.write(
        "source.csv",
        csv(upTo(12), (key) => (key === 12 ? "Person 12,not-an-address,1990-01-17" : `P ${key},p@x.org,1990-01-17`)),
      )
      const rehearsed = yield* at.exits(1, "rehearse", "contacts", "--limit", "5", "--json")
      const events = rehearsed.stdout.trimEnd().split("\n").map((line) => JSON.parse(line) as Record<string, unknown>)
      expect(new Set(events.map((event) => event["event"]))).toEqual(new Set(["progress", "report"]))
      expect(events.at(-1)).toMatchObject({
        event: "report",
        mode: "rehearsal",
        rows: { imported: 5, pending: 6, invalid: 1 },
      })
      expect(rehearsed.lastLine).toBe(`formferry report contacts --run ${at.report().run} --open`)
      const shown = yield* at.inProcess("report", "contacts", "--run", at.report().run)
      expect(shown.stdout).toContain("rehearsal")
      expect(at.count()).toBe(0)
      expect(at.runs().length).toBe(1)
    }),
  60_000,
)

it.scopedLive(
  "the command suggested after a rehearsal keeps the source, target and confirmation if it has these options",
  () =>
    Effect.gen(function*() {
      const at = yield* bench()
      at.write(
        "pipelines/contacts.yaml",
        pipelineYaml({
          sink: "targets: { one: { service: careful, form: contacts }, two: { service: live, form: other } }",
        }),
      )
      at.write("source.csv", csv(upTo(3)))
      at.write("second.csv", csv(upTo(4)))
      yield* at.exits(0, "rehearse", "contacts", "--to", "one", "--source", "second.csv", "--json")
      at.write("second.csv", "No,Name,Mail,Born\n1,One,a@x.org,1990-01-17\n1,Other,b@x.org,1990-01-17\n")
      const ran = yield* at.exits(1, "run", "contacts", "--to", "one", "--confirm", "careful", "--source", "second.csv")
      expect(ran.lastLine).toMatch(/^formferry run contacts --source \S+rejected\.csv --to one --confirm careful$/)
      // The command occurs once, on stderr.
      expect(ran.stdout).not.toContain("formferry run")
      const reconciled = yield* at.exits(0, "reconcile", "contacts", "--to", "one", "--json")
      expect(JSON.parse(reconciled.stdout.trimEnd().split("\n").at(-1) ?? "")).toMatchObject({
        event: "report",
        mode: "reconcile",
        readBack: { verified: 1 },
      })
    }),
  60_000,
)
