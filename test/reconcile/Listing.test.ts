import { describe, expect, it } from "@effect/vitest"
import { Clock, Effect, Fiber, Logger, type Scope, TestClock } from "effect"
import { type Listing, makeListing } from "../../src/reconcile/Listing.ts"
import { type FormService, ServiceUnusable } from "../../src/service/FormService.ts"
import { fakeList, submissionWith } from "../fakeSubmissions.ts"

type List = NonNullable<FormService["list"]>

const numbered = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, at) => `s${from + at}`)

/** A list of ids, oldest first, whose pages take 50 milliseconds. */
const listOf = (ids: () => ReadonlyArray<string>) => {
  const { list, pages } = fakeList(() => ids().map((submissionId) => submissionWith({ submissionId })))
  return { pages, list: ((form, page) => Effect.zipLeft(list(form, page), Effect.sleep(50))) satisfies List }
}

/** Opens a list. Returns a function that looks for ids, and returns those that must be read one by one. */
const opened = (list: List): Effect.Effect<Find, never, Scope.Scope> =>
  Effect.map(
    makeListing({ baseUrl: "https://forms.example", formId: "f", list }),
    ({ find }) => (ids, areJustCreated = true, accept = () => true) =>
      Effect.map(find(ids, areJustCreated, accept), (rest) => rest.map((index) => ids[index] ?? "")),
  )

type Find = (
  ids: ReadonlyArray<string>,
  areJustCreated?: boolean,
  accept?: Parameters<Listing["find"]>[2],
) => Effect.Effect<ReadonlyArray<string>>

/** Collects warnings. */
const warnings = () => {
  const lines: Array<string> = []
  const layer = Logger.replace(
    Logger.defaultLogger,
    Logger.make(({ message }) => void lines.push(String(message))),
  )
  return { lines, layer }
}

/** Runs an effect while virtual time passes. */
const inTime = <A, E, R>(work: Effect.Effect<A, E, R>) =>
  Effect.gen(function*() {
    const fiber = yield* Effect.fork(work)
    yield* TestClock.adjust("5 minutes")
    return yield* Fiber.join(fiber)
  })

describe("the list of a form's submissions", () => {
  it.scoped("several searches share one request, which starts half a second after the first search", () =>
    Effect.gen(function*() {
      const { list, pages } = listOf(() => numbered(1, 100))
      const find = yield* opened(list)
      const began = yield* Clock.currentTimeMillis
      const searches = yield* Effect.fork(Effect.all(
        [find(numbered(81, 90)), find(numbered(91, 100)), Effect.delay(find(numbered(71, 80)), 400)],
        { concurrency: "unbounded" },
      ))
      yield* TestClock.adjust(499)
      expect(pages).toEqual([])
      yield* TestClock.adjust(1)
      expect(pages).toEqual(["desc 0"])
      yield* TestClock.adjust(50)
      expect(yield* Fiber.join(searches)).toEqual([[], [], []])
      expect((yield* Clock.currentTimeMillis) - began).toBe(550)
    }))

  it.scoped("a search for a page of submissions starts at once, and 1,000 submissions need 7 requests", () =>
    Effect.gen(function*() {
      const { list, pages } = listOf(() => numbered(1, 1_000))
      const find = yield* opened(list)
      const search = yield* Effect.fork(find(numbered(1, 1_000)))
      yield* TestClock.adjust(350)
      expect(yield* Fiber.join(search)).toEqual([])
      expect(pages).toEqual(numbered(0, 6).map((page) => `desc ${Number(page.slice(1)) * 150}`))
    }))

  it.scoped("one submission is read without the list", () =>
    Effect.gen(function*() {
      const { list, pages } = listOf(() => numbered(1, 10))
      const find = yield* opened(list)
      for (let round = 0; round < 10; round++) expect(yield* inTime(find(["s10"]))).toEqual(["s10"])
      expect(pages).toEqual([])
      expect(yield* inTime(find(["s9", "s10"]))).toEqual([])
    }))

  it.scoped("a submission that is not accepted, or is on a page twice, is read one by one", () =>
    Effect.gen(function*() {
      const { list } = listOf(() => [...numbered(1, 10), "s4"])
      const find = yield* opened(list)
      const rest = yield* inTime(find(numbered(1, 10), true, (index) => index !== 6))
      expect(rest.toSorted()).toEqual(["s4", "s7"])
    }))

  it.scoped("submissions that are created meanwhile move others to later pages, but none is missed", () =>
    Effect.gen(function*() {
      let ids = numbered(1, 600)
      const growing: List = (form, page) =>
        Effect.tap(listOf(() => ids).list(form, page), () => {
          ids = [...ids, ...numbered(ids.length + 1, ids.length + 100)]
        })
      const find = yield* opened(growing)
      expect(yield* inTime(find(numbered(1, 600)))).toEqual([])
    }))

  it.scoped("a list that shows new submissions late is read again, while some submissions are read one by one", () =>
    Effect.gen(function*() {
      let shown = 0
      const { list, pages } = listOf(() => numbered(1, shown))
      const find = yield* opened(list)
      const batches = Array.from({ length: 30 }, (_, at) => find(numbered(at * 10 + 1, at * 10 + 10)))
      const search = yield* Effect.fork(Effect.all(batches, { concurrency: "unbounded" }))
      yield* TestClock.adjust(1_400)
      shown = 300
      yield* TestClock.adjust("1 minute")
      const rest = (yield* Fiber.join(search)).flat()
      expect(rest).toEqual(numbered(1, 70))
      expect(pages.length).toBe(5)
    }))

  it.scoped("a list that never shows the submissions is no longer used, with one warning", () =>
    Effect.gen(function*() {
      const { layer, lines } = warnings()
      const { list, pages } = listOf(() => numbered(1, 10_000))
      const rest = yield* Effect.gen(function*() {
        const find = yield* opened(list)
        const first = yield* inTime(find(numbered(20_001, 20_300)))
        for (let round = 0; round < 20; round++) yield* inTime(find(numbered(30_001, 30_100), false))
        return first
      }).pipe(Effect.provide(layer))
      expect(rest).toEqual(numbered(20_001, 20_300))
      expect(pages.length).toBeLessThan(12)
      expect(lines).toEqual([expect.stringContaining("read one by one for the rest of the run")])
    }))

  it.scoped("submissions scattered over a large form are read one by one after a few pages", () =>
    Effect.gen(function*() {
      const { list, pages } = listOf(() => numbered(1, 90_000))
      const find = yield* opened(list)
      const scattered = numbered(1, 300).map((id) => `s${Number(id.slice(1)) * 299}`)
      const rest = yield* inTime(find(scattered, false))
      expect(rest.length).toBeGreaterThan(295)
      expect(pages.length).toBeLessThan(5)
    }))

  for (
    const [order, batch] of [
      ["ascending", (at: number) => numbered(at * 200 + 1, at * 200 + 200)],
      ["descending", (at: number) => numbered(4_801 - at * 200, 5_000 - at * 200)],
    ] as const
  ) {
    it.scoped(`rows with earlier times in ${order} order are found before newer submissions`, () =>
      Effect.gen(function*() {
        const newer = Array.from({ length: 5_000 }, (_, at) => `newer${at}`)
        let old: ReadonlyArray<string> = []
        const { list, pages } = listOf(() => [...old, ...newer])
        const find = yield* opened(list)
        let single = 0
        for (let at = 0; at < 25; at++) {
          old = order === "ascending" ? [...old, ...batch(at)] : [...batch(at), ...old]
          single += (yield* inTime(find(batch(at), false))).length
        }
        expect(single).toBeLessThan(50)
        expect(pages.length).toBeLessThan(120)
      }))
  }

  for (
    const [how, list] of [
      ["fails", () => new ServiceUnusable({ reason: "unexpected", message: "It can't list." })],
      ["is broken", () => Effect.dieMessage("It can't list.")],
    ] as ReadonlyArray<readonly [string, List]>
  ) {
    it.scoped(`a list that ${how} is no longer used, with one warning`, () =>
      Effect.gen(function*() {
        const { layer, lines } = warnings()
        const rests = yield* Effect.gen(function*() {
          const find = yield* opened(list)
          return [yield* inTime(find(["a", "b"])), yield* inTime(find(["c", "d"]))]
        }).pipe(Effect.provide(layer))
        expect(rests).toEqual([["a", "b"], ["c", "d"]])
        expect(lines).toHaveLength(1)
        expect(lines[0]).toContain("It can't list.")
      }))
  }

  it.scoped("a comparison that throws ends the use of the list, but not the search", () =>
    Effect.gen(function*() {
      const throwing = () => {
        throw new Error("no comparison")
      }
      const find = yield* opened(listOf(() => numbered(1, 10)).list)
      expect(yield* inTime(find(["s1", "s2"], true, throwing))).toEqual(["s1", "s2"])
      expect(yield* find(["s3", "s4"])).toEqual(["s3", "s4"])
    }))

  it.scoped("an interrupted search is not continued, and does not stop others", () =>
    Effect.gen(function*() {
      const { list } = listOf(() => numbered(1, 10))
      const find = yield* opened(list)
      const interrupted = yield* Effect.fork(find(["s1", "s2", "s3"], true, () => expect.fail("was interrupted")))
      const other = yield* Effect.fork(find(["s4", "s5"]))
      yield* TestClock.adjust(520)
      yield* Fiber.interrupt(interrupted)
      const again = yield* Effect.fork(find(["s2", "s3"]))
      yield* TestClock.adjust("1 minute")
      expect([yield* Fiber.join(other), yield* Fiber.join(again)]).toEqual([[], []])
    }))
})
