import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { setMaxListeners } from "node:events"

/** A signal that stops a run: Ctrl-C, a supervisor, a closed terminal. */
export type Signal = "SIGINT" | "SIGTERM" | "SIGHUP"

/** A reason why a run stops before all rows are sent. A run may have several reasons. */
export type StopReason =
  | { readonly _tag: "Interrupted"; readonly signal: Signal }
  /** The user was asked and did not confirm (exit code 2). */
  | { readonly _tag: "Unconfirmed"; readonly service: string }
  /** Rows may be known under different keys (exit code 2). */
  | { readonly _tag: "Refused"; readonly because: string; readonly next: string | undefined }
  /** The canary failed or a `stopWhen` limit was exceeded (exit code 3). */
  | { readonly _tag: "Protected"; readonly because: string }
  /** The canary ended in doubt, which proves nothing (exit code 4). */
  | { readonly _tag: "CanaryInDoubt" }
  /** The service can't be used, or the source changed during the run (exit code 5). */
  | { readonly _tag: "Unavailable"; readonly because: string }
  /** A different run took over the lock (exit code 6). */
  | { readonly _tag: "Overtaken"; readonly because: string }
  /** The ledger or a report can't be written. The run fails after everything in flight is finished. */
  | { readonly _tag: "Failed" }

/** Stops a run. Every part of a run checks whether a stop was requested before it takes new rows. What is in flight is always finished and recorded. */
export class Stop extends Context.Tag("formferry/Stop")<Stop, {
  readonly request: (reason: StopReason) => Effect.Effect<void>
  /** Stops the run because of an error of the service or of the source. */
  readonly unavailable: (error: { readonly message: string }) => Effect.Effect<undefined>
  /** Stops the run because a different run took over the lock. */
  readonly overtaken: (error: { readonly message: string }) => Effect.Effect<undefined>
  /** Whether a stop was requested. Synchronous, for code that runs for each row. */
  readonly requested: () => boolean
  readonly reasons: () => ReadonlyArray<StopReason>
  /** Aborted when a stop is requested. Nothing new is sent after that. */
  readonly sending: AbortSignal
  /** Aborted when reading back must also end. If the run stops only to protect the form, it still reads the created submissions. */
  readonly reading: AbortSignal
}>() {
  /** Provides a stop that a signal from the system can also request. */
  static readonly layer = (interrupted: Effect.Effect<Signal>): Layer.Layer<Stop> =>
    Layer.scoped(
      this,
      Effect.tap(makeStop, (stop) =>
        Effect.forkScoped(Effect.flatMap(interrupted, (signal) =>
          stop.request({ _tag: "Interrupted", signal })))),
    )
}

export const makeStop: Effect.Effect<Stop["Type"]> = Effect.sync(() => {
  const sending = new AbortController()
  const reading = new AbortController()
  // Node warns if there are more than ten listeners, and each batch in flight adds some.
  setMaxListeners(0, sending.signal, reading.signal)
  const reasons: Array<StopReason> = []
  const request = (reason: StopReason) =>
    Effect.sync(() => {
      reasons.push(reason)
      if (reason._tag !== "Protected") reading.abort()
      sending.abort()
    })
  return {
    request,
    unavailable: ({ message }) => Effect.as(request({ _tag: "Unavailable", because: message }), undefined),
    overtaken: ({ message }) => Effect.as(request({ _tag: "Overtaken", because: message }), undefined),
    requested: () => reasons.length > 0,
    reasons: () => reasons,
    sending: sending.signal,
    reading: reading.signal,
  }
})
