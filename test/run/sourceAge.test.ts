import { FileSystem } from "@effect/platform"
import { describe, expect, it } from "@effect/vitest"
import { Duration, Effect } from "effect"
import { projectStatus } from "../../src/jobs/status.ts"
import { loadProject } from "../../src/project/loadProject.ts"
import { sourceAge } from "../../src/run/history.ts"
import { platform } from "../project/projectFolder.ts"
import { world } from "./world.ts"

describe("the setting source.maxAge", () => {
  it.scopedLive("a run reports an old source as a new anomaly only once, even if the run ends immediately", () =>
    Effect.gen(function*() {
      const fs = yield* FileSystem.FileSystem
      const { root, run, settings, source } = yield* world
      const age = (file: string, hours: number) =>
        fs.utimes(`${root}/${file}`, Date.now() / 1000 - hours * 3600, Date.now() / 1000 - hours * 3600)
      const told = Effect.map(run(), ({ anomalies = [], unchangedSince }) => [
        anomalies.map(({ code, fresh }) => [code, fresh]),
        unchangedSince !== undefined,
      ])
      yield* source(["1,Ann,ann@example.org"])
      yield* age("source.csv", 60)
      expect(yield* told).toEqual([[], false])
      // The setting changes nothing about rows, so the source is not read a second time.
      yield* settings({ source: ", maxAge: 2 days" })
      expect(yield* told).toEqual([[["stale-source", true]], true])
      expect(yield* told).toEqual([[["stale-source", false]], true])
      const { pipelines } = yield* Effect.flatMap(
        loadProject(root, { pipelines: [] }),
        (project) => projectStatus(project, [], { verify: false }),
      )
      expect(pipelines[0]?.runs[0]?.facts?.anomalies).toEqual(["stale-source"])
      const report = yield* run()
      expect(report.warnings).toEqual([
        expect.stringMatching(
          /^The source was last changed 2d 12h ago \(\w{3} \d{4}-\d\d-\d\d \d\d:\d\d \+00:00\), but `source.maxAge` allows only 2d. Check that the system that writes it is still running\.$/,
        ),
      ])
      // A file given manually may have any age. If there are several files, the newest counts.
      yield* fs.copyFile(`${root}/source.csv`, `${root}/other.csv`)
      yield* age("other.csv", 900)
      expect((yield* run({ source: "other.csv" })).anomalies).toBeUndefined()
      yield* settings({ file: "{ glob: ../*.csv }", source: ", maxAge: 2 days" })
      expect(yield* told).toEqual([[["stale-source", false]], false])
      yield* age("other.csv", 1)
      expect(yield* told).toEqual([[], true])
    }).pipe(Effect.provide(platform)))

  it("the age of a source is not checked if its time is missing or wrong, and this is reported", () => {
    const of = (changedAt: number | undefined, maxAge: Duration.Duration | undefined, ownSource = true) => {
      const run = { ownSource, source: { changedAt }, pipeline: { source: { maxAge } } } as Parameters<
        typeof sourceAge
      >[0]
      return Object.keys(sourceAge(run, 10 * 3_600_000))
    }
    const hours = Duration.hours(3)
    expect(of(7 * 3_600_000, hours)).toEqual([])
    expect(of(7 * 3_600_000 - 1, hours)).toEqual(["stale"])
    // A file from the near future is new. From the far future, it would seem to be new for a long time.
    expect(of(13 * 3_600_000, hours)).toEqual([])
    expect(of(13 * 3_600_000 + 1, hours)).toEqual(["unknown"])
    expect(of(0, undefined)).toEqual([])
    expect(of(undefined, hours)).toEqual(["unknown"])
    expect(of(undefined, hours, false)).toEqual([])
  })
})
