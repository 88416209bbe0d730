import { makeRunMain } from "@effect/platform/Runtime"
import * as Context from "effect/Context"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as FiberId from "effect/FiberId"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import { closeSync } from "node:fs"
import { isatty } from "node:tty"
import { exits } from "../domain/exit.ts"
import { statusOfSignal } from "../run/ending.ts"
import type { Signal } from "../run/Stop.ts"

/** The signals that stop formferry. A second Ctrl-C (SIGINT) or SIGTERM stops the process at once. */
export class Interrupts extends Context.Tag("formferry/Interrupts")<Interrupts, {
  /** Completes with the first signal. */
  readonly first: Effect.Effect<Signal>
  /** While the scope is open, the first signal interrupts nothing. The command waits for `first` and stops cleanly itself. */
  readonly takeOver: Effect.Effect<void, never, Scope.Scope>
}>() {}

/** The part of Node's process that a command uses. Tests pass their own. */
export type Host = Pick<NodeJS.Process, "argv" | "env" | "stdin" | "stdout" | "stderr" | "on" | "exit">

/** The streams, settings and signals of the process. */
export interface HostTerminal {
  readonly host: Host
  readonly interrupts: Context.Tag.Service<typeof Interrupts>
}

/** The time in milliseconds within which a repeated signal is ignored: npm passes Ctrl-C on to a process that already received it from the terminal. */
const echo = 100

/** Closes the streams of a closed terminal. Node resets terminals on exit, and aborts if it can't. */
const closeLostTerminal = ({ stderr, stdin, stdout }: Host): void => {
  for (const { fd, isTTY } of [stdin, stdout, stderr]) {
    if (isTTY && !isatty(fd)) closeSync(fd)
  }
}

/**
 * Runs a program and exits with its exit code, like @effect/platform's runMain. The difference: a command that takes over the first signal is not
 * interrupted, so that a run can finish and record what is in flight. A second SIGINT or SIGTERM stops the process at once. A second SIGHUP does not,
 * because both the shell and the kernel send one when a terminal is closed.
 */
export const runMain = <R>(
  host: Host,
  platform: Layer.Layer<R>,
  program: (terminal: HostTerminal) => Effect.Effect<number, never, R>,
): void => {
  const first = Deferred.unsafeMake<Signal>(FiberId.none)
  let takenOver = 0
  let received: { readonly signal: Signal; readonly at: number } | undefined
  const interrupts = {
    first: Deferred.await(first),
    takeOver: Effect.asVoid(
      Effect.acquireRelease(Effect.sync(() => takenOver++), () => Effect.sync(() => takenOver--)),
    ),
  }
  const leave = (status: number) => {
    // Exiting now would lose text not yet written to a pipe. Node calls the callbacks even if nothing reads the pipe.
    host.stdout.write("", () =>
      host.stderr.write("", () => {
        closeLostTerminal(host)
        host.exit(status)
      }))
  }

  const run = makeRunMain(({ fiber, teardown }) => {
    // A waiting fibre does not keep the process alive.
    const keepAlive = setInterval(() => undefined, 2 ** 31 - 1)
    const onSignal = (signal: Signal) => {
      const at = performance.now()
      if (received === undefined) {
        received = { signal, at }
        Deferred.unsafeDone(first, Effect.succeed(signal))
        if (takenOver === 0) fiber.unsafeInterruptAsFork(fiber.id())
      } else if (signal !== "SIGHUP" && (signal !== received.signal || at - received.at > echo)) {
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
      const status = Exit.isSuccess(exit) && typeof exit.value === "number" ? exit.value : exits.internalError.code
      onExit(received !== undefined && Exit.isFailure(exit) ? statusOfSignal[received.signal] : status)
    },
  })
}
