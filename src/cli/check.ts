import { Command, Options } from "@effect/cli"
import { Path } from "@effect/platform"
import { Effect, Option } from "effect"
import type { Diagnostic } from "../domain/diagnostic.ts"
import type { Checked, CheckedPipeline } from "../jobs/check.ts"
import { json, pipelines } from "./arguments.ts"
import { CommandEnded, statusOf } from "./Failure.ts"
import { commandFor, Invocation } from "./Invocation.ts"
import { projectFolder } from "./openProject.ts"
import { Output } from "./Output.ts"
import { annotation } from "./show/annotations.ts"
import { showChecked } from "./show/checked.ts"
import { showDiagnostics } from "./show/diagnostics.ts"

const options = {
  strict: Options.boolean("strict").pipe(Options.withDescription("Warnings are errors.")),
  offline: Options.boolean("offline").pipe(
    Options.withDescription("Ask no service: check against the form as it was recorded."),
  ),
  acceptForm: Options.boolean("accept-form").pipe(
    Options.withDescription("A person has seen how the form changed: record it as it is now."),
  ),
  output: Options.choice("output", ["text", "github"]).pipe(
    Options.withDescription("`github`: annotations for a pull request."),
    Options.optional,
    Options.map(Option.getOrUndefined),
  ),
  json,
}

const about =
  "Checks pipelines: their files, the live form and what changed in it, the source and all of its rows, their examples. Says everything that is wrong at once. Sends nothing."

/** `check [NAME…]`: everything that can be found out before a run. */
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
      const { acceptForm, offline, strict } = input
      const found = yield* checkProject(folder, input.pipelines, { acceptForm, offline })
      const checked = strict ? asErrors(found) : found
      const { diagnostics, pipelines } = checked
      const findings = [...diagnostics, ...pipelines.flatMap((one) => one.diagnostics)]
      const failures = pipelines.flatMap((one) => one.failures.map((failure) => statusOf[failure._tag]))
      const wrong = findings.some(({ severity }) => severity === "error") || failures.includes(2)
      const status = wrong ? 2 : failures.includes(70) ? 70 : failures.length > 0 ? 5 : 0
      if (invocation.json) yield* output.print(JSON.stringify({ exitCode: status, ...plain(checked) }))
      else if (input.output === "github") {
        for (const line of yield* annotations(folder, checked)) yield* output.print(line)
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

const asErrors = ({ diagnostics, pipelines }: Checked): Checked => {
  const strict = (list: ReadonlyArray<Diagnostic>) => list.map((one): Diagnostic => ({ ...one, severity: "error" }))
  return {
    diagnostics: strict(diagnostics),
    pipelines: pipelines.map((one) => ({ ...one, diagnostics: strict(one.diagnostics) })),
  }
}

/** What `--json` prints: findings once, the form as a number of questions. */
const plain = ({ diagnostics, pipelines }: Checked) => ({
  diagnostics,
  pipelines: pipelines.map(({ data, failures, fits, ...one }) => ({
    ...one,
    problems: failures.map(({ _tag, message }) => ({ error: _tag, message })),
    fits: fits === undefined
      ? null
      : { ...fits, form: { id: fits.form.id, name: fits.form.name, questions: fits.form.questions.length } },
    data: data === undefined ? null : withoutFindings(data),
  })),
})

const withoutFindings = (data: NonNullable<CheckedPipeline["data"]>) => ({ ...data, diagnostics: undefined })

/** Findings at their lines, with files as seen from the working folder, which is the repository's in a workflow. */
const annotations = (folder: string, { diagnostics, pipelines }: Checked) =>
  Effect.map(Path.Path, (path) => {
    const seen = (file: string) =>
      path.relative(path.resolve("."), path.resolve(folder, file)).split(path.sep).join("/")
    const lines = [...diagnostics, ...pipelines.flatMap((one) => one.diagnostics)].map((one) =>
      annotation(one, seen(one.file))
    )
    const failures = pipelines.flatMap(({ failures, pipeline }) =>
      failures.map(({ message }) =>
        annotation(
          { severity: "error", line: 1, column: 1, message: `${pipeline}: ${message}` },
          seen("config/formferry.yaml"),
        )
      )
    )
    return [...new Set([...lines, ...failures])]
  })
