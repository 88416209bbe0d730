import { maySkip, type Problem } from "../domain/problem.ts"
import type { Cells } from "../domain/row.ts"
import type { Digester } from "../ledger/Ledger.ts"
import {
  type FoundRow,
  isUnsent,
  type KeylessRow,
  type KnownRow,
  type SameRow,
  type Superseded,
  wasImported,
} from "../ledger/rows.ts"
import { missingKeyProblem } from "../mapping/problems.ts"
import type { RejectedRow } from "../report/csvFiles.ts"
import { CanaryRows } from "./canary.ts"
import { type ChangedRow, ChangedRows } from "./changedRows.ts"
import { idOf, makeContents, type Origin, positionsOf, rowTexts, sentAnswers } from "./content.ts"
import { FateTable, SeenLedgerRows } from "./FateTable.ts"
import { KeyTable, RowHash } from "./KeyTable.ts"
import type { NewRows } from "./NewRows.ts"
import {
  alreadySent,
  changedContent,
  duplicateOf,
  equalsOther,
  mayBeOlder,
  perhapsFixed,
  perhapsReplaced,
  refusedProblem,
  repeatsFixed,
  sameOrigin,
  stillDuplicate,
} from "./rowProblems.ts"
import type { RunPlan } from "./RunContext.ts"
import { UniqueAnswers } from "./UniqueAnswers.ts"
import { isRejectedAs, WaitingRows } from "./WaitingRows.ts"

/** A row of the source, to be classified. */
interface SourceRow {
  readonly row: number
  readonly cells: Cells
  /** The row's key. Undefined if it has none. */
  readonly key: string | undefined
  /** Why the row's cells can't be used. */
  readonly fault: Problem | undefined
  /** The ledger's row with this key. */
  readonly found: FoundRow | undefined
  /** The rejected row that this row replaces. */
  readonly origin: Origin | undefined
  /** Whether the origin was sent, as it was, corrected, or earlier with different content. */
  readonly isSent: boolean
}

export interface ClassifierOptions {
  /** Called with each answer that is dropped from a row that is still sent. */
  readonly dropped?: (row: number, problem: Problem) => void
  /** Called with each row that would be sent. */
  readonly sendable?: ((one: SourceRow, key: string) => void) | undefined
}

/** Collects the rows that a survey rejects. A row that waits for later rows is added once for each fate that it may get. */
const makeRejected = (plan: RunPlan, contents: ReturnType<typeof makeContents>, fates: FateTable) => {
  let rows: Array<RejectedRow> = []
  return {
    add: (
      { cells, key, origin, row }: SourceRow,
      fate: RejectedRow["fate"],
      problems: ReadonlyArray<Problem>,
      needsReview = true,
    ): void => {
      const was = origin
        ?? { key, content: key === undefined ? contents.filled(undefined, cells) : contents.now(cells) }
      rows.push({ id: idOf(was.content), row, key: was.key, fate, problems, cells: rowTexts(cells, plan), needsReview })
    },
    /** Returns the rows that were added since the last call. */
    take: (): ReadonlyArray<RejectedRow> => {
      const taken = rows
      if (taken.length > 0) rows = []
      return taken
    },
    /** Returns a rejected row with its final problems, or undefined if its final fate is different. */
    final: (row: RejectedRow): RejectedRow | undefined => {
      if (!isRejectedAs(fates, row)) return undefined
      if (row.fate !== fates.get(row.row)) {
        return { ...row, fate: "duplicate", problems: [duplicateOf(plan, undefined, false), ...row.problems] }
      }
      if (!row.needsReview || !fates.has(row.row, "repeats")) return row
      const problems = row.key === undefined ? row.problems : [duplicateOf(plan, undefined, true)]
      return { ...row, problems, needsReview: false }
    },
  }
}

/** Checks one row after another, and offers the canary those that may be sent. Its arrays are reused, so that a row allocates nothing. */
const makeChecker = (mapping: RunPlan["mapping"], canary: CanaryRows, onDropped: ClassifierOptions["dropped"]) => {
  const answered = new Uint8Array(mapping.answers.length)
  const dropped: Array<Problem> = []
  return {
    /** Returns the problems of a row, or undefined if it has none. */
    check: (cells: Cells): ReadonlyArray<Problem> | undefined => {
      // Even setting a length of 0 to 0 is a slow call.
      if (dropped.length > 0) dropped.length = 0
      return mapping.check(cells, answered, dropped)
    },
    /** Offers the canary a row that was just checked and may be sent. */
    offer: (row: number): void => {
      for (const problem of dropped) onDropped?.(row, problem)
      canary.offer(row, answered)
    },
  }
}

/**
 * Whether a row in doubt stays in doubt. No policy resends a row that a person skipped, or whose run a person undid, or that would be sent with different answers: the ledger would forget the first ones,
 * so nothing could settle the row.
 */
const staysInDoubt = ({ mapping, pipeline, resendUndone }: RunPlan, found: KnownRow, isSame: boolean): boolean =>
  found.leftOut || pipeline.sink.inDoubt !== "resend" || found.resent
  || (found.doubt?.isUndone === true && !resendUndone)
  || (found.doubt !== undefined && found.doubt.mapping !== mapping.fingerprint)
  || !isSame

/**
 * Gives each row of the source its fate: `classify` as soon as a row is read, or `end` if the fate depends on later rows (`WaitingRows`).
 */
export class Classifier {
  readonly fates = new FateTable()
  readonly seen = new SeenLedgerRows()
  readonly canary: CanaryRows
  readonly contents: ReturnType<typeof makeContents>
  readonly rejected: ReturnType<typeof makeRejected>
  private readonly plan: RunPlan
  private readonly digest: Digester
  private readonly newRows: NewRows | undefined
  private readonly sendable: ClassifierOptions["sendable"]
  private readonly checker: ReturnType<typeof makeChecker>
  private readonly isSentAlike: ReturnType<typeof sentAnswers>
  private readonly uniques: UniqueAnswers
  private readonly keys = new KeyTable()
  private readonly waiting = new WaitingRows()
  private readonly changedRows = new ChangedRows()
  /** The row that is sent for each rejected row of a fixed rejected.csv. */
  private readonly origins = new Map<string, number>()
  /** The current row's key, then its content. Filled by `classify`, so that nothing is allocated for each row. */
  private readonly hash = new RowHash()
  /** The positions of the cells that a row's content consists of. */
  private readonly positions: ReadonlyArray<number>

  /** @param newRows collects the rows that are new, or that are sent like new ones */
  constructor(plan: RunPlan, digest: Digester, newRows: NewRows | undefined, options: ClassifierOptions) {
    const { columns, mapping, pipeline, shape } = plan
    this.plan = plan
    this.digest = digest
    this.newRows = newRows
    this.sendable = options.sendable
    this.canary = new CanaryRows(pipeline.sink.canary, mapping.answers.length)
    this.contents = makeContents(plan, digest)
    this.rejected = makeRejected(plan, this.contents, this.fates)
    this.checker = makeChecker(mapping, this.canary, options.dropped)
    this.isSentAlike = sentAnswers(plan, digest)
    this.uniques = new UniqueAnswers(mapping.uniques)
    this.positions = positionsOf(shape, columns)
  }

  /** Gives a row its fate, or lets it wait. What the ledger knows about the row comes first, then the row's own cells. */
  classify(one: SourceRow): void {
    const { contents, fates, hash, newRows, plan, seen } = this
    const { cells, found, key, row } = one
    if (key === undefined || found?.state === "keyless") {
      return this.classifyKeyless(one, found?.state === "keyless" ? found : undefined)
    }
    hash.key(key)
    if (found?.state === "same") return this.classifySame(one, key, found)
    const isSame = found !== undefined && !isUnsent(found)
      && (contents.same(found, cells) || this.isSentAlike(found, cells))
    // A row that a fixed row replaced had the key of another row, and says nothing about that row.
    const replacedBy = found === undefined || isSame ? [] : contents.replacedBy(found, cells)
    this.markReplaced(replacedBy)
    if (found !== undefined && replacedBy.length === 0) seen.mark(found.id, wasImported(found), isSame)
    const isDoubtful = found !== undefined && (found.state === "inDoubt" || found.state === "intended")
    const isHeld = isDoubtful && staysInDoubt(plan, found, isSame)
    if (!isDoubtful && (found?.leftOut === true || plan.mapping.filtered(cells))) {
      if (found?.leftOut === true) newRows?.skip(key)
      const isFinal = found !== undefined && (found.leftOut || wasImported(found))
      return fates.set(row, "filtered", isFinal ? "final" : undefined)
    }
    hash.content(cells, this.positions)
    const isUndone = found !== undefined
      && ((found.state === "undone" && !plan.resendUndone) || contents.isStillInForm(found, cells)
        || found.earlier.some((before) => this.isSentAlike(before, cells)))
    const isKnown = found !== undefined && (isHeld || found.state === "imported")
    if (isKnown && isSame) return this.setKnown(one, key, isHeld ? "inDoubt" : "alreadyImported")
    if (replacedBy.length > 0) return this.setReplaced(one, replacedBy, found)
    const isStillDuplicate = one.origin?.isDuplicate === true && one.origin.key === key
    if (isUndone && !(isStillDuplicate && !isSame)) return this.setUndone(one)
    if (isStillDuplicate) {
      return this.rejectAs(one, "duplicate", [stillDuplicate(plan), ...(this.checker.check(cells) ?? [])])
    }
    if (found !== undefined && !isSame && one.origin === undefined) {
      const lost = contents.lost(
        found.superseded.flatMap(({ columns, fixed }) => (fixed === found.id ? [] : [columns])),
      )
      if (lost.length > 0) return this.rejectAs(one, "duplicate", [perhapsReplaced(plan, lost)])
    }
    if (isKnown) return this.setChanged(one, key, found, isHeld)
    this.classifyUnsent(one, key, found, isDoubtful)
  }

  /** Decides the waiting rows, after the last row was classified. Returns the first rows that changed. */
  end(): ReadonlyArray<ChangedRow> {
    const { changedRows, fates, keys, seen, waiting } = this
    waiting.decide({ fates, keys, seen })
    return changedRows.of(fates)
  }

  /** Lets a row wait that fixed rows may have replaced. */
  private setReplaced(one: SourceRow, by: ReadonlyArray<Superseded>, found?: KnownRow): void {
    this.waiting.addReplaced(one.row, by, by.some(({ fixed }) => fixed === found?.id) ? this.hash : undefined)
    this.rejected.add(one, "duplicate", [repeatsFixed])
  }

  private markReplaced([by]: ReadonlyArray<Superseded>): void {
    if (by !== undefined) this.seen.mark(by.fixed, !by.isInDoubt)
  }

  /** Classifies a row that has no key, or that is known although its key is not. */
  private classifyKeyless(one: SourceRow, found: KeylessRow | undefined): void {
    const { fates, plan } = this
    const { cells, fault, row } = one
    const replacedBy = found?.replacedBy ?? []
    this.markReplaced(replacedBy)
    if (maySkip(fault) && (plan.mapping.filtered(cells) || found?.leftOut === true)) {
      return fates.set(row, "filtered", replacedBy.length > 0 || found?.leftOut === true ? "final" : undefined)
    }
    if (replacedBy.length > 0) return this.setReplaced({ ...one, key: undefined }, replacedBy)
    const problem = fault ?? missingKeyProblem(plan.pipeline)
    const lost = this.contents.lost(found?.columns ?? [])
    const message = lost.length === 0 ? problem.message : `${problem.message} ${perhapsFixed(lost)}`
    this.rejectAs({ ...one, key: undefined }, "invalid", [{ ...problem, message }])
  }

  /** Classifies a row whose imported content is unchanged in the columns that were mapped when it was sent. */
  private classifySame(one: SourceRow, key: string, found: SameRow): void {
    this.seen.mark(found.id, true, true)
    if (this.plan.mapping.filtered(one.cells)) return this.fates.set(one.row, "filtered", "final")
    // The content is not needed, because `setKnown` doesn't compare the content of a marked key.
    this.hash.noContent()
    this.setKnown(one, key, "alreadyImported")
  }

  /** Classifies a row whose content equals the ledger's, or that repeats such a row. */
  private setKnown(one: SourceRow, key: string, fate: "alreadyImported" | "inDoubt"): void {
    const { hash, keys } = this
    // Identical rows are numbered within a source, so a fixed row can get the number of another row.
    if (this.plan.mapping.keyed === "content" && one.origin !== undefined && !one.isSent) {
      return this.rejectAs(one, "duplicate", [equalsOther])
    }
    const slot = keys.find(hash)
    if (slot >= 0 && keys.isMarked(slot)) return this.setDuplicate(one, keys.number(slot), true)
    keys.markOrAdd(hash, one.row)
    this.uniques.take(one.cells, key, one.row)
    this.fates.set(one.row, fate)
  }

  /** Classifies a row whose submission, or that of the row that replaced it, was deleted. The row's content does not matter. */
  private setUndone(one: SourceRow): void {
    const { hash, keys } = this
    const slot = keys.find(hash)
    if (slot >= 0) return this.setDuplicate(one, keys.number(slot), keys.hasContent(slot, hash))
    keys.add(hash, one.row)
    this.fates.set(one.row, "undone")
  }

  private setDuplicate(
    one: SourceRow,
    of: number,
    hasSameContent: boolean,
    problems: ReadonlyArray<Problem> = [],
  ): void {
    this.fates.set(one.row, "duplicate", hasSameContent ? "repeats" : undefined)
    this.rejected.add(one, "duplicate", [
      duplicateOf(this.plan, of, hasSameContent),
      ...(hasSameContent ? [] : problems),
    ], !hasSameContent)
  }

  /** Classifies a row that was not sent, or that may be resent (`isDoubtful`). */
  private classifyUnsent(one: SourceRow, key: string, found: KnownRow | undefined, isDoubtful: boolean): void {
    const { checker, fates, hash, keys, origins, plan } = this
    const { cells, row } = one
    if (one.isSent && !isDoubtful) return this.rejectAs(one, "changed", [alreadySent(plan)])
    const slot = keys.find(hash)
    const other = slot < 0 ? undefined : keys.number(slot)
    const isTaken = other !== undefined && fates.get(other) !== "invalid"
    const problems = checker.check(cells) ?? (isTaken ? undefined : this.uniques.take(cells, key, row))
    if (problems !== undefined && isDoubtful) return fates.set(row, "inDoubt")
    if (other !== undefined && (isTaken || problems !== undefined)) {
      return this.setDuplicate(one, other, keys.hasContent(slot, hash), problems)
    }
    if (problems !== undefined) {
      keys.add(hash, row)
      return this.rejectAs(one, "invalid", problems)
    }
    const first = one.origin && origins.get(one.origin.name)
    if (first !== undefined) return this.rejectAs(one, "duplicate", [sameOrigin(first)])
    if (one.origin !== undefined) origins.set(one.origin.name, row)
    if (other === undefined) keys.add(hash, row)
    else {
      // The earlier row is invalid, so this one gets the key.
      keys.set(slot, hash, row)
      fates.set(other, "duplicate")
    }
    const refused = found?.state === "refused" ? this.refusalOf(found, cells, key) : undefined
    if (refused !== undefined) return this.rejectAs(one, "refused", [refused])
    // A dry run sends nothing, so it reports a row that was undone and would be sent again as pending.
    const isResent = found?.state === "undone" && plan.mode !== "dry-run"
    fates.set(row, "pending", isDoubtful ? "resends" : isResent ? "undone" : undefined)
    if (!isDoubtful) this.newRows?.add(row, key, cells, (found?.id ?? 0) > 0)
    checker.offer(row)
    this.sendable?.(one, key)
  }

  /** Lets a row wait whose key was sent earlier with different content. */
  private setChanged(one: SourceRow, key: string, found: KnownRow, isHeld: boolean): void {
    const { checker, hash, plan, rejected } = this
    const { onChange } = plan.pipeline.sink
    const { cells, row } = one
    // Requires the id of the earlier submission. Otherwise, that submission could be confused with a new one that is in doubt.
    const isPerhapsOlder = mayBeOlder(plan, one.origin)
    const again = !isHeld && onChange === "import-again" && !isPerhapsOlder && found.submissionId !== undefined
    const problems = checker.check(cells) ?? (again ? this.uniques.take(cells, key, row) : undefined)
    const isValid = problems === undefined
    const refused = again ? this.refusalOf(found, cells, key) : undefined
    const fate = isHeld ? "inDoubt" : !again ? "changed" : refused === undefined ? "pending" : "refused"
    this.waiting.addChanged(row, hash, fate, isValid)
    if (isValid) rejected.add(one, "duplicate", [duplicateOf(plan, undefined, false)])
    else rejected.add(one, "invalid", problems)
    if (fate === "changed") {
      rejected.add(one, "changed", [changedContent(plan, isPerhapsOlder)], onChange !== "ignore")
      const { submissionId } = found
      if (onChange !== "ignore" && submissionId !== undefined) this.changedRows.add({ row, key, cells, submissionId })
    }
    if (refused !== undefined) rejected.add(one, "refused", [refused])
    else if (fate === "pending" && isValid) checker.offer(row)
  }

  /** Returns the service's refusal of exactly the item that would be sent for this row. Undefined if there is none. */
  private refusalOf({ refusal }: KnownRow, cells: Cells, key: string): Problem | undefined {
    const { formFingerprint, mapping, retryRefused } = this.plan
    if (refusal === undefined || retryRefused || refusal.mapping !== mapping.fingerprint) return undefined
    if (refusal.form !== formFingerprint) return undefined
    const mapped = mapping.map(cells, key)
    return "item" in mapped && refusal.item.equals(this.digest.value(mapped.item))
      ? refusedProblem(refusal.message, mapped.item, mapping.answers)
      : undefined
  }

  private rejectAs(one: SourceRow, fate: RejectedRow["fate"], problems: ReadonlyArray<Problem>): void {
    this.fates.set(one.row, fate)
    this.rejected.add(one, fate, problems)
  }
}
