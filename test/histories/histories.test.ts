import { beforeAll, expect, it } from "vitest"
import { loadLazyModules } from "../faults/VirtualProject.ts"
import { firstSeed, play, type Played } from "./play.ts"

beforeAll(loadLazyModules)

it(
  "two histories: no row is sent twice, no harmless change is refused, and the advice of every refusal works",
  async () => {
    const played: Array<Played> = []
    for (let seed = firstSeed; seed < firstSeed + 2; seed++) played.push(await play(seed))
    expect(played.flatMap(({ broken, lines, seed }) => broken.map((what) => ({ seed, what, lines })))).toEqual([])
  },
  240_000,
)
