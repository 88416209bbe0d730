import { FetchHttpClient, type FileSystem, type Path } from "@effect/platform"
import { Cause, Effect, Exit } from "effect"
import { cpSync, existsSync, readFileSync, renameSync, rmSync } from "node:fs"
import { join } from "node:path"
import type { AcceptReason } from "../../src/domain/acceptance.ts"
import type { Form, Question } from "../../src/domain/form.ts"
import type { RunReport } from "../../src/domain/report.ts"
import type { SettleResult } from "../../src/domain/settled.ts"
import { acceptRefused } from "../../src/jobs/accept.ts"
import { rekeyPipeline } from "../../src/jobs/rekey.ts"
import { runPipeline } from "../../src/jobs/run.ts"
import { type SettleEvidence, settlePipeline } from "../../src/jobs/settle.ts"
import { undoPipeline, type UndoResult } from "../../src/jobs/undo.ts"
import { loadProject } from "../../src/project/loadProject.ts"
import type { OpenTransport } from "../../src/service/transport.ts"
import { form as people } from "../faults/pipeline.ts"
import { type Table, VirtualProject } from "../faults/VirtualProject.ts"
import { Machine } from "../faults/VirtualTime.ts"
import { rekeyUnattended, unattended, undoUnattended } from "../run/unattended.ts"
import { type HistoryLedger, inFile, runs } from "./ledgers.ts"
import {
  answer,
  connection,
  correctRow,
  fileOf,
  type Flaw,
  type Format,
  type Rows,
  sourceIn,
  sourceKeys,
  teams,
} from "./source.ts"

/** The ids of the service's forms. */
export const forms = ["people", "crew"] as const

export type FormId = (typeof forms)[number]

/** Settings that people edit, with their current values. */
export interface Edited {
  readonly pipeline: string
  readonly renamedFrom: string | undefined
  readonly baseUrl: string
  readonly previousBaseUrls: ReadonlyArray<string>
  readonly rowKey: ReadonlyArray<string>
  readonly empty: ReadonlyArray<string>
  readonly format: Format
  readonly form: FormId
  /** Whether row keys have leading zeros. */
  readonly isPadded: boolean
  readonly inDoubt: "hold" | "resend"
}

const unedited: Edited = {
  pipeline: "people",
  renamedFrom: undefined,
  baseUrl: "http://127.0.0.1/v1/api",
  previousBaseUrls: [],
  rowKey: ["No"],
  empty: [],
  format: "csv",
  form: "people",
  isPadded: false,
  inDoubt: "hold",
}

/** Properties of a form that people edit in the form editor. */
export interface EditedForm {
  /** The type of the question Name, which the pipeline fills. */
  readonly type: "ShortAnswer" | "LongAnswer"
  /** The label of an option that no row uses. */
  readonly spare: "Green" | "Lime"
  /** The number of added options. */
  readonly added: number
  /** The name of the question Note, which the pipeline does not fill. */
  readonly note: "Note" | "Remark"
}

const uneditedForm: EditedForm = { type: "ShortAnswer", spare: "Green", added: 0, note: "Note" }

const formOf = (id: FormId, { added, note, spare, type }: EditedForm): Form => {
  const team: Question = {
    id: "team",
    name: "Team",
    type: "Dropdown",
    options: [...teams, "spare", ...Array.from({ length: added }, (_, at) => `Team ${at}`)]
      .map((value) => ({ value, label: value === "spare" ? spare : value })),
  }
  const questions = people.questions.map((one) =>
    one.id === "name" ? { ...one, type } : one.id === "note" ? { ...one, name: note } : one
  )
  return { ...people, id, questions: [...questions, team] }
}

const pipelineYaml = ({ empty, form, format, inDoubt, pipeline, renamedFrom, rowKey }: Edited): string =>
  `pipeline: ${pipeline}
${renamedFrom === undefined ? "" : `renamedFrom: ${renamedFrom}`}
source: { ${sourceKeys(format)}, rowKey: ${JSON.stringify(rowKey)}${
    empty.length === 0 ? "" : `, empty: ${JSON.stringify(empty)}`
  } }
mapping:
  questions:
    - { name: Name, from: Name }
    - { name: Mail, from: Mail, as: email }
    - { name: Team, from: Team }
  urlParameters:
    - { name: Reference, from: Name }
  unmapped: ignore
sink: { service: live, form: ${form}, stamp: { run: run_id, pipeline: imported_by }, inDoubt: ${inDoubt}, batchSize: ${batchSize}, concurrency: ${concurrency}, canary: 2, stopWhen: { invalid: 100% } }
reconcile: { visibleWithin: 20 seconds }
`

const batchSize = 3
const concurrency = 2

/** The maximum number of rows in doubt that a killed process leaves. */
export const mostInFlight = batchSize * concurrency

/** How a command ended. `Killed` means that its machine was switched off. */
export type Ended =
  | { readonly _tag: "Report"; readonly report: RunReport }
  | { readonly _tag: "Accepted" }
  | { readonly _tag: "Rekeyed"; readonly pairs: ReadonlyArray<{ readonly old: string; readonly new: string }> }
  | { readonly _tag: "Settled"; readonly result: SettleResult }
  | { readonly _tag: "Undone"; readonly result: UndoResult }
  | { readonly _tag: "Failed"; readonly error: string; readonly message: string }
  | { readonly _tag: "Killed" }

/** The folder of the marks among the reports. */
const withReports = join("reports", ".ledger")

/** Returns the number of a row, which its name contains however it is written. */
export const numberIn = (text: string | undefined): number => Number(/\d+/.exec(text ?? "")?.[0])

const numbersIn = ({ lines, titles }: Table): ReadonlyArray<number> =>
  lines.map((line) => numberIn(line[titles.indexOf("Name")]))

/** A project and the events of its history. */
export class History extends VirtualProject {
  private folders = 0
  private services = 0
  private open: OpenTransport | undefined
  private readonly formsNow = new Map(forms.map((id) => [id, uneditedForm]))
  edited = unedited
  rows: ReadonlyArray<number> = []
  /** Why the source's rows are rejected, by number. */
  readonly flaws = new Map<number, Flaw>()
  /** Whether the next run that is not refused pulls all records. */
  isFull = false

  readonly ledger: HistoryLedger

  /** @param ledger the history's ledger. Undefined: a file of the project */
  constructor(seed: number, ledger: HistoryLedger | undefined) {
    super(seed, "formferry-history-")
    this.ledger = ledger ?? inFile(this)
    this.addSecrets(this.ledger.secrets)
    this.edit({})
  }

  edit(change: Partial<Edited>): void {
    this.edited = { ...this.edited, ...change }
    const { baseUrl, format, pipeline, previousBaseUrls } = this.edited
    this.writeServices({
      baseUrl,
      capabilities: ["delete"],
      ...(previousBaseUrls.length === 0 ? {} : { previousBaseUrls }),
    }, `${connection}${this.ledger.settings}`)
    rmSync(join(this.root, "pipelines"), { recursive: true, force: true })
    this.write(`pipelines/${pipeline}.yaml`, pipelineYaml(this.edited))
    this.write(fileOf(format), sourceIn(format, this.sourceRows()))
  }

  private sourceRows(): Rows {
    return { numbers: this.rows, flaws: this.flaws, isPadded: this.edited.isPadded }
  }

  /** Writes the source. If there are no rows, it writes only the header. */
  source(rows: ReadonlyArray<number>): void {
    this.rows = rows
    this.edit({})
  }

  /** Returns the current state of the form that the pipeline fills. */
  form(): EditedForm {
    return this.formsNow.get(this.edited.form) ?? uneditedForm
  }

  /** Edits the form that the pipeline fills. */
  editForm(change: Partial<EditedForm>): void {
    this.formsNow.set(this.edited.form, { ...this.form(), ...change })
    this.open = undefined
  }

  /** Returns how often each row is in a form. */
  sent(form: FormId = this.edited.form): ReadonlyMap<number, number> {
    const counts = new Map<number, number>()
    for (const { json } of this.store.all(form)) {
      const { urlParameters } = JSON.parse(json) as {
        readonly urlParameters: ReadonlyArray<{ readonly value: string }>
      }
      const no = numberIn(urlParameters[0]?.value)
      counts.set(no, (counts.get(no) ?? 0) + 1)
    }
    return counts
  }

  /** Returns the run that sent each submission of the form, according to its stamp, by submission id. */
  runs(): ReadonlyMap<string, string> {
    return new Map(
      this.store.all(this.edited.form).map(({ id, json }) => {
        const { urlParameters } = JSON.parse(json) as {
          readonly urlParameters: ReadonlyArray<{ readonly id: string; readonly value: string }>
        }
        return [id, urlParameters.find((one) => one.id === "run_id")?.value ?? ""]
      }),
    )
  }

  /** Returns the number of submissions in a form. */
  submissions(form: FormId): number {
    return this.store.all(form).length
  }

  async pass(millis: number): Promise<void> {
    await this.time.pass(millis)
  }

  /** Sets the clock forwards or back while no process runs. */
  setClock(millis: number): void {
    this.time.now += millis
  }

  private async service(): Promise<OpenTransport> {
    return this.open ??= await this.practice(
      forms.map((id) => formOf(id, this.formsNow.get(id) ?? uneditedForm)),
      `${++this.services}`,
    )
  }

  /** Returns the rejected.csv of every run of the pipeline that is still there, the newest one first. */
  rejected(): ReadonlyArray<Table> {
    return this.rejectedOf(this.edited.pipeline)
  }

  /** Returns the numbers of the rows in a file of a run's report. */
  reported(run: string, name: string): ReadonlyArray<number> {
    return numbersIn(this.reportFile(this.edited.pipeline, run, name))
  }

  /**
   * Writes a rejected.csv in which a person has corrected some rows, and removed others. Returns its path and its rows.
   * @param correct whether the row with this number is corrected, or so that it is rejected again (`partly`) @param keep whether the row stays in the file
   */
  fix(
    table: Table,
    correct: (no: number) => "right" | "partly" | "not",
    keep: (no: number) => boolean,
  ): { readonly file: string; readonly numbers: ReadonlyArray<number> } {
    const kept = new Map(numbersIn(table).filter(keep).map((no) => [no, correct(no)]))
    const file = this.writeFixed(table, (cell) => {
      const no = numberIn(cell("Name"))
      const row = { ...correctRow(no, this.edited.isPadded) }
      const how = kept.get(no)
      return how === "right" ? row : how === "partly" ? { ...row, Mail: "nobody" } : how && {}
    })
    return { file, numbers: [...kept.keys()] }
  }

  /**
   * Runs `formferry run`, and kills it at the given step, if any. @param source the file that `--source` names, or
   * undefined for the pipeline's own
   */
  async run(killedAt?: number, resendUndone = false, source?: string): Promise<Ended> {
    const ended = await this.process(
      killedAt,
      Effect.flatMap(loadProject(this.root), (project) =>
        Effect.map(
          runPipeline(project, {
            ...unattended,
            pipeline: this.edited.pipeline,
            source,
            full: source === undefined && this.isFull,
            resendUndone,
          }),
          (report): Ended => ({ _tag: "Report", report }),
        )),
    )
    if (source !== undefined) return ended
    // A person asks for all records again if the run was killed before it had begun.
    if (ended._tag === "Killed") this.isFull &&= await this.ledger.hasPulled()
    else if (ended._tag === "Report" && ended.report.exitCode !== 2) this.isFull = false
    return ended
  }

  /** Runs `formferry undo --run`, and kills it at the given step, if any. */
  undo(run: string, killedAt?: number): Promise<Ended> {
    return this.process(
      killedAt,
      Effect.flatMap(loadProject(this.root), (project) =>
        Effect.map(
          undoPipeline(project, { pipeline: this.edited.pipeline, run, ...undoUnattended }),
          (result): Ended => ({ _tag: "Undone", result }),
        )),
    )
  }

  /** Runs `formferry ledger rekey` as the message of a refusal advises. @param source the file that `--source` names */
  rekey(source: string | undefined): Promise<Ended> {
    return this.process(
      undefined,
      Effect.flatMap(loadProject(this.root), (project) =>
        Effect.map(
          rekeyPipeline(project, { pipeline: this.edited.pipeline, source, ...rekeyUnattended }),
          ({ pairs }): Ended => ({ _tag: "Rekeyed", pairs }),
        )),
    )
  }

  /** Runs `formferry accept` as the message of a refusal advises. */
  accept(pipeline: string, reason: AcceptReason): Promise<Ended> {
    return this.process(
      undefined,
      Effect.flatMap(loadProject(this.root), (project) =>
        Effect.as(
          acceptRefused(project, { pipeline, to: undefined, reason, because: "looked at", by: "ada" }),
          { _tag: "Accepted" } satisfies Ended as Ended,
        )),
    )
  }

  /**
   * Runs `formferry settle --results`, and kills it at the given step, if any. @param lines the number of the results'
   * lines in the export, or undefined for all lines @param isComplete whether `--complete` is passed
   */
  settle(lines: number | undefined, isComplete: boolean, killedAt?: number): Promise<Ended> {
    const file = this.writeResults(formOf(this.edited.form, this.form()), lines)
    return this.settleBy({ _tag: "Export", file, isComplete }, killedAt)
  }

  /** Runs `formferry settle --as landed` or `--as not-landed`. */
  settleByWord(landed: boolean, keys: ReadonlyArray<string>): Promise<Ended> {
    return this.settleBy({ _tag: "Person", landed, which: { _tag: "Rows", keys } })
  }

  private settleBy(evidence: SettleEvidence, killedAt?: number): Promise<Ended> {
    const options = { pipeline: this.edited.pipeline, to: undefined, evidence, by: "ada", because: "all results" }
    return this.process(
      killedAt,
      Effect.flatMap(
        loadProject(this.root),
        (project) => Effect.map(settlePipeline(project, options), (result): Ended => ({ _tag: "Settled", result })),
      ),
    )
  }

  private async process<E>(
    killedAt: number | undefined,
    work: Effect.Effect<Ended, E, FileSystem.FileSystem | Path.Path>,
  ): Promise<Ended> {
    const open = await this.service()
    const machine = new Machine(this.time)
    let steps = 0
    const isKilled = () => {
      if (machine.isOff || ++steps !== killedAt) return false
      this.crash(machine)
      return true
    }
    // The kernel still sends half of what a killed process sent last.
    const arrives = () => steps % 2 === 0
    runs({
      time: this.time,
      isOff: () => machine.isOff,
      step: () => {
        if (isKilled() || machine.isOff) throw new Error("the machine is off")
      },
      arrives,
    })
    const fetch = (url: URL) => Promise.resolve(answer(url, readFileSync(join(this.root, fileOf("pull")), "utf8")))
    const withTool = Effect.provideService(work, FetchHttpClient.Fetch, fetch as typeof globalThis.fetch)
    const running = this.start(machine, withTool, open, (send) => {
      if (isKilled() && arrives()) {
        Effect.runFork(Effect.withClock(send, this.time.clock), { scheduler: this.server })
      }
    })
    await this.until(() => running.exit !== undefined || machine.isOff, "a command")
    runs(undefined)
    if (machine.isOff) {
      await this.time.pass(2_000)
      await this.ledger.leave()
      return { _tag: "Killed" }
    }
    const { exit } = running
    if (exit === undefined) throw new Error(`Seed ${this.seed} hangs.`)
    if (Exit.isSuccess(exit)) return exit.value
    const error = Cause.squash(exit.cause)
    const tag = typeof error === "object" && error !== null && "_tag" in error ? String(error._tag) : "Defect"
    const message = error instanceof Error ? error.message : String(error)
    return { _tag: "Failed", error: tag, message: tag === "Defect" ? Cause.pretty(exit.cause) : message }
  }

  /** Deletes part of the project. */
  delete(what: "marks" | "reports of the pipeline" | "reports"): void {
    const paths = {
      marks: this.ledger.marks,
      "reports of the pipeline": join("reports", this.edited.pipeline),
      reports: "reports",
    }
    rmSync(join(this.root, paths[what]), { recursive: true, force: true })
  }

  /**
   * Continues on a new machine, as some CI jobs do each night. The machine checks out the project again and keeps only
   * the folder of a ledger in a file.
   */
  onNewMachine(): void {
    const old = this.root
    this.root = join(this.home, `project${++this.folders}`)
    for (const kept of [".env", ...this.ledger.kept]) {
      cpSync(join(old, kept), join(this.root, kept), { recursive: true })
    }
    this.edit({})
  }

  /** Whether both folders contain marks. */
  hasBothMarks(): boolean {
    return [this.ledger.marks, withReports].every((folder) => existsSync(join(this.root, folder)))
  }

  /** Moves or copies the whole project folder. */
  move(copied: boolean): void {
    const to = join(this.home, `project${++this.folders}`)
    if (copied) cpSync(this.root, to, { recursive: true, verbatimSymlinks: true })
    else renameSync(this.root, to)
    this.root = to
  }
}
