import { Command } from "@effect/cli"
import { Effect } from "effect"
import type { CheckedPipeline } from "../jobs/check.ts"
import { json, pipelines } from "./arguments.ts"
import { CommandEnded, statusOf } from "./Failure.ts"
import { commandFor, Invocation } from "./Invocation.ts"
import { projectFolder } from "./openProject.ts"
import { Output } from "./Output.ts"
import { showDiagnostics } from "./show/diagnostics.ts"
import { wrapToWidth } from "./show/fit.ts"
import { paints } from "./show/Screen.ts"
import type { Screen } from "./show/Screen.ts"

const options = { json }

const about =
  "Checks pipelines: their files, the live form, the source's header, their examples. Says everything that is wrong at once."

/** `check [NAME…]`: lints the files, and checks pipelines against the live form and the source's header. */
export const check = {
  name: "check",
  about,
  options,
  command: Command.make("check", { ...options, pipelines }, (input) =>
    Effect.gen(function*() {
      const output = yield* Output
      const invocation = yield* Invocation
      const folder = yield* projectFolder
      const { checkProject } = yield* Effect.promise(() => import("../jobs/check.ts"))
      const { diagnostics, pipelines } = yield* checkProject(folder, input.pipelines)
      const findings = [...diagnostics, ...pipelines.flatMap((one) => one.diagnostics)]
      const failures = pipelines.flatMap((one) => one.failures.map((failure) => statusOf[failure._tag]))
      const wrong = findings.some(({ severity }) => severity === "error") || failures.includes(2)
      const status = wrong ? 2 : failures.length > 0 ? 5 : 0
      if (invocation.json) {
        yield* output.print(JSON.stringify({
          exitCode: status,
          diagnostics,
          pipelines: pipelines.map(({ failures, fits, ...one }) => ({
            ...one,
            problems: failures.map(({ _tag, message }) => ({ error: _tag, message })),
            fits: fits === undefined
              ? null
              : { ...fits, form: { id: fits.form.id, name: fits.form.name, questions: fits.form.questions.length } },
          })),
        }))
      } else {
        if (findings.length > 0) yield* output.print(`${showDiagnostics(findings, output.out)}\n`)
        for (const one of pipelines) yield* output.print(showChecked(one, output.out))
        if (findings.length === 0 && pipelines.length === 0) {
          yield* output.print("config/formferry.yaml is in order; there are no pipelines in pipelines/ yet.")
        }
      }
      if (status !== 0) {
        return yield* new CommandEnded({ status, next: commandFor(invocation, ["check", ...input.pipelines]) })
      }
    })).pipe(Command.withDescription(about)),
}

const showChecked = (checked: CheckedPipeline, screen: Screen): string => {
  const paint = paints(screen)
  const { pipeline, target, failures, fits, taken, warnings } = checked
  const name = paint.strong(target === undefined ? pipeline : `${pipeline} --to ${target}`)
  const errors = checked.diagnostics.filter(({ severity }) => severity === "error").length
  const lines = (text: string) => wrapToWidth(text, screen.width - 2).map((line) => `  ${line}`)
  if (failures.length > 0) {
    return [`${name} ${paint.bad("can't run")}`, ...failures.flatMap(({ message }) => lines(message))].join("\n")
  }
  if (errors > 0 || fits === undefined) return `${name} ${paint.bad("can't run: see above")}`
  return [
    `${name} ${paint.good("can run")}`,
    ...lines(
      `${fits.answers} answers of ${fits.form.questions.length} questions of "${fits.form.name}", from ${fits.columns} columns.`,
    ),
    ...lines(taken.map(({ what, value }) => `${what} ${value}`).join(", ")).map(paint.soft),
    ...warnings.flatMap((warning) => lines(`Warning: ${warning}`)).map(paint.warn),
  ].join("\n")
}
