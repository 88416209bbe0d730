import { CliConfig, Command } from "@effect/cli"
import { Cause, DateTime, Effect, Either, FiberRef, HashSet, Logger, LogLevel } from "effect"
import type { Context } from "effect"
import { Notifier } from "../jobs/Notifier.ts"
import { telemetrySettings } from "../project/telemetrySettings.ts"
import { version } from "../project/version.ts"
import { accept } from "./accept.ts"
import { acknowledge } from "./acknowledge.ts"
import { check } from "./check.ts"
import { type CommandLine, readCommandLine, type UsageFault } from "./commandLine.ts"
import { demo } from "./demo.ts"
import { explain, tellNext } from "./explain.ts"
import { UsageWrong } from "./Failure.ts"
import { form } from "./form.ts"
import { commandHelp, programHelp } from "./help.ts"
import { init } from "./init.ts"
import { inspect } from "./inspect.ts"
import { Interrupts } from "./Interrupts.ts"
import { Invocation, sameCommand } from "./Invocation.ts"
import { ledger } from "./ledger.ts"
import { logger } from "./log.ts"
import { makeOutput, Output } from "./Output.ts"
import { practice } from "./practice.ts"
import { preview } from "./preview.ts"
import { reconcile } from "./reconcile.ts"
import { rehearse } from "./rehearse.ts"
import { report } from "./report.ts"
import { run } from "./run.ts"
import type { HostTerminal } from "./runMain.ts"
import { schedule } from "./schedule.ts"
import { schema } from "./schema.ts"
import { settle } from "./settle.ts"
import { status } from "./status.ts"

const commands = [
  demo,
  init,
  inspect,
  check,
  preview,
  rehearse,
  run,
  reconcile,
  settle,
  accept,
  acknowledge,
  status,
  ledger,
  report,
  schedule,
  form,
  practice,
  schema,
] as const

const about = "Moves answers from files into a form of a form service, and proves that every one arrived."

const tree = Command.make("formferry").pipe(
  Command.withSubcommands([
    demo.command,
    init.command,
    inspect.command,
    check.command,
    preview.command,
    rehearse.command,
    run.command,
    reconcile.command,
    settle.command,
    accept.command,
    acknowledge.command,
    status.command,
    ledger.command,
    report.command,
    schedule.command,
    form.command,
    practice.command,
    schema.command,
  ]),
)

const runTree = Command.run(tree, { name: "formferry", version })

/** Tells the project's webhooks; loaded only when there are some. Who sits at the terminal sees for themselves what could not begin: but for `schedule`, at which nobody looks, in whatever window it goes on. */
const webhooks = (attended: boolean): Context.Tag.Service<typeof Notifier> => ({
  notify: (project, end, anomalies) =>
    project.notify.length === 0 || (attended && end._tag === "Failed")
      ? Effect.void
      : Effect.flatMap(
        Effect.promise(() => import("../jobs/webhookNotifier.ts")),
        ({ webhookNotifier }) => webhookNotifier().notify(project, end, anomalies),
      ),
})

/** What can be told of a command line that can't be read. */
const unread = (typed: ReadonlyArray<string>): Context.Tag.Service<typeof Invocation> => ({
  typed,
  command: undefined,
  names: [],
  project: undefined,
  json: typed.includes("--json"),
  logLevel: LogLevel.Info,
})

/** What the command line asks for. */
const work = (line: Either.Either<CommandLine, UsageFault>, output: Context.Tag.Service<typeof Output>) => {
  if (Either.isLeft(line)) return Effect.fail(new UsageWrong(line.left))
  const asked = line.right
  switch (asked._tag) {
    case "Version":
      return output.print(version)
    case "Help": {
      const command = commands.find(({ name }) => name === asked.invocation.command)
      return output.print(
        command === undefined ? programHelp(about, commands, output.out) : commandHelp(command, output.out),
      )
    }
    case "Command":
      return runTree(["node", "formferry", ...asked.args])
  }
}

/** Commands that do something worth following. */
const followed: ReadonlySet<string | undefined> = new Set(["run", "reconcile", "rehearse", "schedule"])

/** Exports what a command does where the standard OTEL_* variables ask for it; nothing of that is loaded otherwise. */
const observed = <A, E, R>(
  env: NodeJS.ProcessEnv,
  command: string | undefined,
  work: Effect.Effect<A, E, R>,
) =>
  Effect.gen(function*() {
    const settings = followed.has(command) ? telemetrySettings(env) : undefined
    if (settings === undefined) return yield* work
    for (const warning of settings.warnings) yield* Effect.logWarning(warning)
    const { withTelemetry } = yield* Effect.promise(() => import("./telemetry.ts"))
    return yield* withTelemetry(settings, work)
  })

/** The whole program: reads the command line, runs its command, says what went wrong and what to do next, and gives the exit status. */
export const formferry = ({ host, interrupts }: HostTerminal) =>
  Effect.gen(function*() {
    const typed = host.argv.slice(2)
    const line = readCommandLine(typed, commands)
    const noColor = typed.includes("--no-color")
    const clock = yield* Effect.clock
    const output = makeOutput(host, {
      noColor,
      log: {
        format: Either.isRight(line) ? line.right.logFormat : "text",
        now: () => DateTime.formatIso(DateTime.unsafeMake(clock.unsafeCurrentTimeMillis())),
      },
    })
    const invocation = Either.isRight(line) ? line.right.invocation : unread(typed)
    const console = yield* Effect.console
    return yield* observed(host.env, invocation.command, work(line, output)).pipe(
      Effect.zipRight(output.flush),
      Effect.as(0),
      Effect.catchAllCause((cause) =>
        Cause.isInterruptedOnly(cause)
          ? Effect.interrupt
          : Effect.flatMap(explain(cause), (ended) => Effect.as(tellNext(ended), ended.status))
      ),
      Effect.onInterrupt(() => Effect.sync(() => output.tell(sameCommand(invocation)))),
      Effect.provideService(CliConfig.CliConfig, CliConfig.make({ isCaseSensitive: true, showBuiltIns: false })),
      Effect.provideService(Output, output),
      Effect.provideService(Invocation, invocation),
      Effect.provideService(Interrupts, interrupts),
      Effect.provideService(Notifier, webhooks(output.interactive && invocation.command !== "schedule")),
      // @effect/cli writes its help to the console.
      Effect.withConsole({
        ...console,
        log: (...words) => output.print(words.join(" ")),
        error: (...words) => Effect.sync(() => output.tell(words.join(" ").trimEnd())),
      }),
      Effect.locally(FiberRef.currentLoggers, HashSet.make(logger(output))),
      Logger.withMinimumLogLevel(invocation.logLevel),
    )
  })
