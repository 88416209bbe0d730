import * as Effect from "effect/Effect"
import { acceptCommand, acceptFormCommand } from "../domain/acceptance.ts"
import { byPlace, type Diagnostic } from "../domain/diagnostic.ts"
import { type Form, names } from "../domain/form.ts"
import { brief } from "../domain/problem.ts"
import { ConfigurationInvalid, diagnosticAt } from "../project/errors.ts"
import { type FormChange, formDifference, readFormRecord, recordFile } from "../project/formRecord.ts"
import type { MappingEntry } from "../project/Pipeline.ts"
import { addressesOf, knownForm, type MaybeLedger } from "./projectLedger.ts"
import type { PipelineTarget, Target } from "./target.ts"

interface RecordedForm {
  readonly form: Form
  /** The titles of the source's columns. Undefined if unknown. */
  readonly columns: ReadonlyArray<string> | undefined
  /** `file`: recorded in `config/forms/` when a person accepted it. `ledger`: recorded by the last run that was not a dry run or a rehearsal. */
  readonly by: "file" | "ledger"
}

/** How a form changed after the pipeline was made for it. */
export interface FormFindings {
  /** The recorded form. Undefined if the form was never recorded. */
  readonly record: RecordedForm | undefined
  readonly changes: ReadonlyArray<FormChange>
  /** Each change at its place in the pipeline: an error if a mapped answer is affected, otherwise a warning. */
  readonly diagnostics: ReadonlyArray<Diagnostic>
}

/**
 * Returns the form as it was recorded (decision 6), or undefined. The file in `config/forms/` takes precedence. Ignores a ledger that can't be used,
 * because the run reports that later.
 *
 * @param ledger opens the project's ledger; used only if the file doesn't exist
 * @param form the form's id in its metadata; default: the id that a run recorded for the pipeline's form
 */
export const recordedForm = <R>(at: PipelineTarget, ledger: MaybeLedger<R>, form?: string) =>
  Effect.gen(function*() {
    const { pipeline, project, target } = at
    const file = yield* readFormRecord(project.root, pipeline.name, target.target)
    if (file !== undefined) return { form: file.form, columns: file.columns, by: "file" } satisfies RecordedForm
    const kept = yield* inLedger(at, ledger, form).pipe(
      Effect.catchTag("LedgerRefused", () => Effect.succeed(undefined)),
    )
    const recorded: RecordedForm | undefined = kept && { form: kept, columns: undefined, by: "ledger" }
    return recorded
  })

/** Also finds the form of a renamed pipeline or a moved service. Only a run assigns their rows to the new name or address. */
const inLedger = <R>(
  { pipeline, project, target }: PipelineTarget,
  given: MaybeLedger<R>,
  asked: string | undefined,
) =>
  Effect.gen(function*() {
    const ledger = yield* given
    const services = addressesOf(project, target.service)
    const form = asked ?? (ledger && (yield* knownForm(project, ledger, target)))
    if (ledger === undefined || form === undefined) return undefined
    for (const name of [pipeline.name, pipeline.renamedFrom]) {
      for (const service of services) {
        if (name === undefined) continue
        const view = ledger.view({ pipeline: name, destination: { service, form } })
        const { form: kept } = yield* view.facts
        // The form in an outdated copy of the ledger would be outdated too.
        if (kept !== undefined) yield* view.isNewest
        if (kept !== undefined) return kept
      }
    }
    return undefined
  })

const isAbout = ({ after, before }: FormChange) => (entry: MappingEntry): boolean =>
  [before, after].some((element) => element !== undefined && names(entry, element))

const adviceFor = (
  { after, harmless, kind }: FormChange,
  entry: MappingEntry | undefined,
  { by }: RecordedForm,
  pipeline: string,
  { target }: Target,
): string => {
  const accept = by === "file" ? acceptFormCommand(pipeline) : acceptCommand(pipeline, "form", target)
  const isHarmless = entry === undefined || harmless
  if (after !== undefined && !isHarmless) {
    if (kind === "renamed" && entry.name !== undefined && entry.name.trim() !== after.name.trim()) {
      return `If only its name changed, write \`name: ${brief(after.name)}\` and accept the form: ${accept}.`
    }
    if (kind === "newId" && entry.id !== undefined) {
      return `If only its id changed, write \`id: ${after.id}\` and accept the form: ${accept}.`
    }
  }
  return isHarmless && by === "ledger"
    ? "Check that the mapping is still right. The next run records the current form."
    : `Check that the mapping is still right, then accept the current form: ${accept}.`
}

/** Compares the live form with the recorded one. `ledger` is used as in `recordedForm`. */
export const compareForm = <R>(at: PipelineTarget, form: Form, ledger: MaybeLedger<R>) =>
  Effect.map(recordedForm(at, ledger, form.id), (record): FormFindings => {
    const { pipeline: { document, mapping, name }, target } = at
    if (record === undefined) return { record, changes: [], diagnostics: [] }
    if (record.form.id !== form.id) {
      const other = `${
        recordFile(name, target.target)
      } contains the form ${record.form.id}, not the form that the pipeline fills now. Changes to the form are not detected.`
      const advice = `To record the current form, run: ${acceptFormCommand(name)}.`
      return { record, changes: [], diagnostics: [diagnosticAt(document, "warning", target.path, other, advice)] }
    }
    const changes = formDifference(record.form, form)
    const diagnostics = changes.map((change): Diagnostic => {
      const entry = mapping[change.list].find(isAbout(change))
      const advice = adviceFor(change, entry, record, name, target)
      if (entry === undefined) return diagnosticAt(document, "warning", target.path, change.message, advice)
      const member = entry.name === undefined || (change.kind === "newId" && entry.id !== undefined) ? "id" : "name"
      const severity = change.harmless ? "warning" : "error"
      return diagnosticAt(document, severity, [...entry.path, member], change.message, advice)
    })
    return { record, changes, diagnostics }
  })

/** Whether runs are refused until a person has reviewed the form's changes. */
export const isRefused = ({ diagnostics }: FormFindings): boolean =>
  diagnostics.some(({ severity }) => severity === "error")

/** Returns the findings if they allow a run or a rehearsal. */
export const requireUnchangedForm = (
  found: FormFindings,
): Effect.Effect<ReadonlyArray<Diagnostic>, ConfigurationInvalid> =>
  isRefused(found)
    ? Effect.fail(new ConfigurationInvalid({ diagnostics: found.diagnostics }))
    : Effect.succeed(found.diagnostics)

/** Adds the form's changes to a mapping's findings. Omits an error of the mapping at the same place, because the change causes it. */
export const withChanges = (
  diagnostics: ReadonlyArray<Diagnostic>,
  { diagnostics: changed }: FormFindings,
): ReadonlyArray<Diagnostic> => {
  const at = ({ column, file, line }: Diagnostic) => `${file}:${line}:${column}`
  const explained = new Set(changed.filter(({ severity }) => severity === "error").map(at))
  return [...changed, ...diagnostics.filter((one) => one.severity === "warning" || !explained.has(at(one)))]
    .toSorted(byPlace)
}
