import { beforeAll, expect, it } from "vitest"
import { loadLazyModules } from "../faults/VirtualProject.ts"
import { seeds } from "../long.ts"
import { Nights } from "./Nights.ts"
import { type Night, type Person, plan } from "./plan.ts"

const nights = seeds(24, 60)
const seed = 7

const same = (a: Person, b: Person) => a.name === b.name && a.mail === b.mail

beforeAll(loadLazyModules)

it(
  `${nights} nights with and without telemetry and corrected rows import every expected row once and report every anomaly once, and the ledger's size stays proportional to its rows`,
  async () => {
    const planned = plan(seed, nights)
    const world = new Nights(seed)
    try {
      for (const night of planned) await world.through(night)
      // The last nights have no faults, and rows in doubt are settled after each.
      const last = planned.at(-1)
      if (last === undefined) throw new Error("There are no nights.")
      const quiet: Night = {
        ...last,
        faults: [],
        crashAt: undefined,
        competing: false,
        webhookDown: false,
        settled: true,
      }
      for (let more = 0; more < 3; more++) await world.through(quiet)

      // Compares the service's own store with all rows that were ever in the source.
      const ever = [...planned.flatMap(({ rows }) => rows ?? []), ...world.fixed]
      const contents = new Map<number, Array<Person>>()
      for (const one of ever) contents.set(one.no, [...(contents.get(one.no) ?? []), one])
      const byRow = new Map<number, Array<Person & { readonly id: string }>>()
      for (const one of world.submissions()) byRow.set(one.no, [...(byRow.get(one.no) ?? []), one])
      const { bytes, findings, replaced, standing } = await world.ledger()
      for (const one of last.rows ?? []) {
        expect(byRow.get(one.no)?.at(-1), `row ${one.no} at the service is as in the source`).toMatchObject(one)
      }
      for (const [no, all] of byRow) {
        const doubled = all.filter((one, at) => at > 0 && same(one, all[at - 1]!))
        expect(doubled, `row ${no} was imported again only if it had changed`).toEqual([])
        expect(all.length, `row ${no} stands as often as it was replaced, and once`).toBe(
          1 + replaced.filter((one) => one.no === no).length,
        )
        expect(all.every((one) => contents.get(no)?.some((row) => same(row, one))), `row ${no} is as it was`).toBe(true)
      }
      expect(standing).toMatchObject({ inDoubt: 0, imported: byRow.size, replaced: replaced.length })
      expect(findings).toEqual([])

      // Each anomaly is reported once: on the same night, or as soon as the webhook works again.
      const expected = planned.flatMap(({ unusual, webhookDown }, at) =>
        unusual.map((code) => `${code} in night ${at + 1 + (webhookDown ? 1 : 0)}`)
      )
      const told = world.told.flatMap(({ news, night }) => news.map((code) => `${code} in night ${night}`))
      expect(told.toSorted()).toEqual(expected.toSorted())
      expect(planned.filter(({ unusual, webhookDown }) => webhookDown && unusual.length > 0).length).toBeGreaterThan(0)
      expect(bytes / byRow.size, "bytes of the ledger a row").toBeLessThan(3_000)

      // Nights without events prove nothing.
      expect(world.counts.crashes).toBeGreaterThanOrEqual(nights / 3)
      expect(world.counts.unchanged).toBeGreaterThan(1)
      expect(replaced.length).toBeGreaterThan(10)
      expect(world.counts.spans).toBeGreaterThan(nights)
      expect(world.counts.fixed).toBeGreaterThan(0)
    } finally {
      world.close()
    }
  },
  300_000,
)
