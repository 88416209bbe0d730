import { expect } from "@effect/vitest"
import { Effect } from "effect"
import { homedir, hostname, tmpdir } from "node:os"
import { join } from "node:path"
import { live, world } from "../run/world.ts"
import { pageOf, served } from "./opened.ts"

live(
  "no answer contains a key, a path of this machine, its name or a process, and cells stay as they are",
  Effect.gen(function*() {
    const { fail, root, settings, source, write } = yield* world
    // Long, because samples of cells are cut.
    const photo = `The photo of the person as the old program stored it long ago: ${join(root, "photo.png")}`
    yield* settings({ sink: ", canary: off", visibleWithin: "1 second" })
    yield* source([...Array.from({ length: 12 }, (_, at) => `${at + 1},${photo},p${at}@example.org`), "13,Bad,x"])
    yield* write(
      "pipelines/lost.yaml",
      "pipeline: lost\nsource: { file: ../lost.csv }\nmapping: { questions: [] }\nsink: { service: live, form: people }\n",
    )
    yield* write("pipelines/odd.yaml", "pipeline: [\n")
    const page = yield* Effect.flatMap(served(root), (studio) => Effect.promise(() => pageOf(studio)))
    yield* Effect.promise(async () => {
      const { answers, call, done, send } = page
      const refused = (ended: Promise<unknown>) => ended.then(() => {}, () => {})
      fail("POST", "lost")
      await done({ pipeline: "people", mode: "run" })
      const { run } = (await call("results", "report", { pipeline: "people" })).report
      await call("results", "rejected", { pipeline: "people", run, rows: 10 })
      await call("results", "doubts", { pipeline: "people" })
      await refused(send("results/settle?pipeline=people&name=other.csv", "No,Name\n1,Ada\n"))
      await refused(call("results", "report", { pipeline: "people", run: "none" }))
      for (const mode of ["check", "run"] as const) await done({ pipeline: "lost", mode })
      for (const pipeline of ["people", "lost", "none", "odd"]) {
        const { text } = await call("draft", "open", { pipeline }).catch(() => ({ text: "" }))
        await refused(call("draft", "survey", { pipeline, text, whole: true }))
        await refused(call("draft", "state", { pipeline, text }))
        await refused(call("draft", "counts", { pipeline, text, whole: true }))
        const shown = await call("draft", "preview", { pipeline, text, row: 1, rows: 1 }).catch(() => undefined)
        if (pipeline === "people") expect(shown?.rows[0]?.answers[0]?.value).toBe(photo)
      }
      await call("project", "home", {})
      const { file } = await send("project/upload?name=empty.csv", "")
      await refused(call("project", "create", { pipeline: "empty", source: file, service: "live", form: "people" }))
      const all = answers.join("\n").replaceAll(photo, "")
      expect(answers.length).toBeGreaterThan(30)
      for (const secret of ["practice_key_of_the_test", root, tmpdir(), homedir(), hostname(), `"pid"`, `"boot"`]) {
        expect(all).not.toContain(secret)
      }
    })
  }),
)
