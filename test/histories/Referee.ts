import { type AcceptReason, acceptReasons } from "../../src/domain/acceptance.ts"
import type { RunReport } from "../../src/domain/report.ts"
import type { SettleResult } from "../../src/domain/settled.ts"
import type { Draws } from "../faults/Draws.ts"
import {
  type Edited,
  type EditedForm,
  type Ended,
  type FormId,
  forms,
  type History,
  mostInFlight,
  numberIn,
} from "./History.ts"
import type { Image } from "./ledgers.ts"
import { hasHeader } from "./source.ts"

/**
 * Whether the next command may succeed or be refused. A harmless history is never refused, and no run may import with a
 * ledger that lost commits.
 */
export type Expected = "goes" | "refused" | "either"

/** Combines two expectations. */
const both = (a: Expected, b: Expected): Expected =>
  a === "refused" || b === "refused" ? "refused" : a === "either" || b === "either" ? "either" : "goes"

/** How a run is started. */
interface How {
  /** The step at which the run is killed. */
  readonly killedAt?: number | undefined
  readonly resendUndone?: boolean
  /** The file of `--source`, and its rows. The rows in `corrected` are as they should be. Undefined: the pipeline's own source. */
  readonly fixed?: {
    readonly file: string
    readonly numbers: ReadonlyArray<number>
    readonly corrected: ReadonlySet<number>
    /** The run that rejected them. */
    readonly run: string
  } | undefined
}

/** The state at the last finished run of a form. */
interface Visit {
  readonly form: EditedForm
  readonly isPadded: boolean
  /** The edited settings, without the form, as JSON. */
  readonly edited: string
  readonly troubles: number
}

/** A copy of the ledger, with the counts at that moment. */
interface Kept extends Image {
  readonly commands: number
  readonly facts: number
}

const day = 86_400_000

/** Runs commands in a history, tracks their expected results, and follows the advice of refusals. */
export class Referee {
  private readonly at: History
  private readonly draws: Draws
  /** The history as text, one event or message per line. */
  readonly lines: Array<string> = []
  /** Broken promises. */
  readonly broken: Array<string> = []
  readonly met = new Map<string, number>()
  /** Rows that a person removed from the source permanently. */
  readonly removed = new Set<number>()
  /** The number of commands that ended or were killed. A copy with a lower number is not the newest. */
  private commands = 0
  private settled = 0
  private kills = 0
  private isLogLeft = false
  /** How often the ledger was damaged, restored or accepted. */
  private troubles = 0
  /** The expectation for the next run after a killed run or a damaged ledger. */
  private carried: Expected = "goes"
  private readonly attempted = new Set<FormId>()
  private readonly visits = new Map<FormId, Visit>()
  private readonly editedForms = new Set<FormId>()
  private readonly images: Array<Kept> = []
  private newest: Kept | undefined
  /** Rows whose submissions a person deleted with `undo`, by form and number. */
  private readonly undone = new Set<string>()
  /** The number of submissions that were deleted. */
  private deleted = 0
  /** The number of rows that undos left in doubt. */
  private undoneInDoubt = 0
  /** Rows that a killed process sent, by form and number, each with the number of the kill. */
  private readonly doubtful = new Map<string, number>()
  /** The settings under which each run rejected rows. */
  private readonly rejectedUnder = new Map<string, string>()
  /** The settings under which a row was rejected that was then corrected and imported, by form and number. */
  private readonly fixedUnder = new Map<string, string>()
  /** The rows in `doubtful` that a run with `inDoubt: resend` may resend. */
  private readonly resendable = new Set<string>()

  constructor(at: History, draws: Draws) {
    this.at = at
    this.draws = draws
  }

  meet(what: string): void {
    this.met.set(what, (this.met.get(what) ?? 0) + 1)
    this.lines.push(what)
  }

  /** Counts permanent facts. A ledger that lacks any of them must be refused. */
  private facts(): number {
    // A deletion is a fact in addition to the creation.
    return forms.reduce((sum, form) => sum + this.at.submissions(form), this.settled + 2 * this.deleted)
  }

  /** Keeps a copy of the ledger for a later restore, if it is sound. */
  async keepImage(): Promise<void> {
    if (this.carried !== "goes") return
    this.newest = { ...await this.at.ledger.image(), commands: this.commands, facts: this.facts() }
    this.images.push(this.newest)
  }

  /** Restores a random copy of the ledger. */
  async restoreAny(): Promise<Expected | undefined> {
    const image = this.images[this.draws.int(0, this.images.length - 1)]
    if (image === undefined) return undefined
    await image.restore()
    this.troubles++
    // If later runs only repeated known results, the copy might lack nothing important.
    return image.facts < this.facts() ? "refused" : image.commands < this.commands ? "either" : "goes"
  }

  /** Notes that the ledger was damaged. */
  harmed(): Expected {
    this.troubles++
    return "either"
  }

  /** The expectation after the marks of other hosts are lost. Undefined if an older ledger was accepted, which may have nothing that they confirm. */
  withoutMarks(): Expected | undefined {
    return this.troubles > 0 ? undefined : this.hasFacts() ? "refused" : "either"
  }

  /** Whether anything was imported or settled. */
  hasFacts(): boolean {
    return this.facts() > 0
  }

  editForm(change: Partial<EditedForm>): Expected {
    this.at.editForm(change)
    this.editedForms.add(this.at.edited.form)
    return "goes"
  }

  /** Edits the pipeline's identity in the ledger. Its rows must not be sent again. */
  editPlace(change: Partial<Edited>): Expected {
    const isKnown = this.carried === "goes" && this.removed.size === 0
      && this.visits.get(this.at.edited.form)?.troubles === this.troubles
      && this.at.sent().size > 0
    this.at.edit(change)
    return isKnown ? "refused" : "either"
  }

  /**
   * Edits how rows are read or recognised. The rows are still recognised if none was removed. A row that was rejected,
   * corrected and imported may be rejected in a different way now.
   */
  editReading(change: Partial<Edited>): Expected {
    this.at.edit(change)
    const { flaws, rows } = this.at
    const sent = this.at.sent()
    return this.removed.size === 0 && !rows.some((no) => flaws.has(no) && sent.has(no)) ? "goes" : "either"
  }

  /**
   * Switches the pipeline to the other form. The ledger recognises the rows in that form, unless another setting
   * changed in the meantime.
   */
  switchForm(): Expected {
    const form = forms.find((one) => one !== this.at.edited.form) ?? forms[0]
    this.at.edit({ form })
    const visit = this.visits.get(form)
    if (this.carried !== "goes") return "either"
    if (visit === undefined) return this.attempted.has(form) || this.troubles > 0 ? "either" : "goes"
    return visit.troubles === this.troubles && visit.edited === this.editedApart() ? "goes" : "either"
  }

  private editedApart(): string {
    return JSON.stringify({ ...this.at.edited, form: "", inDoubt: "" })
  }

  /** Notes that the ledger contains the current form. */
  private visit(): void {
    const { isPadded } = this.at.edited
    const visit = { form: this.at.form(), isPadded, edited: this.editedApart(), troubles: this.troubles }
    this.visits.set(this.at.edited.form, visit)
  }

  /** Whether the current form must be refused because something that the pipeline fills changed since the last run. */
  private formExpected(): Expected {
    const { form } = this.at.edited
    if (!this.editedForms.has(form) || !this.attempted.has(form)) return "goes"
    const visit = this.visits.get(form)
    if (visit === undefined || visit.troubles !== this.troubles) return "either"
    const now = this.at.form()
    return visit.form.type === now.type && visit.form.spare === now.spare ? "goes" : "refused"
  }

  /** Whether rows must be recognised although their keys were reformatted since the last run. This needs review. */
  private keysExpected({ fixed }: How): Expected {
    const { edited, flaws, rows } = this.at
    const visit = this.visits.get(edited.form)
    if (!this.met.has("keys reformatted")) return "goes"
    // A rejected.csv may have keys from before. A row that was not in the source with its key still has its old key.
    if (fixed !== undefined || visit?.troubles !== this.troubles || visit.isPadded === edited.isPadded) return "either"
    const sent = this.at.sent()
    const isCertain = edited.format !== "pull" && rows.some((no) => sent.has(no) && !flaws.has(no))
    return isCertain ? "refused" : "either"
  }

  /** What decides whether a row that was corrected in a rejected.csv is recognised in the source. */
  private standing(): string {
    return JSON.stringify([this.editedApart(), this.troubles, this.removed.size])
  }

  /**
   * Checks that a run accounts for each row that it read, by number: it is in the form, or the report names it, or it was
   * undone. A row that a person corrected and imported is not rejected again.
   */
  private checkNamed({ rows, run }: RunReport, { fixed }: How, nowSent: ReadonlyArray<number>): void {
    const { at } = this
    const { form } = at.edited
    const under = fixed === undefined ? this.standing() : this.rejectedUnder.get(fixed.run)
    if (under !== undefined) this.rejectedUnder.set(run, under)
    const numbers = fixed?.numbers ?? at.rows
    // A pull of new records lacks the others.
    if (rows.read !== numbers.length) return
    const sent = at.sent()
    const [rejected, doubtful] = ["rejected.csv", "in-doubt.csv"].map((name) => at.reported(run, name))
    const unnamed = numbers.filter((no) =>
      !sent.has(no) && rejected?.includes(no) !== true && doubtful?.includes(no) !== true
    )
    const lost = unnamed.filter((no) => !this.undone.has(`${form} ${no}`))
    // A row in doubt of an undone run counts as undone once a person has settled it as not landed.
    const undone = Math.min(this.undoneInDoubt, rows.undone - (unnamed.length - lost.length))
    if (lost.length > rows.pending + Math.max(0, undone)) {
      this.broken.push(`the report of ${run} does not name the rows ${lost.join(", ")}`)
    }
    let mayChange = 0
    for (const no of numbers) {
      const flaw = at.flaws.get(no)
      const row = `${form} ${no}`
      if (under !== undefined && fixed?.corrected.has(no) === true && nowSent.includes(no)) {
        this.fixedUnder.set(row, under)
      }
      const isKnown = sent.has(no) && this.fixedUnder.get(row) === this.standing()
      if (typeof flaw === "object" || (flaw !== undefined && !isKnown)) mayChange++
      else if (fixed === undefined && isKnown && rejected?.includes(no) === true) {
        this.broken.push(`row ${no} was corrected and imported, but is rejected again`)
      }
    }
    const { changed, invalid, refused } = rows
    // A rejected.csv has rows as they were when they were rejected.
    const mayBeInvalid = numbers.filter((no) => fixed === undefined ? at.flaws.has(no) : !fixed.corrected.has(no))
    if (refused > 0 || invalid > mayBeInvalid.length) this.broken.push("rows are not what they were")
    if (fixed === undefined && changed > mayChange) this.broken.push("rows have changed that nobody changed")
  }

  private checkSent(): void {
    const doubled = new Map<number, number>()
    for (const form of forms) {
      for (const [no, count] of this.at.sent(form)) {
        if (count === 1) continue
        const row = `${form} ${no}`
        const kill = this.resendable.has(row) ? this.doubtful.get(row) : undefined
        if (count > 2 || kill === undefined) {
          this.broken.push(`row ${no} was sent to ${form} ${count} times, after: ${this.lines.at(-1)}`)
        } else doubled.set(kill, (doubled.get(kill) ?? 0) + 1)
      }
    }
    for (const rows of doubled.values()) {
      if (rows > mostInFlight) this.broken.push(`${rows} rows of one kill were resent, of ${mostInFlight} in flight`)
    }
  }

  /** Whether `inDoubt: resend` resent a row that had landed. */
  private hasDoubled(): boolean {
    return forms.some((form) => this.at.submissions(form) > this.at.sent(form).size)
  }

  /** Whether the last command was killed and left its log. */
  wasKilled(): boolean {
    return this.isLogLeft
  }

  private async killed(): Promise<void> {
    this.isLogLeft = true
    this.commands++
    this.kills++
    await this.at.pass(120_000)
  }

  /** Runs the pipeline, and follows the advice of each refusal until a run is accepted. */
  async run(expected: Expected, how: How = {}): Promise<void> {
    const { at } = this
    const { fixed, killedAt, resendUndone = false } = how
    const { form } = at.edited
    let ledger = this.carried === "goes"
      ? expected
      : this.carried === "refused" && expected !== "either"
      ? this.carried
      : "either"
    this.carried = "goes"
    for (let tries = 0; tries < 6; tries++) {
      const left = both(ledger, both(this.formExpected(), this.keysExpected(how)))
      this.attempted.add(form)
      const before = at.sent()
      if (at.edited.inDoubt === "resend") {
        for (const row of this.doubtful.keys()) if (row.startsWith(`${form} `)) this.resendable.add(row)
      }
      this.isLogLeft = false
      const ended = await at.run(killedAt, resendUndone, fixed?.file)
      this.checkSent()
      const sent = [...at.sent()].filter(([no, count]) => count > (before.get(no) ?? 0)).map(([no]) => no)
      for (const no of sent) {
        if (this.undone.delete(`${form} ${no}`) && !resendUndone) this.broken.push(`the undone row ${no} is sent again`)
      }
      const strange = fixed === undefined ? [] : sent.filter((no) => !fixed.numbers.includes(no))
      if (strange.length > 0) this.broken.push(`rows that are not in the file are sent: ${strange.join(", ")}`)
      if (fixed !== undefined && sent.length > 0) this.meet("fixed rows are sent")
      if (ended._tag === "Killed") {
        this.meet(fixed === undefined ? "killed" : "killed while fixed rows are imported")
        if (left === "refused" && sent.length > 0) {
          this.broken.push("a run that should be refused sends rows before it is killed")
        }
        await this.killed()
        for (const no of sent) {
          const row = `${form} ${no}`
          if (!this.doubtful.has(row)) this.doubtful.set(row, this.kills)
        }
        this.carried = ledger
        return
      }
      const isRefused = ended._tag === "Report" && ended.report.exitCode === 2
      if (ended._tag === "Report" && !isRefused) {
        const { balance, exitCode, rows } = ended.report
        for (const { code } of ended.report.problems) this.meet(`rejected: ${code}`)
        this.lines.push(`exit code ${exitCode}, ${JSON.stringify(rows)}`)
        if (left === "refused") this.broken.push(`a run that should be refused is not, after: ${this.lines.at(-2)}`)
        // An older ledger that was accepted contains submissions that were deleted since, so the canary failed.
        if (exitCode === 3 && this.troubles > 0 && ended.report.because.some((one) => one.includes("are changed"))) {
          // The rows were fixed with a rejected.csv of the ledger that was lost, so the ledger does not know their originals.
          this.meet("resolved: the source is corrected")
          at.flaws.clear()
          at.source(at.rows)
          continue
        }
        if (exitCode === 3 && this.deleted > 0 && this.troubles > 0) {
          this.meet("resolved: accept canary")
          await at.accept(at.edited.pipeline, "canary")
          continue
        }
        if (!balance.holds) this.broken.push("the balance does not hold")
        this.checkNamed(ended.report, how, sent)
        if (fixed === undefined) this.visit()
        this.commands++
        if (this.hasDoubled()) this.meet("a row that had landed was resent")
        return
      }
      const message = ended._tag === "Report" ? ended.report.because.join(" ") : refusalOf(ended)
      if (message === undefined) {
        this.broken.push(`a run ends with ${JSON.stringify(ended)}`)
        return
      }
      this.meet("refused")
      this.lines.push(message)
      if (sent.length > 0) this.broken.push("a refused run sends rows")
      if (left === "goes") this.broken.push(`an innocent history is refused: ${message}`)
      await this.resolve(message, fixed?.file)
      ledger = "either"
    }
    this.broken.push("a refusal is not resolved by what it says")
  }

  /** Follows the advice of a refusal. @param source the file of `--source` */
  private async resolve(message: string, source: string | undefined): Promise<void> {
    const { at } = this
    const { edited } = at
    if (message.includes(`formferry run ${edited.pipeline} --full`)) {
      this.meet("resolved: --full")
      at.isFull = true
      return
    }
    if (message.includes("the same key, apart from formatting")) {
      this.meet("resolved: ledger rekey")
      const advice = `formferry ledger rekey ${edited.pipeline}${source === undefined ? "" : ` --source ${source}`}.`
      if (!message.includes(advice)) this.broken.push(`a refusal does not advise this: ${advice}`)
      const rekeyed = await at.rekey(source)
      const pairs = rekeyed._tag === "Rekeyed" ? rekeyed.pairs : []
      if (pairs.length === 0 || pairs.some((pair) => numberIn(pair.old) !== numberIn(pair.new))) {
        this.broken.push(`ledger rekey: ${JSON.stringify(rekeyed)}`)
      }
      this.commands++
      const visit = this.visits.get(edited.form)
      if (source === undefined && visit !== undefined) {
        this.visits.set(edited.form, { ...visit, isPadded: edited.isPadded })
      }
      return
    }
    if (message.includes("renamedFrom: people")) {
      this.meet("resolved: renamedFrom")
      at.edit({ renamedFrom: "people" })
      return
    }
    const previous = /previousBaseUrls: \[(\S+?)\]/.exec(message)?.[1]
    if (previous !== undefined) {
      this.meet("resolved: previousBaseUrls")
      at.edit({ previousBaseUrls: [...edited.previousBaseUrls, previous] })
      return
    }
    const command = /formferry accept (\S+) (\S+) --because TEXT/.exec(message)
    const reason = Object.keys(acceptReasons).find((one): one is AcceptReason => one === command?.[2])
    if (command?.[1] !== edited.pipeline || reason === undefined) {
      this.broken.push(`a refusal names no command that resolves it: ${message}`)
      return
    }
    if (reason === "ledger") {
      this.troubles++
      const { newest } = this
      if (newest?.commands === this.commands && this.draws.chance(0.4)) {
        this.meet("resolved: the newest ledger is put back")
        await newest.restore()
        // The copy is restored only once, since a person may have accepted it for a different form.
        this.newest = undefined
        return
      }
    }
    this.meet(`resolved: accept ${reason}`)
    if (reason === "form") this.visit()
    else {
      // As docs/maintain.md advises, rows that are in the form are removed from the source.
      for (const form of forms) for (const no of at.sent(form).keys()) this.removed.add(no)
      // The accepted ledger may lack the records of these deletions.
      for (const row of this.undone) this.removed.add(Number(row.split(" ")[1]))
      const rows = at.rows.filter((no) => !this.removed.has(no))
      if (rows.length === 0 && !hasHeader(edited.format)) at.edit({ format: "csv" })
      at.source(rows)
    }
    const accepted = await at.accept(edited.pipeline, reason)
    if (accepted._tag !== "Accepted") this.broken.push(`accept ${reason}: ${JSON.stringify(accepted)}`)
    this.commands++
  }

  /**
   * Settles rows in doubt from an export, and compares the conclusions with the form. @param lines the number of the
   * results' lines in the export, or undefined for all lines @returns the rows that stay in doubt, with the reasons
   */
  async settle(
    lines: number | undefined,
    isComplete: boolean,
    killedAt?: number,
  ): Promise<SettleResult["rows"]> {
    const { at } = this
    this.isLogLeft = false
    const ended = await at.settle(lines, isComplete, killedAt)
    if (ended._tag === "Killed") {
      this.meet("settle killed")
      await this.killed()
      return []
    }
    if (ended._tag !== "Settled") {
      if (refusalOf(ended) === undefined) this.broken.push(`settle ends with ${JSON.stringify(ended)}`)
      if (this.carried === "goes") this.broken.push(`settle is refused: ${JSON.stringify(ended)}`)
      this.meet("settle refused")
      return []
    }
    if (this.carried === "refused") this.broken.push("settle works with a ledger that lost commits")
    const sent = at.sent()
    const how = isComplete ? "settled with --complete" : "settled"
    for (const { key, outcome, reason } of ended.result.rows) {
      const no = numberIn(key)
      this.meet(`${how}: ${outcome}`)
      if (outcome === "in doubt") this.lines.push(reason)
      else this.settled++
      if (outcome === "landed") this.doubtful.delete(`${at.edited.form} ${no}`)
      if (outcome === "landed" && !sent.has(no)) this.broken.push(`row ${no} did not land, but is settled as landed`)
      if (outcome === "not landed" && sent.has(no)) this.broken.push(`row ${no} landed, but is settled as not landed`)
    }
    this.commands++
    return ended.result.rows.filter(({ outcome }) => outcome === "in doubt")
  }

  /**
   * Settles the rows that a complete export leaves in doubt, as a person does. These rows were resent, resemble a
   * submission that is not in the ledger, or were sent by a process that may still send. Or the ledger is older than an
   * undo.
   */
  private async look(left: SettleResult["rows"]): Promise<void> {
    const sent = this.at.sent()
    for (const { key, reason } of left) {
      this.meet("settled by word")
      const expected = [
        / resembles it| in the export fit it/,
        // With a ledger that several hosts use, it is never known that a killed process has ended.
        ...(this.at.ledger.isShared ? [/ lost its lock and is not known to have ended/] : []),
        // An older ledger that was accepted requires submissions that were deleted since.
        ...(this.deleted > 0 && this.troubles > 0 ? [/ lacks \d+ of the submissions in the ledger/] : []),
      ]
      if (!expected.some((one) => one.test(reason))) {
        this.broken.push(`a complete export leaves in doubt: ${reason}`)
      }
      const settled = await this.at.settleByWord(sent.has(numberIn(key)), [key])
      if (settled._tag !== "Settled") this.broken.push(`settle --as ends with ${JSON.stringify(settled)}`)
    }
  }

  /**
   * Undoes one of the runs that sent something to the form, and repeats that if it is killed. Exactly the submissions that
   * have the run's stamp must be deleted. Only in histories whose ledger was never damaged.
   */
  async undo(draws: Draws, killedAt?: number): Promise<void> {
    const { at } = this
    const before = at.runs()
    const [run, ...others] = [...new Set(before.values())]
    if (run === undefined || this.carried !== "goes" || this.troubles > 0) return
    const chosen = draws.pick([run, ...others])
    const sent = at.sent()
    let ended = await at.undo(chosen, killedAt)
    if (ended._tag === "Killed") {
      this.meet("undo killed")
      await at.pass(120_000)
      ended = await at.undo(chosen)
    }
    this.commands++
    const after = at.runs()
    for (const [id, by] of before) {
      if (by !== chosen && !after.has(id)) this.broken.push(`the undo of ${chosen} deletes a submission of ${by}`)
    }
    this.deleted += before.size - after.size
    for (const no of sent.keys()) if (!at.sent().has(no)) this.undone.add(`${at.edited.form} ${no}`)
    if (ended._tag !== "Undone") {
      // A run that sent only rows in doubt that another address of the service or name of the pipeline has is refused.
      if (ended._tag !== "Failed" || refusalOf(ended) === undefined) {
        this.broken.push(`undo ends with ${JSON.stringify(ended)}`)
      }
      this.meet("undo refused")
      return
    }
    const { result } = ended
    this.meet("undone")
    this.lines.push(JSON.stringify(result))
    this.undoneInDoubt += result.inDoubt
    const left = [...after.values()].filter((by) => by === chosen).length
    if (result.exitCode === 0 && left > 0) this.broken.push(`${left} submissions of the undone run ${chosen} remain`)
    if (left > result.inDoubt + result.unknown + result.likely) {
      this.broken.push("an undo leaves submissions that it does not name")
    }
    if (result.exitCode !== 0 && result.exitCode !== 1 && result.exitCode !== 4) {
      this.broken.push(`an undo without faults exits with code ${result.exitCode}`)
    }
  }

  /** Sends and settles all remaining rows, and checks that none is missing. */
  async finish(grow: () => void): Promise<void> {
    const { at } = this
    await this.run("either")
    // This time is later than any time of a clock that was set back.
    await at.pass(60 * day)
    grow()
    await this.run("goes")
    if (this.broken.length > 0) return
    await this.settle(undefined, false)
    await this.look(await this.settle(undefined, true))
    // A person corrects all rejected rows, and then the source, too.
    const [newest] = at.rejected()
    if (newest !== undefined) {
      const fix = at.fix(newest, () => "right", (no) => !this.removed.has(no))
      const fixed = { ...fix, corrected: new Set(fix.numbers), run: newest.run }
      await this.run("goes", { fixed, resendUndone: true })
      // A row with the key of another one is changed if the other one was not pulled. It can be corrected only in the source.
      const left = fix.numbers.filter((no) => !at.sent().has(no) && typeof at.flaws.get(no) !== "object")
      if (left.length > 0) this.broken.push(`corrected rows are missing: ${left.join(", ")}`)
      await this.run("goes")
      if (this.broken.length > 0) return
    }
    const sent = at.sent()
    for (const no of at.flaws.keys()) {
      if (at.flaws.get(no) !== "unknown team" || !sent.has(no)) at.flaws.delete(no)
    }
    at.source(at.rows)
    at.isFull = true
    await this.run("goes", { resendUndone: true })
    for (const no of at.rows) if (!at.sent().has(no)) this.broken.push(`row ${no} is missing in the end`)
  }
}

/** Returns the message of a refused command, or undefined if it failed for a different reason. */
const refusalOf = (ended: Ended): string | undefined =>
  ended._tag === "Failed" && ["LedgerRefused", "ConfigurationInvalid"].includes(ended.error) ? ended.message : undefined
