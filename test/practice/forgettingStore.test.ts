import { expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { forgettingStore } from "../../src/practice/store.ts"

const submission = (number: number) => ({ id: `s${number}`, time: 0, json: `{"submissionId":"s${number}"}` })

it.effect("the forgetting store keeps unread submissions, and those that were read most recently", () =>
  Effect.gen(function*() {
    const store = forgettingStore(3)
    yield* store.append("f", [1, 2, 3, 4, 5, 6, 7, 8].map(submission))
    for (const number of [1, 2, 3, 4, 5]) expect(store.get("f", `s${number}`)?.json).toBe(submission(number).json)
    expect([1, 2, 3, 4, 5].map((number) => store.get("f", `s${number}`) !== undefined)).toEqual([
      false,
      false,
      true,
      true,
      true,
    ])
    expect(store.all("f").map(({ id }) => id)).toEqual(["s3", "s4", "s5", "s6", "s7", "s8"])
    expect([store.get("g", "s6"), store.get("f", "nobody")]).toEqual([undefined, undefined])
    expect(store.get("f", "s6")?.id).toBe("s6")
  }))

it.effect("the forgetting store removes read and unread submissions, and only those of the named form", () =>
  Effect.gen(function*() {
    const store = forgettingStore(3)
    yield* store.append("f", [1, 2, 3].map(submission))
    store.get("f", "s1")
    for (const id of ["s1", "s2"]) yield* store.remove("f", id)
    yield* store.remove("g", "s3")
    expect(store.byTime("f").map(({ id }) => id)).toEqual(["s3"])
  }))
