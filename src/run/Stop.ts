import { Context, Effect, Layer } from "effect"
import { setMaxListeners } from "node:events"

/** A signal that stops a run: Ctrl-C, a supervisor, a closed terminal. */
export type Signal = "SIGINT" | "SIGTERM" | "SIGHUP"

/** Why a run stops before all rows are sent. There may be several reasons. */
export type StopReason =
  | { readonly _tag: "Interrupted"; readonly signal: Signal }
  /** A person was asked and did not confirm (exit code 2). */
  | { readonly _tag: "Unconfirmed"; readonly service: string }
  /** Rows may be known under different keys (exit code 2). */
  | { readonly _tag: "Refused"; readonly because: string }
  /** The canary failed or a `stopWhen` limit was exceeded (exit code 3). */
  | { readonly _tag: "Protected"; readonly because: string }
  /** The canary ended in doubt: it proves nothing (exit code 4). */
  | { readonly _tag: "CanaryInDoubt" }
  /** The service can't be used, or the source changed during the run (exit code 5). */
  | { readonly _tag: "Unavailable"; readonly because: string }
  /** Another run took over the lock (exit code 6). */
  | { readonly _tag: "Overtaken"; readonly because: string }
  /** The ledger or a report can't be written: the run fails once everything in flight is finished. */
  | { readonly _tag: "Failed" }

/** A latch that every part of a run checks before it takes new rows. What is in flight is always finished and recorded. */
export class Stop extends Context.Tag("formferry/Stop")<Stop, {
  readonly request: (reason: StopReason) => Effect.Effect<void>
  /** Whether a stop was requested. Synchronous, for row work. */
  readonly requested: () => boolean
  readonly reasons: () => ReadonlyArray<StopReason>
  /** Aborted once a stop is requested: nothing new is sent. */
  readonly sending: AbortSignal
  /** Aborted once reading back must end too: if the run only stops to protect the form, created submissions are still read. */
  readonly reading: AbortSignal
}>() {
  /** A stop that system signals can also request. */
  static readonly layer = (interrupted: Effect.Effect<Signal>): Layer.Layer<Stop> =>
    Layer.scoped(
      this,
      Effect.tap(makeStop, (stop) =>
        Effect.forkScoped(Effect.flatMap(interrupted, (signal) =>
          stop.request({ _tag: "Interrupted", signal })))),
    )

  static readonly layerTest = Layer.effect(this, Effect.suspend(() => makeStop))
}

export const makeStop: Effect.Effect<Stop["Type"]> = Effect.sync(() => {
  const sending = new AbortController()
  const reading = new AbortController()
  // Node warns at 11 listeners, and each batch in flight has some.
  setMaxListeners(0, sending.signal, reading.signal)
  const reasons: Array<StopReason> = []
  return {
    request: (reason) =>
      Effect.sync(() => {
        reasons.push(reason)
        if (reason._tag !== "Protected") reading.abort()
        sending.abort()
      }),
    requested: () => reasons.length > 0,
    reasons: () => reasons,
    sending: sending.signal,
    reading: reading.signal,
  }
})
