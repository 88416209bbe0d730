import { Effect } from "effect"
import { acceptCommand } from "../domain/acceptance.ts"
import type { Diagnostic } from "../domain/diagnostic.ts"
import type { Form } from "../domain/form.ts"
import { commandLine } from "../domain/shell.ts"
import { ConfigurationInvalid, diagnosticAt } from "../project/errors.ts"
import { formDifference } from "../project/formDifference.ts"
import type { FormChange } from "../project/formDifference.ts"
import { recordFile } from "../project/formRecord.ts"
import type { MappingEntry, Pipeline } from "../project/Pipeline.ts"
import type { Project } from "../project/Project.ts"
import { type RecordedForm, recordedForm } from "./recordedForm.ts"
import type { Target } from "./target.ts"

/** What became of a form since a pipeline was made for it. */
export interface FormFindings {
  /** The form as it was; undefined: nobody recorded it. */
  readonly record: RecordedForm | undefined
  readonly changes: ReadonlyArray<FormChange>
  /** Each change at its place in the pipeline: an error where it touches what is mapped, else a warning. */
  readonly diagnostics: ReadonlyArray<Diagnostic>
}

/** The command that accepts the form as it is: what it was is in a file, or in the ledger. */
const commandThatAccepts = ({ by }: RecordedForm, pipeline: string, target: Target): string =>
  by === "file"
    ? commandLine(["check", pipeline, "--accept-form"], {})
    : acceptCommand(pipeline, "form", target.target)

const harmless = ({ by }: RecordedForm, command: string): string =>
  by === "file"
    ? `Look whether the mapping is still right; then accept the form as it is: ${command}.`
    : "Look whether the mapping is still right; the next run records the form as it is."

const concerns = ({ after, before }: FormChange) => ({ id, name }: MappingEntry): boolean =>
  [before, after].some((element) =>
    element !== undefined && (id === element.id || (id === undefined && name?.trim() === element.name.trim()))
  )

const suggestionFor = (change: FormChange, entry: MappingEntry, command: string): string => {
  const { after, kind } = change
  if (
    after !== undefined && kind === "renamed" && entry.name !== undefined && entry.name.trim() !== after.name.trim()
  ) {
    return `If the same is meant, write \`name: ${after.name}\` and accept it: ${command}.`
  }
  if (after !== undefined && kind === "newId" && entry.id !== undefined) {
    return `If the same is meant, write \`id: ${after.id}\` and accept it: ${command}.`
  }
  return `Look whether the mapping is still right; then accept the form as it is: ${command}.`
}

/** Compares the live form with the one that a pipeline was made for. */
export const compareForm = (project: Project, pipeline: Pipeline, target: Target, form: Form) =>
  Effect.map(recordedForm(project, pipeline, target, form.id), (record): FormFindings => {
    if (record === undefined) return { record, changes: [], diagnostics: [] }
    const { document, mapping, name } = pipeline
    if (record.form.id !== form.id) {
      return {
        record,
        changes: [],
        diagnostics: [diagnosticAt(
          document,
          "warning",
          target.path,
          `${
            recordFile(name, target.target)
          } holds another form (${record.form.id}) than the one that the pipeline fills now: its changes are not noticed.`,
          `Record this one: formferry check ${name} --accept-form.`,
        )],
      }
    }
    const changes = formDifference(record.form, form)
    const command = commandThatAccepts(record, name, target)
    const diagnostics = changes.map((change): Diagnostic => {
      const entry = mapping[change.list].find(concerns(change))
      if (entry === undefined) {
        return diagnosticAt(document, "warning", target.path, change.message, harmless(record, command))
      }
      const member = change.kind === "newId" && entry.id !== undefined ? "id" : entry.name === undefined ? "id" : "name"
      return diagnosticAt(
        document,
        change.harmless ? "warning" : "error",
        [...entry.path, member],
        change.message,
        change.harmless ? harmless(record, command) : suggestionFor(change, entry, command),
      )
    })
    return { record, changes, diagnostics }
  })

/** A form that is another one where it is mapped is for a person to look at, before anything is sent or rehearsed: what is sent stays. */
export const asItWas = (found: FormFindings): Effect.Effect<ReadonlyArray<Diagnostic>, ConfigurationInvalid> =>
  isRefused(found)
    ? Effect.fail(new ConfigurationInvalid({ diagnostics: found.diagnostics }))
    : Effect.succeed(found.diagnostics)

/** Whether a run is refused for how the form changed. */
export const isRefused = ({ diagnostics }: FormFindings): boolean =>
  diagnostics.some(({ severity }) => severity === "error")

/** Findings of a mapping and of a changed form together: where both speak of the same place, the change says why. */
export const withChanges = (
  diagnostics: ReadonlyArray<Diagnostic>,
  { diagnostics: changed }: FormFindings,
): ReadonlyArray<Diagnostic> => {
  const at = ({ column, file, line }: Diagnostic) => `${file}:${line}:${column}`
  const told = new Set(changed.filter(({ severity }) => severity === "error").map(at))
  return [...changed, ...diagnostics.filter((one) => one.severity === "warning" || !told.has(at(one)))]
    .toSorted((a, b) => a.line - b.line || a.column - b.column)
}
