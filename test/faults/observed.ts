import { Effect, Tracer } from "effect"
import { telemetryOn } from "../../src/service/telemetry.ts"
import { isLong } from "../long.ts"

/** Whether case `at` of a test runs with telemetry: every second one. In the longer proofs, the other ones do. */
export const hasTelemetry = (at: number): boolean => at % 2 === (isLong ? 1 : 0)

/**
 * Runs an effect with spans and metrics, as commands do while telemetry is exported. Calls the listener with the name
 * of each started span.
 */
export const observed = <A, E, R>(
  work: Effect.Effect<A, E, R>,
  started: (span: string) => void,
): Effect.Effect<A, E, R> =>
  Effect.flatMap(Effect.tracer, (tracer) => {
    const watching = Tracer.make({
      ...tracer,
      span: (name, ...more) => {
        started(name)
        return tracer.span(name, ...more)
      },
    })
    return Effect.withTracer(Effect.locally(work, telemetryOn, true), watching)
  })
