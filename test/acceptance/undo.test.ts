import { expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { readFileSync } from "node:fs"
import { basename, join } from "node:path"
import { bench, csv, upTo } from "./contacts.ts"
import { onOneLine } from "./formferry.ts"

const ended = ({ status, stderr }: { readonly status: number | null; readonly stderr: string }) => ({
  status,
  next: stderr.trim().split("\n").at(-1),
})

it.scopedLive("undo deletes what a run created only if the service can delete, and only after a confirmation", () =>
  Effect.gen(function*() {
    const at = yield* bench()
    const configure = (more: string) =>
      at.edit("config/formferry.yaml", / {4}confirm: (true|false)\n( {4}capabilities.*\n)?/, more)
    at.write("source.csv", csv(upTo(15)))
    yield* at.inProcess("run", "contacts")
    const { run } = at.report()
    at.write("source.csv", csv(upTo(40)))
    const imported = at.count()
    yield* at.inProcess("run", "contacts")
    expect(at.count()).toBe(40)

    const unable = yield* at.inProcess("undo", "contacts", "--run", run)
    expect(ended(unable)).toEqual({ status: 2, next: "formferry status contacts" })
    expect(onOneLine(unable.stderr)).toContain("add `capabilities: [delete]` to `services.live`")

    configure("    confirm: true\n    capabilities: [delete]\n")
    expect(ended(yield* at.inProcess("undo", "contacts", "--run", run))).toEqual({
      status: 2,
      next: `formferry undo contacts --run ${run} --confirm live`,
    })
    expect(at.count()).toBe(40)

    const undone = yield* at.exits(0, "undo", "contacts", "--run", run, "--confirm", "live")
    expect(onOneLine(undone.stderr)).toContain(
      `${imported} submissions will be deleted from form Form contacts (contacts) of live. This can't be undone.`,
    )
    const text = onOneLine(undone.stdout)
    expect(text).toContain(`${imported} submissions of run ${run} were deleted from Form contacts on live.`)
    expect(text).toContain("later runs send them only with --resend-undone")
    expect(at.count()).toBe(40 - imported)

    const again = yield* at.inProcess("undo", "contacts", "--run", run, "--confirm", "live", "--json")
    const result = JSON.parse(again.stdout) as { readonly folder: string }
    expect(result).toMatchObject({ deleted: 0, earlier: imported, exitCode: 0 })
    expect(readFileSync(join(result.folder, "undone.csv"), "utf8").trim().split("\n")).toHaveLength(imported + 1)
    const report = yield* at.exits(2, "report", "contacts", "--run", basename(result.folder))
    expect(onOneLine(report.stderr)).toContain("an undo has no report. It lists the submissions")

    yield* at.exits(0, "run", "contacts", "--confirm", "live")
    expect(at.report().rows).toMatchObject({ read: 40, undone: imported, alreadyImported: 40 - imported })
    expect((yield* at.inProcess("status", "contacts", "--verify")).stdout).toMatch(new RegExp(`${imported} undone`))
    yield* at.exits(0, "run", "contacts", "--resend-undone", "--confirm", "live")
    expect(at.count()).toBe(40)
  }))
