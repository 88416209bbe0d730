/** Whether a pipeline did its work lately enough. Times are in milliseconds since 1970. */
export interface PipelineHealth {
  readonly pipeline: string
  readonly healthy: boolean
  /** When the last good run that counts ended; undefined: there was none. */
  readonly lastGood: number | undefined
}

/**
 * Looks whether each pipeline's last good run is young enough. A good run did its work, whether or not rows need a person: these are told of by other means, and a probe that stays
 * red for one row that nobody can mend is a probe that nobody looks at.
 *
 * @param ended of each pipeline, when its good runs ended
 */
export const healthOf = (
  pipelines: ReadonlyArray<string>,
  ended: (pipeline: string) => ReadonlyArray<number>,
  now: number,
  maxAge: number,
): ReadonlyArray<PipelineHealth> =>
  pipelines.map((pipeline) => {
    const times = ended(pipeline)
    const lastGood = times.length === 0 ? undefined : Math.max(...times)
    return { pipeline, healthy: lastGood !== undefined && now - lastGood <= maxAge, lastGood }
  })
