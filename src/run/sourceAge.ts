import { Duration } from "effect"
import { lasting } from "../domain/words.ts"
import type { RunContext } from "./RunContext.ts"

/** What a source's age says, a sentence each. */
export interface SourceAge {
  /** It was last changed longer ago than the pipeline allows (`source.maxAge`). */
  readonly stale?: string
  /** The pipeline limits its age, and nobody can tell it. */
  readonly untold?: string
}

/**
 * Holds the time at which the source's newest file was last changed against the pipeline's `source.maxAge`: an export that nobody writes any more is the same every night, and else
 * nothing about it looks wrong.
 *
 * @param now when the run began, in milliseconds since 1970
 */
export const sourceAge = (
  { ownSource, pipeline, source }: Pick<RunContext, "ownSource" | "pipeline" | "source">,
  now: number,
): SourceAge => {
  const { maxAge } = pipeline.source
  if (maxAge === undefined || !ownSource) return {}
  const { changedAt } = source
  if (changedAt === undefined) {
    return {
      untold:
        "How old the source is can't be told, for its server does not say when it was last changed: `source.maxAge` is not looked at. Take it out, or fetch the file by other means.",
    }
  }
  const most = Duration.toMillis(maxAge)
  if (now - changedAt <= most) return {}
  const at = `${new Date(changedAt).toISOString().slice(0, 16)}Z`
  return {
    stale: `The source was last changed ${lasting(now - changedAt)} ago (${at}), and \`source.maxAge\` allows ${
      lasting(most)
    }: see whether what writes it still runs.`,
  }
}
