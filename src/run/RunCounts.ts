import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type { AnswerComparison, AnswerVerdict } from "../domain/comparison.ts"
import { type Verdict, type VerdictCounts, verdicts } from "../domain/fate.ts"
import { eachAnswered, type Item } from "../domain/item.ts"
import { cut, type Problem } from "../domain/problem.ts"
import type { Phase } from "../domain/progress.ts"
import type { Difference, ProblemGroup, Replacement, RunReport } from "../domain/report.ts"
import { DifferenceGroups } from "../report/DifferenceGroups.ts"
import type { FateTable } from "./FateTable.ts"
import { Samples } from "./Samples.ts"

/** The maximum number of examples for each group of problems. */
const examples = 5
/** The maximum numbers of differences and replacements in report.json. All of them are in differences.csv and replaced.csv. */
const shownDifferences = 1_000

interface MutableGroup extends Omit<ProblemGroup, "count" | "examples"> {
  count: number
  readonly examples: Array<ProblemGroup["examples"][number]>
}

type Verdicts = { [V in AnswerVerdict]?: number }

interface Answered {
  answered: number
  readonly verdicts: Verdicts
}

/** Counts of the run in progress. */
export class RunCounts extends Context.Tag("formferry/RunCounts")<RunCounts, Counts>() {
  /** Makes counts that start at zero, and starts the first phase. */
  static readonly make = (phase: Phase) => Effect.map(Clock.currentTimeMillis, (at) => new Counts(phase, at))

  /** Starts the next phase of the run. */
  static readonly start = (phase: Phase) =>
    Effect.map(Effect.all([RunCounts, Clock.currentTimeMillis]), ([counts, at]) => counts.start(phase, at))
}

/** The counts of a run. Memory is bounded, whatever the number of rows. */
export class Counts {
  phase: Phase
  /** The number of rows that this phase has processed. */
  read = 0
  /** The number of all rows of this phase, if known. */
  total: number | undefined = undefined
  sent = 0
  imported = 0
  /** The fates of the survey's rows. Undefined before the survey. */
  fates: FateTable | undefined = undefined
  /** How many of this run's rows are in doubt, were refused, or came back different. The limits of `stopWhen` apply to these. */
  readonly fresh = { inDoubt: 0, refused: 0, differing: 0 }
  /** The verdicts of submissions that earlier runs created and this run read back. */
  readonly earlier = { verified: 0, differing: 0, missing: 0 }
  /** The rows, by their numbers in the ledger, whose submissions were verified by an earlier run and can't be read now. */
  readonly unreadable = new Set<number>()
  private readonly groups = new Map<string, MutableGroup>()
  private readonly byVerdict = new Map<Verdict, number>()
  private readonly answers = new Map<string, Answered>()
  private readonly discardedTypes = new Map<string, number>()
  readonly differences: Array<Difference> = []
  readonly findings = new DifferenceGroups()
  readonly replacements: { count: number; readonly examples: Array<Replacement> } = { count: 0, examples: [] }

  /** The phases so far, and the start of each in milliseconds since 1970. */
  private readonly started: Array<{ readonly phase: Phase; readonly at: number }>
  readonly samples = new Samples()

  constructor(phase: Phase, at: number) {
    this.phase = phase
    this.started = [{ phase, at }]
  }

  start(phase: Phase, at: number): void {
    this.phase = phase
    this.read = 0
    this.total = undefined
    this.started.push({ phase, at })
  }

  /**
   * Returns the duration of each phase. Their sum is the time from `startedAt` to `finishedAt`.
   *
   * @param startedAt the start of the run, in milliseconds since 1970
   */
  phases(startedAt: number, finishedAt: number): RunReport["phases"] {
    // The report can't include the time of writing it.
    const shown = this.started.filter(({ phase }) => phase !== "report")
    let from = startedAt
    return shown.map(({ phase }, index) => {
      const to = Math.min(Math.max(from, shown[index + 1]?.at ?? finishedAt), Math.max(startedAt, finishedAt))
      const millis = to - from
      from = to
      return { phase, millis }
    })
  }

  problem(row: number, { code, column, dropped, message, question, value }: Problem): void {
    // Problems are grouped by code, column and question. Refusals are also grouped by message.
    const id = JSON.stringify([code, column, question, code === "refused" ? message : "", dropped === true])
    const group = this.groups.get(id)
      ?? { code, column, question, dropped: dropped === true ? true : undefined, count: 0, examples: [] }
    this.groups.set(id, group)
    group.count++
    if (group.examples.length < examples) {
      group.examples.push({ row, value: value === undefined ? undefined : cut(value), message })
    }
  }

  sentItem(item: Item): void {
    this.sent++
    eachAnswered(item, this.countAnswered)
  }

  /** @param rows the number of rows with this verdict */
  readBack(verdict: Exclude<Verdict, "unread">, rows = 1): void {
    this.byVerdict.set(verdict, (this.byVerdict.get(verdict) ?? 0) + rows)
    if (verdict !== "verified") this.fresh.differing += rows
  }

  /** @param of the submission that the answers belong to */
  compared(
    comparisons: ReadonlyArray<AnswerComparison>,
    of: { readonly row: number; readonly submissionId: string },
  ): void {
    this.samples.compared(of.row, comparisons)
    for (const one of comparisons) {
      if (one.verdict === "equivalent") this.findings.normalised(one, of)
      this.count(one.question, one.verdict)
    }
  }

  difference(difference: Difference): void {
    this.findings.add(difference)
    if (this.differences.length < shownDifferences) this.differences.push(difference)
  }

  replaced(replacement: Replacement): void {
    this.replacements.count++
    if (this.replacements.examples.length < shownDifferences) this.replacements.examples.push(replacement)
  }

  discard(types: ReadonlyArray<string>): void {
    for (const type of types) this.discardedTypes.set(type, (this.discardedTypes.get(type) ?? 0) + 1)
  }

  /** Returns the verdicts of the rows that this run imported. Rows without a verdict are unread. */
  verdicts(imported: number): VerdictCounts {
    const counts = Object.fromEntries(verdicts.map((one) => [one, this.byVerdict.get(one) ?? 0])) as Record<
      Verdict,
      number
    >
    return { ...counts, unread: imported - counts.verified - counts.differing - counts.missing }
  }

  get problems(): ReadonlyArray<ProblemGroup> {
    return [...this.groups.values()].sort((a, b) => b.count - a.count)
  }

  get discarded(): RunReport["discarded"] {
    return [...this.discardedTypes].map(([type, count]) => ({ type, count })).sort((a, b) => b.count - a.count)
  }

  question(id: string): { readonly answered: number; readonly verdicts: Readonly<Verdicts> } {
    const one = this.answer(id)
    return { answered: one.answered, verdicts: { ...one.verdicts } }
  }

  private readonly countAnswered = (id: string): void => {
    this.answer(id).answered++
  }

  private count(id: string, verdict: AnswerVerdict): void {
    const { verdicts } = this.answer(id)
    verdicts[verdict] = (verdicts[verdict] ?? 0) + 1
  }

  private answer(id: string) {
    const known = this.answers.get(id)
    if (known !== undefined) return known
    const fresh: Answered = { answered: 0, verdicts: {} }
    this.answers.set(id, fresh)
    return fresh
  }
}
