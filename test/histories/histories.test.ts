import { beforeAll, expect, it } from "vitest"
import { loadLazyModules } from "../faults/VirtualProject.ts"
import { firstSeed, play } from "./play.ts"

beforeAll(loadLazyModules)

// CI also plays 25 histories with `npm run histories`.
it(
  "in a history, no row is sent twice, no harmless change is refused, and the advice of every refusal works",
  async () => {
    const { broken, lines } = await play(firstSeed)
    expect(broken, lines.join("\n")).toEqual([])
  },
  240_000,
)
