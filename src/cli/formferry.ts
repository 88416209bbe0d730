import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as FiberRef from "effect/FiberRef"
import * as HashSet from "effect/HashSet"
import * as Logger from "effect/Logger"
import * as Option from "effect/Option"
import { isObject } from "../domain/json.ts"
import { reasonOf } from "../domain/systemErrors.ts"
import { isoOf } from "../domain/times.ts"
import { Notifier } from "../jobs/attempt.ts"
import { accept } from "./accept.ts"
import { acknowledge } from "./acknowledge.ts"
import { check } from "./check.ts"
import { readCommandLine } from "./commandLine.ts"
import { demo } from "./demo.ts"
import { type Ended, explain, printNext, sayNext, wrong } from "./Failure.ts"
import { form } from "./form.ts"
import { init } from "./init.ts"
import { inspect } from "./inspect.ts"
import { Invocation, sameCommand } from "./Invocation.ts"
import { ledger } from "./ledger.ts"
import { logger, makeOutput, Output } from "./Output.ts"
import { practice } from "./practice.ts"
import { preview } from "./preview.ts"
import { reconcile } from "./reconcile.ts"
import { rehearse } from "./rehearse.ts"
import { report } from "./report.ts"
import { run } from "./run.ts"
import { type HostTerminal, Interrupts } from "./runMain.ts"
import { schedule } from "./schedule.ts"
import { schema } from "./schema.ts"
import { settle } from "./settle.ts"
import { status } from "./status.ts"
import { studio } from "./studio.ts"
import { telemetrySettings } from "./telemetrySettings.ts"
import { template } from "./template.ts"
import { screenOf } from "./terminal/screen.ts"
import { undo } from "./undo.ts"

const about = "Moves answers from files into a form of a form service, and proves that every one arrived."

/** The commands to start with. */
const examples = [
  { words: "demo", about: "Shows what formferry does. Needs no setup." },
  {
    words: "init contacts --source contacts.csv",
    about: "Writes a first pipeline. Asks you for anything that is missing.",
  },
  { words: "check contacts", about: "Finds every mistake, and sends nothing." },
  { words: "help run", about: "Shows the arguments, options and examples of `run`." },
]

/** All commands, by the headings under which the help and the reference list them. */
export const tree = {
  "Start:": [demo, studio, inspect, form, template, init, schema, practice],
  "Prepare:": [check, preview, rehearse],
  "Import:": [run, schedule, reconcile],
  "Review:": [status, report, settle, acknowledge, accept, undo],
  "Maintain:": [ledger],
}

/** Commands that export telemetry. */
const exporting: ReadonlySet<string | undefined> = new Set(["run", "reconcile", "rehearse", "schedule"])

/** Exports telemetry if the standard OTEL_* variables ask for it. Loads nothing otherwise. */
const observed = <A, E, R>(
  env: NodeJS.ProcessEnv,
  command: string | undefined,
  work: Effect.Effect<A, E, R>,
) =>
  Effect.gen(function*() {
    const settings = exporting.has(command) ? telemetrySettings(env) : undefined
    if (settings === undefined) return yield* work
    for (const warning of settings.warnings) yield* Effect.logWarning(warning)
    const { withTelemetry } = yield* Effect.promise(() => import("./telemetry.ts"))
    return yield* withTelemetry(settings, work)
  })

/** Prints the command to run next. With `--output github`, also prints how this command ended. */
const printEnd = (ended: Ended) =>
  Effect.gen(function*() {
    const invocation = yield* Invocation
    if (invocation.github) {
      const { summarizeEnd } = yield* Effect.promise(() => import("./github.ts"))
      yield* summarizeEnd(ended)
    }
    yield* printNext(ended)
  })

/** Returns the failure of a command that can't resolve a path because the current folder was removed. */
const inRemovedFolder = (defect: unknown) =>
  isObject(defect) && defect["syscall"] === "uv_cwd"
    ? Option.some(wrong(
      `The current folder can't be read: ${
        reasonOf(defect)
      }. Go to another one, or name files and the project (--project DIR) by absolute paths.`,
    ))
    : Option.none()

/** Reads the command line and runs its command. Says what failed and what to do next. Returns the exit code. */
export const formferry = ({ host, interrupts }: HostTerminal) =>
  Effect.gen(function*() {
    const typed = host.argv.slice(2)
    const noColor = typed.includes("--no-color")
    const { invocation, logFormat, work } = readCommandLine(
      typed,
      { about, examples, tree },
      screenOf(host.stdout, host.env, noColor),
    )
    const clock = yield* Effect.clock
    const output = makeOutput(host, {
      noColor,
      log: {
        format: logFormat,
        now: () => isoOf(clock.unsafeCurrentTimeMillis()),
      },
    })
    return yield* observed(host.env, invocation.command, work).pipe(
      Effect.catchSomeDefect(inRemovedFolder),
      // Lost output is the more severe failure.
      Effect.tapErrorCause((cause) => Cause.isInterruptedOnly(cause) ? Effect.void : output.flush),
      Effect.zipRight(output.flush),
      Effect.as(0),
      Effect.catchAllCause((cause) =>
        Cause.isInterruptedOnly(cause)
          ? Effect.interrupt
          : Effect.flatMap(explain(cause), (ended) => Effect.as(printEnd(ended), ended.status))
      ),
      Effect.onInterrupt(() => Effect.sync(() => sayNext(output, sameCommand(invocation)))),
      Effect.provideService(Output, output),
      Effect.provideService(Invocation, invocation),
      Effect.provideService(Interrupts, interrupts),
      // `schedule` runs unattended, even in a terminal.
      Effect.provideService(Notifier, Notifier.overHttp(output.interactive && invocation.command !== "schedule")),
      Effect.locally(FiberRef.currentLoggers, HashSet.make(logger(output.say))),
      Logger.withMinimumLogLevel(invocation.logLevel),
    )
  })
