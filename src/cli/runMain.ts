import { makeRunMain } from "@effect/platform/Runtime"
import type { Context } from "effect"
import { Deferred, Effect, Exit, FiberId, Layer } from "effect"
import { type Interrupts, type Signal, statusOfSignal } from "./Interrupts.ts"

/** The part of Node's process that a command sees; a test gives its own. */
export type Host = Pick<NodeJS.Process, "argv" | "env" | "stdin" | "stdout" | "stderr" | "once" | "exit">

/** What the process gives a command: its streams and settings, and its signals. */
export interface HostTerminal {
  readonly host: Host
  readonly interrupts: Context.Tag.Service<typeof Interrupts>
}

/** An outlet of the process that nobody reads any more (`| head`), or that is full. */
const lost = (stream: NodeJS.WriteStream, onFault: (error: Error) => void): void => {
  stream.on("error", (error: NodeJS.ErrnoException) => {
    // Whoever reads has enough: that ends the output, not the work.
    if (error.code !== "EPIPE") onFault(error)
  })
}

/**
 * Runs a program until it gives its exit status, as @effect/platform's runMain, with one difference: the first SIGINT or SIGTERM interrupts only what has not taken the
 * signals over, so that a run can finish and record what is in flight. The second one ends the process at once.
 */
export const runMain = <R>(
  host: Host,
  platform: Layer.Layer<R>,
  program: (terminal: HostTerminal) => Effect.Effect<number, never, R>,
): void => {
  const first = Deferred.unsafeMake<Signal>(FiberId.none)
  let takenOver = 0
  let heard: Signal | undefined
  let fault: Error | undefined
  const interrupts = {
    first: Deferred.await(first),
    takeOver: Effect.asVoid(
      Effect.acquireRelease(Effect.sync(() => takenOver++), () => Effect.sync(() => takenOver--)),
    ),
  }
  const noteFault = (error: Error) => {
    fault ??= error
  }
  lost(host.stdout, noteFault)
  lost(host.stderr, noteFault)

  const leave = (status: number) => {
    const code = fault === undefined || status !== 0 ? status : 70
    if (fault !== undefined) host.stderr.write(`The output could not be written: ${fault.message}\n`)
    // What is still on its way into a pipe would be lost by exiting; the callbacks come even when nobody reads it.
    host.stdout.write("", () => host.stderr.write("", () => host.exit(code)))
  }

  const run = makeRunMain(({ fiber, teardown }) => {
    // A fibre that only waits does not keep the process alive.
    const keepAlive = setInterval(() => undefined, 2 ** 31 - 1)
    const onSignal = (signal: Signal) => {
      if (heard !== undefined) {
        host.exit(statusOfSignal[signal])
        return
      }
      heard = signal
      host.once(signal, () => onSignal(signal))
      Deferred.unsafeDone(first, Effect.succeed(signal))
      if (takenOver === 0) fiber.unsafeInterruptAsFork(fiber.id())
    }
    host.once("SIGINT", () => onSignal("SIGINT"))
    host.once("SIGTERM", () => onSignal("SIGTERM"))
    fiber.addObserver((exit) => {
      clearInterval(keepAlive)
      teardown(exit, leave)
    })
  })

  const whole = Effect.scoped(
    Effect.flatMap(Layer.build(platform), (services) => Effect.provide(program({ host, interrupts }), services)),
  )
  run(whole, {
    disableErrorReporting: true,
    disablePrettyLogger: true,
    teardown: (exit, onExit) => {
      const status = Exit.isSuccess(exit) && typeof exit.value === "number" ? exit.value : 70
      onExit(heard !== undefined && Exit.isFailure(exit) ? statusOfSignal[heard] : status)
    },
  })
}
