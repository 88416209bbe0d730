// Tests a ledger on a network file system. No such disk can be mounted here, so the test adds one to the system's list.
import { NodeContext } from "@effect/platform-node"
import { expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { mkdirSync, renameSync, symlinkSync } from "node:fs"
import { afterAll, vi } from "vitest"
import { onOneLine } from "../acceptance/formferry.ts"
import { world } from "../run/world.ts"
import { command } from "./inProcess.ts"

/** The folder that counts as a network file system, once a test has set it. */
const mounted = vi.hoisted(() => {
  // Test files of a worker share their modules.
  vi.resetModules()
  return { folder: "" }
})
afterAll(() => {
  vi.doUnmock("node:fs")
  vi.resetModules()
})

vi.mock("node:fs", async (original) => {
  const real = await original<typeof import("node:fs")>()
  const readFileSync = (...asked: Parameters<typeof real.readFileSync>) => {
    const read = real.readFileSync(...asked)
    return asked[0] === "/proc/self/mountinfo" && mounted.folder !== ""
      ? `${read}99 22 0:40 / ${mounted.folder} rw,relatime shared:1 - nfs4 server:/x rw\n`
      : read
  }
  return { ...real, readFileSync, default: { ...real, readFileSync } }
})

it.scopedLive.skipIf(process.platform !== "linux")(
  "run sends nothing and exits with code 2 if its ledger is on a network file system",
  () =>
    Effect.gen(function*() {
      const here = yield* world
      yield* here.source(["K-1,Ada,ada@example.org"])
      mounted.folder = `${here.root}/.formferry`
      const words = ["run", "people", "--project", here.root]
      const refused = Effect.map(command(words), ({ err, status }) =>
        expect([status, onOneLine(err)]).toEqual([
          2,
          expect.stringMatching(/ledger\.db is on a network file system \(nfs4\), .* Nothing was sent\./),
        ]))
      yield* refused
      expect(here.practice.submissions("people")).toEqual([])
      mounted.folder = `${here.root}/elsewhere`
      expect((yield* command(words)).status).toBe(0)
      expect(here.practice.submissions("people")).toHaveLength(1)
      const [file, target] = [`${here.root}/.formferry/ledger.db`, `${mounted.folder}/ledger.db`]
      mkdirSync(mounted.folder)
      renameSync(file, target)
      symlinkSync(target, file)
      yield* refused
    }).pipe(Effect.provide(NodeContext.layer)),
)
