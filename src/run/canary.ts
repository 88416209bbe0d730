import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { acceptCommand } from "../domain/acceptance.ts"
import { counted, listed, present } from "../domain/words.ts"
import type { CanaryRecord } from "../ledger/facts.ts"
import type { Ledger } from "../ledger/Ledger.ts"
import { CurrentRun, RunLedger, type RunPlan } from "./RunContext.ts"
import { RunCounts } from "./RunCounts.ts"
import { Stop } from "./Stop.ts"

interface Candidate {
  readonly row: number
  /** Indexes of the answers that the row has. */
  readonly answers: ReadonlyArray<number>
}

/**
 * Chooses a run's first rows so that together they cover every question that any row answers. For each answer of the mapping, remembers the row with the most answers among those that have it. Memory
 * therefore grows with the number of questions, not of rows.
 */
export class CanaryRows {
  private readonly fullest: Array<Candidate | undefined>
  /** The number of answers of each remembered row, in a separate array because every offered row is compared with them. */
  private readonly counts: Uint32Array
  /** The least of `counts`. A row with no more answers than this is not remembered. */
  private least = 0
  private readonly first: Array<number> = []
  private readonly size: number

  /**
   * @param size the maximum number of rows; 0: no canary
   * @param answers the number of answers in the mapping
   */
  constructor(size: number, answers: number) {
    this.size = size
    this.fullest = new Array<Candidate | undefined>(size === 0 ? 0 : answers).fill(undefined)
    this.counts = new Uint32Array(this.fullest.length)
  }

  /** @param answered 1 for each answer of the mapping that the row has, otherwise 0 */
  offer(row: number, answered: Uint8Array): void {
    if (this.first.length < this.size) this.first.push(row)
    let count = 0
    for (let index = 0; index < answered.length; index++) count += answered[index]!
    if (count <= this.least) return
    let candidate: Candidate | undefined
    for (let index = 0; index < this.counts.length; index++) {
      if (answered[index] === 0 || this.counts[index]! >= count) continue
      candidate ??= { row, answers: [...answered.keys()].filter((at) => answered[at] === 1) }
      this.fullest[index] = candidate
      this.counts[index] = count
    }
    if (candidate !== undefined) this.least = Math.min(...this.counts)
  }

  /**
   * Chooses the rows that together cover the most questions, then fills up with the source's first rows. Returns their
   * numbers in ascending order.
   *
   * @param isSent whether an offered row is really sent
   */
  choose(limit: number, isSent: (row: number) => boolean): ReadonlyArray<number> {
    const most = Math.min(this.size, limit)
    const fullest = this.fullest.map((one) => (one !== undefined && isSent(one.row) ? one : undefined))
    const candidates = new Set(fullest.flatMap((one) => one ?? []))
    const open = new Set(fullest.flatMap((one, index) => (one === undefined ? [] : [index])))
    const chosen = new Set<number>()
    while (open.size > 0 && chosen.size < most) {
      let best: Candidate | undefined
      let gain = 0
      for (const candidate of candidates) {
        const news = candidate.answers.filter((index) => open.has(index)).length
        if (news <= gain) continue
        best = candidate
        gain = news
      }
      if (best === undefined) break
      chosen.add(best.row)
      for (const index of best.answers) open.delete(index)
    }
    for (const row of this.first) if (chosen.size < most && isSent(row)) chosen.add(row)
    return [...chosen].sort((a, b) => a - b)
  }
}

/** Returns a digest of everything that the canary's result depends on. A failed canary counts as failed until the digest changes. */
export const canaryBasis = (
  run: {
    readonly formFingerprint: string
    readonly mapping: Pick<RunPlan["mapping"], "fingerprint">
    readonly pipeline: Pick<RunPlan["pipeline"], "reconcile">
  },
  { digest }: Pick<Ledger, "digest">,
): string =>
  digest.value({
    mapping: run.mapping.fingerprint,
    form: run.formFingerprint,
    tolerate: run.pipeline.reconcile.tolerate.map((one) => one.id ?? one.name ?? "").sort(),
  }).toString("hex")

/**
 * Returns the number of rows to send first: none if a person has accepted the failure of a canary under this mapping,
 * form and `tolerate`. If such a canary failed and its failure is not accepted, stops the run. If a run ended before it
 * evaluated its canary, the canary counts as failed if rows came back different or are missing.
 */
export const canarySize = Effect.gen(function*() {
  const plan = yield* CurrentRun
  const { ledger, view } = yield* RunLedger
  const basis = canaryBasis(plan, ledger)
  if (yield* view.accepted("canary", [basis])) return 0
  const { canary: before } = yield* view.facts
  if (before?.standing === basis) {
    const because = before.state === "failed"
      ? before.because
      : before.state === "sent"
      ? yield* faultsOf(before.run)
      : undefined
    if (because !== undefined) {
      if (before.state === "sent") yield* recordResult({ standing: basis, state: "failed", because })
      yield* (yield* Stop).request({
        _tag: "Protected",
        because: `The canary of an earlier run failed and nothing has changed since: ${because} `
          + `Change the mapping, the form or \`tolerate\`. ${acceptance(plan)}`,
      })
      return 0
    }
  }
  return plan.pipeline.sink.canary
})

const recordResult = (canary: CanaryRecord) => RunLedger.write((session) => session.recordFacts({ canary }))

/** Records that this run sends a canary, so that a later run knows about it even if this run ends before evaluating it. */
export const recordCanary = Effect.gen(function*() {
  const plan = yield* CurrentRun
  const { ledger } = yield* RunLedger
  yield* recordResult({ standing: canaryBasis(plan, ledger), state: "sent", run: plan.id })
})

/** Returns a sentence about the rows of a run that came back different or are missing. Undefined if there are none. */
const faultsOf = (run: string) =>
  Effect.gen(function*() {
    const { view } = yield* RunLedger
    const found = { differing: 0, missing: 0, refused: 0 }
    yield* Stream.runForEach(
      view.pages("imported", { run, verdicts: ["differing", "missing"] }),
      (rows) =>
        Effect.sync(() => {
          for (const { verdict } of rows) if (verdict === "differing" || verdict === "missing") found[verdict]++
        }),
    )
    return sentenceOf(found)
  })

const sentenceOf = (
  { differing, missing, refused }: { readonly differing: number; readonly missing: number; readonly refused: number },
): string | undefined => {
  const faults = present([
    differing > 0 && counted(differing, "row came back different", "rows came back different"),
    missing > 0 && counted(missing, "row can't be read back", "rows can't be read back"),
    refused > 0 && counted(refused, "row was refused", "rows were refused"),
  ])
  return faults.length === 0 ? undefined : `Of the rows sent first, ${listed(faults)}.`
}

const acceptance = ({ pipeline, projectOption, target }: RunPlan): string =>
  `If these results are correct, accept them: ${acceptCommand(pipeline.name, "canary", target, projectOption)}.`

/** Evaluates the canary after its rows were sent and read back, and records the result. */
export const evaluateCanary = Effect.gen(function*() {
  const plan = yield* CurrentRun
  const { ledger } = yield* RunLedger
  const stop = yield* Stop
  const counts = yield* RunCounts
  const { differing, missing, verified } = counts.verdicts(counts.imported)
  const { inDoubt, refused } = counts.fresh
  const basis = canaryBasis(plan, ledger)
  const because = sentenceOf({ differing, missing, refused })
  if (because !== undefined) {
    yield* recordResult({ standing: basis, state: "failed", because })
    return yield* stop.request({
      _tag: "Protected",
      because: `The canary failed. ${because} Nothing more was sent. ${acceptance(plan)}`,
    })
  }
  if (inDoubt > 0) return yield* stop.request({ _tag: "CanaryInDoubt" })
  if (verified > 0 && verified === counts.imported) return yield* recordResult({ standing: basis, state: "passed" })
  // Some submissions are still unread. The next run reads them first.
  if (verified > 0) return
  if (!stop.requested()) {
    yield* stop.request({
      _tag: "Unavailable",
      because: "No row of the canary could be read back, so nothing more was sent.",
    })
  }
})
