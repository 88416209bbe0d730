import { Effect } from "effect"
import { acceptCommand } from "../domain/acceptance.ts"
import type { Diagnostic } from "../domain/diagnostic.ts"
import type { Form } from "../domain/form.ts"
import { brief } from "../domain/problem.ts"
import { commandLine } from "../domain/shell.ts"
import type { Ledger, LedgerError, LedgerRefused } from "../ledger/Ledger.ts"
import { names } from "../mapping/findElement.ts"
import { ConfigurationInvalid, diagnosticAt } from "../project/errors.ts"
import { formDifference, readFormRecord, recordFile } from "../project/formRecord.ts"
import type { FormChange } from "../project/formRecord.ts"
import type { MappingEntry, Pipeline } from "../project/Pipeline.ts"
import type { Project } from "../project/Project.ts"
import { addressesOf, knownForm } from "./projectLedger.ts"
import type { Target } from "./target.ts"

/** A form as it was recorded. */
interface RecordedForm {
  readonly form: Form
  /** Titles of the source's columns; undefined if unknown. */
  readonly columns: ReadonlyArray<string> | undefined
  /** `file`: in `config/forms/`, as a person accepted it. `ledger`: as the last run that may send fetched it. */
  readonly by: "file" | "ledger"
}

/** Gives the project's ledger; undefined if there never was one. */
type MaybeLedger<R> = Effect.Effect<Ledger | undefined, LedgerRefused | LedgerError, R>

/** How a form changed since the pipeline was made for it. */
export interface FormFindings {
  /** Undefined if the form was never recorded. */
  readonly record: RecordedForm | undefined
  readonly changes: ReadonlyArray<FormChange>
  /** Each change at its place in the pipeline: an error if it concerns a mapped answer, otherwise a warning. */
  readonly diagnostics: ReadonlyArray<Diagnostic>
}

/**
 * Returns the form as it was recorded (decision 18), or undefined. The file in `config/forms/` comes first. A ledger that is refused counts as none here, because the run refuses it itself.
 *
 * @param ledger opens the project's ledger, only if there is no file
 * @param form the form's id by its metadata; undefined: the id that a run found for the id in the pipeline
 */
export const recordedForm = <R>(
  project: Project,
  pipeline: Pipeline,
  target: Target,
  ledger: MaybeLedger<R>,
  form?: string,
) =>
  Effect.gen(function*() {
    const file = yield* readFormRecord(project.root, pipeline.name, target.target)
    if (file !== undefined) return { form: file.form, columns: file.columns, by: "file" } satisfies RecordedForm
    const kept = yield* inLedger(project, pipeline, target, ledger, form).pipe(
      Effect.catchTag("LedgerRefused", () => Effect.succeed(undefined)),
    )
    const recorded: RecordedForm | undefined = kept && { form: kept, columns: undefined, by: "ledger" }
    return recorded
  })

/** Also finds the form of a pipeline that was renamed and of a service that moved, whose rows only a run takes over. */
const inLedger = <R>(
  project: Project,
  pipeline: Pipeline,
  target: Target,
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
        // The form in an older copy of the ledger is out of date.
        if (kept !== undefined) yield* view.isNewest
        if (kept !== undefined) return kept
      }
    }
    return undefined
  })

const isAbout = ({ after, before }: FormChange) => (entry: MappingEntry): boolean =>
  [before, after].some((element) => element !== undefined && names(entry, element))

/** Returns what to do about a change that concerns an entry, or none. */
const adviceFor = (
  { after, harmless, kind }: FormChange,
  entry: MappingEntry | undefined,
  { by }: RecordedForm,
  pipeline: string,
  { target }: Target,
): string => {
  const accept = by === "file"
    ? commandLine(["check", pipeline, "--accept-form"], {})
    : acceptCommand(pipeline, "form", target)
  const isHarmless = entry === undefined || harmless
  if (after !== undefined && !isHarmless) {
    if (kind === "renamed" && entry.name !== undefined && entry.name.trim() !== after.name.trim()) {
      return `If the same is meant, write \`name: ${brief(after.name)}\` and accept it: ${accept}.`
    }
    if (kind === "newId" && entry.id !== undefined) {
      return `If the same is meant, write \`id: ${after.id}\` and accept it: ${accept}.`
    }
  }
  return isHarmless && by === "ledger"
    ? "Check that the mapping is still right; the next run records the form as it is now."
    : `Check that the mapping is still right; then accept the form as it is now: ${accept}.`
}

/** Compares the live form with the recorded one. `ledger`: as for `recordedForm`. */
export const compareForm = <R>(
  project: Project,
  pipeline: Pipeline,
  target: Target,
  form: Form,
  ledger: MaybeLedger<R>,
) =>
  Effect.map(recordedForm(project, pipeline, target, ledger, form.id), (record): FormFindings => {
    const { document, mapping, name } = pipeline
    if (record === undefined) return { record, changes: [], diagnostics: [] }
    if (record.form.id !== form.id) {
      const other = `${
        recordFile(name, target.target)
      } contains a different form (${record.form.id}) from the one that the pipeline fills now: changes of the form are not detected.`
      const advice = `Record this one: formferry check ${name} --accept-form.`
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

/** Whether runs are refused until a person has looked at how the form changed. */
export const isRefused = ({ diagnostics }: FormFindings): boolean =>
  diagnostics.some(({ severity }) => severity === "error")

/** Returns the findings if they allow a run or a rehearsal. */
export const requireUnchangedForm = (
  found: FormFindings,
): Effect.Effect<ReadonlyArray<Diagnostic>, ConfigurationInvalid> =>
  isRefused(found)
    ? Effect.fail(new ConfigurationInvalid({ diagnostics: found.diagnostics }))
    : Effect.succeed(found.diagnostics)

/** Adds the changes of the form to a mapping's findings. An error of the mapping at the same place is omitted, because the change is its reason. */
export const withChanges = (
  diagnostics: ReadonlyArray<Diagnostic>,
  { diagnostics: changed }: FormFindings,
): ReadonlyArray<Diagnostic> => {
  const at = ({ column, file, line }: Diagnostic) => `${file}:${line}:${column}`
  const explained = new Set(changed.filter(({ severity }) => severity === "error").map(at))
  return [...changed, ...diagnostics.filter((one) => one.severity === "warning" || !explained.has(at(one)))]
    .toSorted((a, b) => a.line - b.line || a.column - b.column)
}
