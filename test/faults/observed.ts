import { Effect, Tracer } from "effect"
import { telemetryOn } from "../../src/service/telemetry.ts"

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
