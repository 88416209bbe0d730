import { NodeContext } from "@effect/platform-node"
import { expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { truncateSync } from "node:fs"
import { join } from "node:path"
import { worthAThread } from "../../src/source/bytes.ts"
import { isLong } from "../../src/source/openSource.ts"
import { projectFolder } from "../project/projectFolder.ts"

it.scopedLive("a source counts as long if it is a single local file that is large enough", () =>
  Effect.gen(function*() {
    const root = yield* projectFolder({ "short.csv": "Id\n1\n", "2026-11-21.csv": "Id\n1\n", "2026-11-22.csv": "" })
    const [short, long] = [join(root, "short.csv"), join(root, "2026-11-22.csv")]
    truncateSync(long, worthAThread)
    const glob = join(root, "2026-*.csv")
    expect(yield* Effect.all([isLong(long), isLong([long]), isLong({ glob, take: "newest" })])).toEqual([
      true,
      true,
      true,
    ])
    const others = [
      short,
      [short, long],
      { glob, take: "all" },
      join(root, "nowhere.csv"),
      "https://example.org/a.csv",
    ] as const
    expect(yield* Effect.all(others.map((where) => isLong(where)))).toEqual(others.map(() => false))
  }).pipe(Effect.provide(NodeContext.layer)))
