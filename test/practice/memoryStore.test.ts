import { expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { memoryStore } from "../../src/practice/store.ts"

const at = (time: number, id = `s${time}`) => ({ id, time, json: `{"submissionId":"${id}"}` })

const filled = (...times: ReadonlyArray<number>) =>
  Effect.gen(function*() {
    const store = memoryStore()
    for (const [index, time] of times.entries()) yield* store.append("f", [at(time, `s${index}`)])
    return store
  })

const ids = (store: ReturnType<typeof memoryStore>) => store.byTime("f").map(({ id }) => id)

it.effect("the store sorts submissions by time, and those of the same time by creation", () =>
  Effect.gen(function*() {
    expect(ids(yield* filled(3, 1, 3, 2, 1))).toEqual(["s1", "s4", "s3", "s0", "s2"])
  }))

it.effect("submissions that arrive after a listing have their place by time in the next one", () =>
  Effect.gen(function*() {
    const store = yield* filled(5, 1)
    expect(ids(store)).toEqual(["s1", "s0"])
    yield* store.append("f", [at(3, "new")])
    expect(ids(store)).toEqual(["s1", "new", "s0"])
  }))

it.effect("a removed submission is neither read nor listed", () =>
  Effect.gen(function*() {
    const store = yield* filled(2, 2, 1, 2)
    yield* store.remove("f", "s1")
    expect(ids(store)).toEqual(["s2", "s0", "s3"])
    expect(store.all("f").map(({ id }) => id)).toEqual(["s0", "s2", "s3"])
    expect(store.get("f", "s1")).toBeUndefined()
  }))

it.effect("removing an unknown submission changes nothing", () =>
  Effect.gen(function*() {
    const store = yield* filled(1, 2)
    yield* store.remove("f", "none")
    yield* store.remove("other", "s0")
    expect(ids(store)).toEqual(["s0", "s1"])
  }))
