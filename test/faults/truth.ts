import { Effect } from "effect"
import { memoryStore, type PracticeStore } from "../../src/practice/store.ts"
import { recordIn, type SourceRow } from "./source.ts"

/** A row in the ledger, with names for the numbers of `codes.ts`. */
export interface LedgerRow {
  readonly key: string
  readonly state: "intended" | "inDoubt" | "imported" | "refused" | "notCreated" | "undone"
  readonly resent: boolean
  /** The batch with which the row was last sent. */
  readonly batch: number
  /** The run that sent the row last. */
  readonly run: string
  readonly verdict: "verified" | "unread" | "differing" | "missing" | undefined
  readonly submissionId: string | undefined
  /** Submissions of the row's earlier contents, earliest first. The last may be about to be replaced. */
  readonly replaced: ReadonlyArray<string>
}

/** A submission in the service. */
export interface Held {
  readonly id: string
  /** The key of the submission's row, sent as a URL parameter that no fault changes. */
  readonly key: string
  /** Whether a fault changed an answer before it was stored. */
  readonly altered: boolean
  /** The run that sent it. Undefined if that is unknown, because the row was also resent. */
  readonly run: string | undefined
  readonly answers: ReadonlyMap<string, unknown>
}

/** A broken promise. */
export interface Violation {
  readonly promise: string
  readonly what: string
}

interface Kept {
  readonly questions: ReadonlyArray<{ readonly id: string; readonly type: string; readonly value: unknown }>
  readonly urlParameters: ReadonlyArray<{ readonly id: string; readonly value: string | null }>
}

/**
 * The service's real content, checked whenever a submission arrives. Checks that service and ledger keep the promise in
 * docs/guarantees.md.
 */
export class Truth {
  readonly violations: Array<Violation> = []
  readonly held = new Map<string, Held>()
  private readonly byKey = new Map<string, number>()
  /** The contents sent for a key, one for each edit of the source. */
  private readonly contents = new Map<string, Array<SourceRow>>()
  /** Keys of creates whose outcome is unknown. */
  readonly ambiguous = new Set<string>()
  private readonly byHand = new Set<string>()
  /** Batches of submissions that arrived because the policy resends rows in doubt, by key. */
  private readonly resent = new Map<string, Set<number>>()
  /** Runs that a person undid, each with whether its undo has ended. Only their submissions may be deleted. */
  readonly undoing = new Map<string, boolean>()
  /** Keys of rows whose submissions were deleted, and that no run with `--resend-undone` has sent again. */
  private readonly undone = new Set<string>()
  /** Keys of rows in doubt whose run a person undid. No policy resends them. */
  private readonly undoneDoubts = new Set<string>()
  /** Submissions that were deleted. */
  readonly deleted = new Set<string>()
  private readonly inner = memoryStore()
  /** Returns the ledger's current row for a key, as stored on disk. */
  rowOf: (key: string) => LedgerRow | undefined = () => undefined

  /** The service's own store, which checks each submission. */
  readonly store: PracticeStore = {
    get: this.inner.get,
    all: this.inner.all,
    byTime: this.inner.byTime,
    append: (form, submissions) =>
      Effect.andThen(this.inner.append(form, submissions), () => {
        for (const { id, json } of submissions) this.arrived(id, JSON.parse(json) as Kept)
      }),
    remove: (form, id) => Effect.map(this.inner.remove(form, id), () => this.removed(id)),
  }

  violated(promise: string, what: string): void {
    this.violations.push({ promise, what })
  }

  /** Adds the current rows of the source. Submissions are compared with them. */
  know(rows: ReadonlyArray<SourceRow>): void {
    for (const row of rows) this.contents.set(row.no, [...(this.contents.get(row.no) ?? []), row])
  }

  count(key: string): number {
    return this.byKey.get(key) ?? 0
  }

  /**
   * Whether a row landed, as known to a person who settles it manually. The row then counts as imported without an id.
   * Submissions of its earlier contents don't count.
   */
  landedByHand(key: string): boolean {
    const landed = this.count(key) > (this.rowOf(key)?.replaced.length ?? 0)
    if (landed) this.byHand.add(key)
    return landed
  }

  /**
   * Returns how often a row may be in the service: once, plus once for each decision to import a changed row again or to
   * resend a row in doubt.
   */
  private most({ key, replaced }: LedgerRow): number {
    return 1 + replaced.length + (this.resent.get(key)?.size ?? 0)
  }

  private removed(id: string): void {
    const held = this.held.get(id)
    if (held === undefined) return
    if (held.run !== undefined && !this.undoing.has(held.run)) {
      this.violated("only the named run is undone", `submission ${id} of run ${held.run} is deleted`)
    }
    this.deleted.add(id)
    this.held.delete(id)
    this.byKey.set(held.key, this.count(held.key) - 1)
  }

  private arrived(id: string, { questions, urlParameters }: Kept): void {
    const key = urlParameters.find((parameter) => parameter.id === "ref")?.value ?? ""
    const answers = new Map(questions.map(({ id, value }) => [id, value]))
    const altered = questions.some(({ type }) => type === "HoloScan")
      || !(this.contents.get(key) ?? []).some((row) =>
        answers.get("name") === row.name && sentMail(row) === answers.get("mail")
        && answers.get("amount") === Number(row.amount)
        && (answers.get("note") ?? "") === row.note
      )
    const row = this.rowOf(key)
    this.held.set(id, { id, key, altered, answers, run: row?.resent === false ? row.run : undefined })
    this.byKey.set(key, this.count(key) + 1)
    if (row === undefined) {
      return this.violated("intent before the first byte", `row ${key} arrived, and the ledger knows nothing of it`)
    }
    const expected = row.state === "intended" || row.state === "inDoubt" || row.resent
    if (!expected) {
      this.violated("intent before the first byte", `row ${key} arrived while the ledger had it as ${row.state}`)
    }
    if (row.resent) this.resent.set(key, (this.resent.get(key) ?? new Set()).add(row.batch))
    if (this.count(key) > this.most(row)) {
      this.violated("no row is sent twice", `row ${key} is at the service ${this.count(key)} times`)
    }
    const record = altered ? undefined : recordIn(answers.get("name"))
    const twin = [...this.held.values()].find((one) =>
      one.key !== key && !one.altered && record !== undefined && recordIn(one.answers.get("name")) === record
    )
    if (twin !== undefined) {
      this.violated("no row is sent twice", `record ${record} is at the service as the rows ${twin.key} and ${key}`)
    }
    const before = this.held.get(row.replaced.at(-1) ?? "")
    if (before !== undefined && !before.altered && !altered && sameAnswers(before.answers, answers)) {
      this.violated("no row is sent twice", `row ${key} was sent again unchanged`)
    }
  }

  /**
   * Compares the whole ledger with the whole store while no process is running.
   *
   * @param open whether a process that was killed, or lost its ledger, may have left intents open
   * @param resendUndone whether the last run had `--resend-undone`. A row that could not be sent is then no longer undone
   */
  compare(rows: ReadonlyArray<LedgerRow>, open: boolean, resendUndone: boolean): void {
    const keys = new Set<string>()
    const ids = new Set<string>()
    for (const row of rows) {
      const { key, state, submissionId } = row
      if (keys.has(key)) this.violated("every row is in exactly one state", `row ${key} is in the ledger twice`)
      keys.add(key)
      const there = this.count(key)
      if (there > this.most(row)) {
        this.violated("no row is sent twice", `row ${key} is at the service ${there} times`)
      }
      if (state === "intended" && !open) {
        this.violated("every row is in exactly one state", `row ${key} is still intended after its run ended`)
      }
      if (state === "inDoubt" && !this.ambiguous.has(key)) {
        this.violated("only what is ambiguous is in doubt", `row ${key} is in doubt without a reason`)
      }
      // A settled row needs a new reason to be in doubt again.
      if (state !== "inDoubt" && state !== "intended") this.ambiguous.delete(key)
      if ((state === "notCreated" || state === "refused") && there > 0) {
        this.violated("ledger and service agree", `row ${key} is ${state}, but is at the service`)
      }
      for (const id of row.replaced) {
        if (ids.has(id)) this.violated("ledger and service agree", `submission ${id} belongs to two rows`)
        ids.add(id)
        // An undo that crashed may have deleted it before the row was imported again.
        if (!this.held.has(id) && !this.deleted.has(id)) {
          this.violated("ledger and service agree", `row ${key} replaces ${id}, which does not exist`)
        }
      }
      const isResent = this.undoneDoubts.delete(key) && (state === "notCreated" || state === "refused")
      if (isResent && !resendUndone) {
        this.violated("an undone row is sent only if a person says so", `row ${key} of an undone run is ${state}`)
      }
      if (state === "inDoubt" && this.undoing.get(row.run) === true) this.undoneDoubts.add(key)
      if (state === "undone") this.undone.add(key)
      else if (this.undone.delete(key) && !resendUndone) {
        this.violated("an undone row is sent only if a person says so", `row ${key} is no longer undone`)
      }
      if (state === "undone" && there > row.replaced.length && !row.resent) {
        this.violated("ledger and service agree", `row ${key} is undone, but is at the service`)
      }
      if (state !== "imported") continue
      if (submissionId !== undefined && this.isUnrecorded(submissionId)) continue
      if (submissionId === undefined && this.byHand.has(key)) continue
      const submission = submissionId === undefined ? undefined : this.held.get(submissionId)
      if (submissionId === undefined || submission === undefined) {
        this.violated("ledger and service agree", `row ${key} is imported as ${submissionId}, which the service lacks`)
        continue
      }
      if (ids.has(submissionId)) {
        this.violated("ledger and service agree", `submission ${submissionId} belongs to two rows`)
      }
      ids.add(submissionId)
      if (submission.key !== key && (!submission.altered || row.verdict === "verified")) {
        this.violated("ledger and service agree", `row ${key} is imported as the submission of row ${submission.key}`)
      }
      if (there === 0) this.violated("no row is lost", `row ${key} is imported, but is not at the service`)
      if (row.verdict === "verified" && submission.altered && this.differs(submission)) {
        this.violated("verified means equal", `row ${key} is verified, and the service contains different answers`)
      }
    }
    for (const { key } of this.held.values()) {
      if (!keys.has(key)) this.violated("no row is lost", `row ${key} is at the service, but not in the ledger`)
    }
  }

  /** Checks a row that is about to be sent by a run with `--resend-undone`, or by one without it. */
  checkSent(key: string, resendUndone: boolean): void {
    const isUndone = [this.undone.delete(key), this.undoneDoubts.delete(key)].includes(true)
    if (isUndone && !resendUndone) {
      this.violated("an undone row is sent only if a person says so", `row ${key} is sent`)
    }
  }

  /** Whether a submission was deleted by an undo that has not ended, so that the ledger may not know it yet. */
  private isUnrecorded(id: string): boolean {
    return this.deleted.has(id) && [...this.undoing.values()].includes(false)
  }

  /**
   * Checks that an undo that ended deleted every submission of its run, except those that a person must look at: rows in
   * doubt or resent, submissions that a later run replaced, and those that were never verified or whose id is unknown.
   *
   * @param likely submissions that only their answers assign to the run
   */
  checkUndone(run: string, rows: ReadonlyArray<LedgerRow>, editedToo: boolean, likely: ReadonlySet<string>): void {
    this.undoing.set(run, true)
    const byKey = new Map(rows.map((row) => [row.key, row]))
    for (const held of this.held.values()) {
      if (held.run !== run) continue
      const row = byKey.get(held.key)
      const isNamed = row?.state === "inDoubt" || row?.state === "intended"
        || (row?.replaced.includes(held.id) === true && (row.state !== "undone" || !editedToo))
        || (row?.state === "imported" && row.submissionId === undefined)
        // A row in doubt that was resent (`inDoubt: resend`) may be there twice, and the ledger has only one of the ids.
        || row?.resent === true
        || (this.resent.has(held.key) && held.id !== row?.submissionId)
        || likely.has(held.id)
        || (held.id === row?.submissionId && row.verdict !== "verified" && !editedToo)
      if (!isNamed) {
        this.violated("undo deletes what its run created", `submission ${held.id} of row ${held.key} remains`)
      }
    }
  }

  /**
   * Whether an altered submission lacks an answer of its row, or has a different name or number. Every comparison must
   * detect this.
   */
  private differs({ answers, key }: Held): boolean {
    return (this.contents.get(key) ?? []).every((row) =>
      (row.note !== "" && (answers.get("note") ?? null) === null) || answers.get("name") !== row.name
      || (answers.get("mail") ?? null) === null || Number(answers.get("amount") ?? Number.NaN) !== Number(row.amount)
    )
  }
}

const sameAnswers = (a: Held["answers"], b: Held["answers"]): boolean =>
  a.size === b.size && [...a].every(([id, value]) => b.get(id) === value)

/** Returns the address as the mapping sends it, with the domain in lower case. */
const sentMail = ({ mail }: SourceRow): string => mail.replace(/@.*$/, (domain) => domain.toLowerCase())
