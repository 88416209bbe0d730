import { expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { rmSync } from "node:fs"
import { join } from "node:path"
import { type Bench, bench, csv, pipelineYaml, upTo } from "./contacts.ts"
import type { Ran } from "./formferry.ts"

const pipelines = ["crm-a", "crm-b", "shop"] as const

const rowsOf = (name: string, last: number) => csv(upTo(last), (key) => `${name} ${key},p${key}@example.org,1990-01-17`)

/** A project with three pipelines. Two of them, crm-b and shop, are tagged. */
const project = Effect.gen(function*() {
  const at = yield* bench()
  rmSync(join(at.folder, "pipelines/contacts.yaml"))
  for (const name of pipelines) {
    at.write(`${name}.csv`, rowsOf(name, 2))
    const others = pipelines.filter((other) => other !== name)
    at.write(
      `pipelines/${name}.yaml`,
      pipelineYaml({
        name,
        file: `../${name}.csv`,
        sink: `service: live\n  form: contacts\n  alongside: [${others.join(", ")}]`,
        more: name === "crm-a" ? "" : `tags: [nightly, ${name === "shop" ? "sales" : "crm"}]\n`,
      }),
    )
  }
  return at
})

/** Returns the pipelines that a command reported, in its order. */
const reported = (ran: Ran): ReadonlyArray<string> =>
  ran.stdout.trimEnd().split("\n").flatMap((line) => {
    const { event, pipeline } = JSON.parse(line) as { readonly event: string; readonly pipeline: string }
    return event === "report" ? [pipeline] : []
  })

const chosen = (at: Bench, ...words: ReadonlyArray<string>) =>
  Effect.map(at.inProcess("run", "--dry-run", "--json", ...words), reported)

it.scopedLive("names, globs and tags choose each matching pipeline once", () =>
  Effect.gen(function*() {
    const at = yield* project
    expect(reported(yield* at.inProcess("run", "--dry-run", "--json", "shop", "crm-*"))).toEqual([
      "shop",
      "crm-a",
      "crm-b",
    ])
    expect(yield* chosen(at, "crm-b", "crm-*")).toEqual(["crm-b", "crm-a"])
    expect(yield* chosen(at, "--tag", "nightly")).toEqual(["crm-b", "shop"])
    expect(yield* chosen(at, "--tag", "sales", "--tag", "crm")).toEqual(["crm-b", "shop"])
    expect(yield* chosen(at, "--tag", "nightly", "crm-*")).toEqual(["crm-b"])
    const check = yield* at.inProcess("check", "--tag", "sales", "--json")
    expect(JSON.parse(check.stdout).pipelines).toMatchObject([{ pipeline: "shop" }])
    expect((yield* at.inProcess("run")).stderr).toContain("NAME is missing")
  }))

it.scopedLive("a command whose glob or tag matches nothing exits with code 2, and its message lists what exists", () =>
  Effect.gen(function*() {
    const at = yield* project
    const glob = yield* at.inProcess("run", "crn-*")
    expect([glob.status, glob.lastLine]).toEqual([2, "formferry status"])
    expect(glob.stderr).toContain("No pipeline's name matches `crn-*`. Pipelines are: `crm-a`, `crm-b` and `shop`.")
    const tag = yield* at.inProcess("status", "--tag", "nigtly")
    expect([tag.status, tag.stderr]).toEqual([2, expect.stringContaining("Did you mean `nightly`?")])
    const both = yield* at.inProcess("check", "crm-a", "--tag", "nightly")
    expect([both.status, both.stderr]).toEqual([2, expect.stringContaining("`crm-a` has the tag `nightly`")])
    const scheduled = yield* at.inProcess("schedule", "--once", "--tag", "weekly")
    expect([scheduled.status, scheduled.stderr]).toEqual([2, expect.stringContaining("Tags are: `crm`, `nightly`")])
    expect((yield* at.inProcess("run", "nobody", "--tag", "nightly")).stderr).toContain("no pipeline `nobody`")

    at.write("pipelines/broken.yaml", "pipeline: broken\ntags: nightly\n")
    const broken = yield* at.inProcess("run", "--tag", "nightly")
    expect([broken.status, broken.stderr]).toEqual([2, expect.stringContaining("pipelines/broken.yaml:2")])
    expect(at.count()).toBe(0)
  }))

it.scopedLive("--failed chooses exactly the pipelines whose last run was not good", () =>
  Effect.gen(function*() {
    const at = yield* project
    const none = yield* at.inProcess("run", "--failed")
    expect([none.status, none.stdout, none.stderr]).toEqual([0, "", expect.stringContaining("Nothing to do")])
    yield* at.exits(0, "run", "crm-a")
    at.edit("pipelines/shop.yaml", "  form: contacts", "  form: contacts\n  stopWhen: { invalid: 1% }")
    at.write("shop.csv", rowsOf("shop", 20) + "21,Person 21,no address,1990-01-17\n")
    yield* at.exits(3, "run", "*")
    expect(yield* chosen(at, "--failed")).toEqual(["shop"])
    // A reconciliation does not turn the previous run into a good one.
    yield* at.exits(0, "reconcile", "shop")
    expect(yield* chosen(at, "--failed")).toEqual(["shop"])
    expect((yield* at.inProcess("status", "crm-*", "--failed")).stderr).toContain("Nothing to do")
    at.write("shop.csv", rowsOf("shop", 20))
    expect(reported(yield* at.inProcess("run", "--failed", "--tag", "sales", "--json"))).toEqual(["shop"])
    expect((yield* at.inProcess("reconcile", "--failed")).stderr).toContain("Nothing to do")
  }))

it.scopedLive("schedule --tag runs only pipelines with that tag", () =>
  Effect.gen(function*() {
    const at = yield* project
    for (const name of pipelines) {
      const file = `pipelines/${name}.yaml`
      at.write(file, `${at.read(file)}\nschedule: { cron: "0 2 * * *", zone: UTC }\n`)
    }
    const plan = yield* at.inProcess("schedule", "--plan", "--json", "--tag", "crm")
    expect(JSON.parse(plan.stdout).pipelines).toMatchObject([{ pipeline: "crm-b" }])
    expect(reported(yield* at.inProcess("schedule", "--once", "--json", "--tag", "sales"))).toEqual(["shop"])
    expect(at.count()).toBe(2)
  }))
