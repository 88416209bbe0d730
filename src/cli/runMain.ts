import { makeRunMain } from "@effect/platform/Runtime"
import { Context, Deferred, Effect, Exit, FiberId, Layer, type Scope } from "effect"
import { closeSync } from "node:fs"
import { isatty } from "node:tty"
import { statusOfSignal } from "../run/exit.ts"
import type { Signal } from "../run/Stop.ts"

/** The signals that end formferry. A second Ctrl-C (SIGINT) or SIGTERM ends the process at once. */
export class Interrupts extends Context.Tag("formferry/Interrupts")<Interrupts, {
  /** Completes with the first signal. */
  readonly first: Effect.Effect<Signal>
  /** While the scope is open the first signal interrupts nothing: the command asks `first` and comes to a clean end itself. */
  readonly takeOver: Effect.Effect<void, never, Scope.Scope>
}>() {}

/** The part of Node's process that a command sees; a test gives its own. */
export type Host = Pick<NodeJS.Process, "argv" | "env" | "stdin" | "stdout" | "stderr" | "on" | "exit">

/** What the process gives a command: its streams and settings, and its signals. */
export interface HostTerminal {
  readonly host: Host
  readonly interrupts: Context.Tag.Service<typeof Interrupts>
}

/** Milliseconds within which the same signal is still the first one: npm passes Ctrl-C on to a process that the terminal has told already. */
const echo = 100

/** Closes what led to a terminal that is gone: Node resets terminals as it leaves, and aborts where it can't. */
const closeLostTerminal = ({ stderr, stdin, stdout }: Host): void => {
  for (const { fd, isTTY } of [stdin, stdout, stderr]) {
    if (isTTY && !isatty(fd)) closeSync(fd)
  }
}

/**
 * Runs a program until it gives its exit status, as @effect/platform's runMain, with one difference: the first signal interrupts only what has not taken the
 * signals over, so that a run can finish and record what is in flight. A second SIGINT or SIGTERM ends the process at once; a second SIGHUP does not, since both the shell
 * and the kernel send one when a terminal is closed.
 */
export const runMain = <R>(
  host: Host,
  platform: Layer.Layer<R>,
  program: (terminal: HostTerminal) => Effect.Effect<number, never, R>,
): void => {
  const first = Deferred.unsafeMake<Signal>(FiberId.none)
  let takenOver = 0
  let heard: { readonly signal: Signal; readonly at: number } | undefined
  const interrupts = {
    first: Deferred.await(first),
    takeOver: Effect.asVoid(
      Effect.acquireRelease(Effect.sync(() => takenOver++), () => Effect.sync(() => takenOver--)),
    ),
  }
  const leave = (status: number) => {
    // What is still on its way into a pipe would be lost by exiting; the callbacks come even when nobody reads it.
    host.stdout.write("", () =>
      host.stderr.write("", () => {
        closeLostTerminal(host)
        host.exit(status)
      }))
  }

  const run = makeRunMain(({ fiber, teardown }) => {
    // A fibre that only waits does not keep the process alive.
    const keepAlive = setInterval(() => undefined, 2 ** 31 - 1)
    const onSignal = (signal: Signal) => {
      const at = performance.now()
      if (heard === undefined) {
        heard = { signal, at }
        Deferred.unsafeDone(first, Effect.succeed(signal))
        if (takenOver === 0) fiber.unsafeInterruptAsFork(fiber.id())
      } else if (signal !== "SIGHUP" && (signal !== heard.signal || at - heard.at > echo)) {
        host.exit(statusOfSignal[signal])
      }
    }
    for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) host.on(signal, () => onSignal(signal))
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
      onExit(heard !== undefined && Exit.isFailure(exit) ? statusOfSignal[heard.signal] : status)
    },
  })
}
