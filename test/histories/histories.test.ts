import { beforeAll, expect, it } from "vitest"
import { loadLazyModules } from "../faults/VirtualProject.ts"
import { play, type Played } from "./play.ts"

const seeds = 40

beforeAll(loadLazyModules)

it(
  `${seeds} histories: nothing is sent twice, innocent ones are not refused, and each refusal is resolved by what it says`,
  async () => {
    const played: Array<Played> = []
    for (let seed = 1; seed <= seeds; seed++) played.push(await play(seed))
    const broken = played.flatMap(({ broken, lines, seed }) => broken.map((what) => ({ seed, what, lines })))
    expect(broken).toEqual([])
    // Histories in which nothing happens prove nothing.
    const met = new Set(played.flatMap((one) => [...one.met.keys()]))
    for (
      const what of [
        "killed",
        "refused",
        "delete",
        "restore",
        "log lost",
        "log cut",
        "log flipped",
        "clock",
        "moved",
        "copied",
        "reports lost",
        "marks lost",
        "tidy",
        "header only",
        "address",
        "renamed",
        "row key",
        "empty",
        "resolved: accept ledger",
        "resolved: the newest ledger is put back",
        "resolved: renamedFrom",
        "resolved: previousBaseUrls",
      ]
    ) {
      expect([...met]).toContain(what)
    }
  },
  240_000,
)
