import { beforeAll, expect, it } from "vitest"
import { loadLazyModules } from "../faults/VirtualProject.ts"
import { isLong, seeds as atMost } from "../long.ts"
import { happens, play, type Played } from "./play.ts"

/**
 * Every event of `happens.inFew` occurs within the seeds of the longer proof, without those in PostgreSQL, whose events depend on real time. CI also runs
 * the first seeds with `npm run histories`.
 */
const first = 29
const seeds = atMost(2, 21)

beforeAll(loadLazyModules)

it(
  `${seeds} histories: no row is sent twice, no harmless change is refused, and the advice of every refusal works`,
  async () => {
    const played: Array<Played> = []
    for (let seed = first; seed < first + seeds; seed++) played.push(await play(seed))
    const broken = played.flatMap(({ broken, lines, seed }) => broken.map((what) => ({ seed, what, lines })))
    expect(broken).toEqual([])
    if (!isLong) return
    const met = new Set(played.flatMap((one) => [...one.met.keys()]))
    expect(happens.inFew.filter((what) => !met.has(what))).toEqual([])
  },
  240_000,
)
