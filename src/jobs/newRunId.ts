import { Clock, DateTime, Effect, Random } from "effect"

/** The id of a run: sorts by time, and is a name that every file system takes. */
export const newRunId: Effect.Effect<string> = Effect.gen(function*() {
  const time = DateTime.formatIso(DateTime.unsafeMake(yield* Clock.currentTimeMillis)).slice(0, -1).replaceAll(":", "")
  const random = yield* Random.nextIntBetween(0, 36 ** 4)
  return `${time}Z-${random.toString(36).padStart(4, "0")}`
})
