// Records that are deleted, arrive or are edited between the pages of a pull.
import { type Clock, Duration, Effect, Either } from "effect"
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest"
import { cellText } from "../../../src/domain/cell.ts"
import { Draws } from "../../faults/Draws.ts"
import { isLong, seeds } from "../../long.ts"
import { readAll, run } from "../opening.ts"
import { type FakeRecord, type FakeTools, number, records, startTools } from "./fakeTools.ts"
import { pullProject } from "./pullProject.ts"

let tools: FakeTools & { readonly stop: () => void }
const { failure, open } = pullProject(() => tools.base)
beforeAll(async () => {
  // Records in the order of the store, by position or by page. `until` excludes newer ones.
  tools = await startTools(({ url }, store) => {
    const limit = number(url, "limit", 10)
    const start = number(url, "offset", (number(url, "page", 1) - 1) * limit)
    const until = Date.parse(url.searchParams.get("until") ?? "9999-01-01T00:00:00Z")
    const found = store.filter(({ at = 0 }) => at < until)
    const items = found.slice(start, start + limit).map(({ id, name }) => ({ id, name }))
    return { body: { total: found.length, items } }
  })
})
afterAll(() => tools.stop())
beforeEach(() => {
  tools.store = records(1, 20)
  tools.meddle = () => undefined
  tools.received.length = 0
})

const byOffset = (keys: string, limit = 10) => ({
  auth: "{ bearer: { env: TOOL_TOKEN } }",
  source: `request: { path: /items, query: { limit: ${limit}, offset: "{offset}" } }
  page: { offset: 0${keys} }
  records: /items`,
})

/** Pulls and reads a source without waiting for its rate. Returns its ids, or the message of its error. */
const pull = ({ auth, source }: ReturnType<typeof byOffset>) => {
  const reading = Effect.flatMap(open(auth, source), readAll)
  return run(
    Effect.flatMap(Effect.clock, (clock) => {
      const sleep: Clock.Clock["sleep"] = (duration) =>
        Duration.lessThan(duration, "1 second") ? Effect.void : clock.sleep(duration)
      return Effect.withClock(reading, Object.assign(Object.create(clock) as Clock.Clock, { sleep }))
    }).pipe(
      Effect.map(({ rows }) => rows.map(([id]) => Number(cellText(id)))),
      Effect.mapError(({ message }) => message),
      Effect.either,
    ),
  )
}

/** What happens to the records of a tool whose oldest or newest records come first. */
const orders = {
  oldest: {
    sorted: (all: ReadonlyArray<FakeRecord>) => all,
    added: (store: ReadonlyArray<FakeRecord>, id: number) => [...store, ...records(id, id)],
  },
  newest: {
    sorted: (all: ReadonlyArray<FakeRecord>) => all.toReversed(),
    added: (store: ReadonlyArray<FakeRecord>, id: number) => [...records(id, id), ...store],
  },
} as const

describe.each([["oldest", ""], ["oldest", ", id: /id"], ["newest", ""], ["newest", ", id: /id"]] as const)(
  "pages by `{offset}` with the %s first%s",
  (order, keys) => {
    const { added, sorted } = orders[order]
    const before = sorted(records(1, 20)).map(({ id }) => id)

    it("have each record once and in order if nothing changes, even if the last page is full or has a single record", async () => {
      for (const limit of isLong ? [2, 3, 10, 20, 21] : [3, 10, 20]) {
        tools.store = sorted(records(1, 20))
        expect(await pull(byOffset(keys, limit))).toEqual(Either.right(before))
      }
    })

    it("lose nothing if a record is deleted and one arrives between any two requests", async () => {
      // The requests: two pages and the last record, the end, and the last record again.
      for (const request of [2, 3, 4, 5]) {
        for (const deleted of (isLong ? [0, 8, 9, 10, 19] : [9, 10]).map((position) => before[position])) {
          tools.store = sorted(records(1, 20))
          tools.received.length = 0
          tools.meddle = (_, count) => {
            if (count === request) tools.store = added(tools.store.filter(({ id }) => id !== deleted), 21)
            return undefined
          }
          const ids = Either.getOrThrowWith(await pull(byOffset(keys)), (message) => new Error(message))
          expect(before.filter((id) => id !== deleted && !ids.includes(id)), `${deleted} before ${request}`).toEqual([])
        }
      }
    })
  },
)

it("pages by `{offset}` lose no record, whatever is deleted, added or edited, or the pull fails", async () => {
  const seen = { failed: 0, moved: 0 }
  for (let seed = 1; seed <= seeds(4, 20); seed++) {
    const draws = new Draws(seed)
    const { added, sorted } = orders[draws.pick<keyof typeof orders>(["oldest", "newest"])]
    const share = draws.pick([0.02, 0.05, 0.2])
    let next = draws.int(5, 30)
    tools.store = sorted(records(1, next))
    const kept = new Set(tools.store.map(({ id }) => id))
    let changes = 0
    tools.meddle = () => {
      for (let times = 0; times < 6; times++) {
        if (!draws.chance(share)) continue
        changes++
        const at = draws.int(0, tools.store.length - 1)
        const what = draws.int(1, 5)
        if (what <= 2) {
          kept.delete(tools.store[at]?.id ?? 0)
          tools.store = tools.store.toSpliced(at, 1)
        } else if (what <= 4) tools.store = added(tools.store, ++next)
        else {tools.store = tools.store.map((one, index) =>
            index === at ? { ...one, name: `${one.name} (edited)` } : one
          )}
      }
      return undefined
    }
    const config = byOffset(draws.pick(["", ", id: /id"]), draws.int(2, 9))
    const pulled = await pull(config)
    if (Either.isLeft(pulled)) {
      expect(pulled.left).toMatch(/moved records|repeats a page|has no records/)
      seen.failed++
      continue
    }
    if (changes > 0) seen.moved++
    expect([...kept].filter((id) => !pulled.right.includes(id)), `seed ${seed}`).toEqual([])
  }
  expect(seen.moved).toBeGreaterThan(seeds(1, 5))
  expect(seen.failed).toBeGreaterThan(seeds(0, 1))
})

it("a pull whose records move each time fails after three attempts, and says so", async () => {
  tools.meddle = (_, count) => {
    if (count % 2 === 0) tools.store = [...tools.store.slice(1), ...records(100 + count, 100 + count)]
    return undefined
  }
  expect((await failure(byOffset(""))).message).toMatch(
    /moved records while it was read: page 2 does not begin with a record that was already received.* Nothing was imported\. .* All pages were requested 3 times\.$/,
  )
  expect(tools.received).toHaveLength(6)
})

it("pages of one record by `{offset}` are refused", async () => {
  expect((await failure(byOffset("", 1))).message).toContain("sends one record a page.")
  tools.store = records(1, 1)
  tools.received.length = 0
  expect(await pull(byOffset("", 1))).toEqual(Either.right([1]))
  expect(tools.received).toHaveLength(3)
})

it("the total ends pages by `{offset}` whose last record comes alone", async () => {
  expect(await pull(byOffset(", total: /total"))).toEqual(Either.right(records(1, 20).map(({ id }) => id)))
  expect(tools.received).toHaveLength(4)
})

it("pages of cells by `{offset}` have each row once", async () => {
  const cells = [["id", "name"], ...tools.store.map(({ id, name }) => [id, name])]
  tools.meddle = ({ url }) => {
    const start = number(url, "offset", 0)
    return { body: { items: cells.slice(start, start + 10) } }
  }
  expect(await pull(byOffset(""))).toEqual(Either.right(tools.store.map(({ id }) => id)))
  cells.length = 1
  expect(await pull(byOffset(""))).toEqual(Either.right([]))
})

describe("`{until}`", () => {
  const byNumber = {
    auth: "{ bearer: { env: TOOL_TOKEN } }",
    source: `request: { path: /items, query: { limit: 10, page: "{number}", until: "{until}" } }
  page: { number: 1, total: /total, id: /id }
  records: /items`,
  }
  /** Records that were modified a minute ago, and one that is modified now. */
  const modified = (now: number) => records(1, 20).map((record) => ({ ...record, at: now - 60_000 }))

  it("excludes records that arrive during the pull, so that the total shows the one that was skipped", async () => {
    const now = Date.now()
    tools.store = modified(now)
    tools.meddle = (_, count) => {
      if (count === 2) tools.store = [...tools.store.slice(1), { id: 21, name: "x", at: Date.now() }]
      return undefined
    }
    const ids = Either.getOrThrowWith(await pull(byNumber), (message) => new Error(message))
    expect(ids).toEqual(records(2, 20).map(({ id }) => id))
    // The second of two attempts has an empty page at its end.
    expect(tools.received).toHaveLength(5)
    expect(tools.received[0]?.url.searchParams.get("until")).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/)
  })

  it.each([["ahead", -3600], ["behind", 3600]])("follows the tool's clock if this one is %s", async (_, seconds) => {
    const toolTime = Math.floor(Date.now() / 1000) * 1000 + seconds * 1000
    tools.store = modified(toolTime)
    tools.meddle = ({ url }) => {
      const until = Date.parse(url.searchParams.get("until") ?? "")
      const items = tools.store.filter(({ at = 0 }) => at < until).slice((number(url, "page", 1) - 1) * 10).slice(0, 10)
      return { headers: { date: new Date(toolTime).toUTCString() }, body: { total: 20, items } }
    }
    expect(await pull(byNumber)).toEqual(Either.right(records(1, 20).map(({ id }) => id)))
    const [, ...others] = tools.received.map(({ url }) => Date.parse(url.searchParams.get("until") ?? ""))
    expect(others).toEqual([toolTime - 1000, toolTime - 1000, toolTime - 1000])
  })
})
