// Tests a source with lines that are not accounted for. No known file causes this, so the test makes the independent
// count wrong.
import { NodeContext } from "@effect/platform-node"
import { expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { afterAll, vi } from "vitest"
import { onOneLine } from "../acceptance/formferry.ts"
import { world } from "../run/world.ts"
import { command } from "./inProcess.ts"

// Test files of a worker share their modules.
vi.hoisted(() => vi.resetModules())
afterAll(() => {
  vi.doUnmock("../../src/source/lineCount.ts")
  vi.resetModules()
})

vi.mock("../../src/source/lineCount.ts", async (original) => {
  const real = await original<typeof import("../../src/source/lineCount.ts")>()
  class OneTooMany extends real.LineCount {
    override get lines(): number {
      return super.lines + (super.lines > 2 ? 1 : 0)
    }
  }
  return { ...real, LineCount: OneTooMany }
})

it.scopedLive("check and run exit with code 70 and send nothing if some lines of a source are not accounted for", () =>
  Effect.gen(function*() {
    const here = yield* world
    yield* here.source(["K-1,Ada,ada@example.org", "K-2,Bob,bob@example.org"])
    for (const words of [["check", "people"], ["run", "people"]]) {
      const ran = yield* command([...words, "--project", here.root])
      expect([...words, ran.status], ran.err).toEqual([...words, 70])
      expect(onOneLine(ran.err)).toContain("don't add up: it has 4, but 1 above the data, 2 records")
    }
    expect(here.practice.submissions("people")).toEqual([])
  }).pipe(Effect.provide(NodeContext.layer)))
