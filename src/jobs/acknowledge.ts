import { Effect, Schema } from "effect"
import type { Project } from "../project/Project.ts"
import { findPipeline } from "./findPipeline.ts"
import { newRunId } from "./newRunId.ts"
import { openKnownPlace } from "./openPlace.ts"
import { openIfAny } from "./projectLedger.ts"
import { chooseTarget } from "./target.ts"

/** No row that needs a person was meant (exit 2). */
export class NothingAcknowledged extends Schema.TaggedError<NothingAcknowledged>()("NothingAcknowledged", {
  pipeline: Schema.String,
  /** Row keys that were named; none: all rows were meant. */
  keys: Schema.Array(Schema.String),
}) {
  override get message() {
    return this.keys.length === 0
      ? `No row of ${this.pipeline} needs a person.`
      : `No row of ${this.pipeline} that needs a person has ${this.keys.length === 1 ? "the key" : "one of the keys"} ${
        this.keys.join(", ")
      }. The keys stand in the column _key of rejected.csv and in-doubt.csv.`
  }
}

/**
 * Records that a person has seen rows that are rejected, changed, differing or in doubt: they stay in the report and stop raising the exit status. Takes the lock.
 *
 * @param options.keys row keys, or all rows that need a person
 * @param options.by who
 * @param options.leaveOut whether they are never to be imported
 * @returns how many rows, and which keys mean no such row
 */
export const acknowledge = (
  project: Project,
  options: {
    readonly pipeline: string
    readonly to: string | undefined
    readonly keys: ReadonlyArray<string> | "all"
    readonly because: string
    readonly by: string
    readonly leaveOut: boolean
  },
) =>
  Effect.scoped(
    Effect.gen(function*() {
      const pipeline = yield* findPipeline(project, options.pipeline)
      const target = yield* chooseTarget(pipeline, options.to)
      const nothing = new NothingAcknowledged({
        pipeline: pipeline.name,
        keys: options.keys === "all" ? [] : options.keys,
      })
      const ledger = yield* openIfAny(project, { pipeline: pipeline.name, target: target.target })
      if (ledger === undefined) return yield* nothing
      const view = yield* openKnownPlace(project, ledger, pipeline, target)
      const session = yield* view.hold(yield* newRunId)
      const { keys, because, by, leaveOut } = options
      const result = yield* session.acknowledge({ keys, because, by, leaveOut })
      return result.acknowledged === 0 ? yield* nothing : result
    }),
  )
