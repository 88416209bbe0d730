import { Effect } from "effect"
import type { LedgerSession } from "../ledger/Ledger.ts"
import type { RunContext } from "./RunContext.ts"
import type { Tally } from "./Tally.ts"

/** What the canary's result depends on: it stays failed until one of these changed. */
const canaryStanding = (run: RunContext): string =>
  run.ledger.digest.value({
    mapping: run.mapping.fingerprint,
    form: run.formFingerprint,
    tolerate: run.pipeline.reconcile.tolerate.map((one) => one.id ?? one.name ?? "").sort(),
  }).toString("hex")

/**
 * Whether this run may send anything: a canary that failed under the same mapping, form and `tolerate` still stands, unless a person accepts it.
 */
export const canaryAllows = (run: RunContext) =>
  Effect.gen(function*() {
    const before = yield* run.view.canary
    if (before?.state !== "failed" || before.standing !== canaryStanding(run) || run.acceptCanary) return
    yield* run.stop.request({
      _tag: "Protected",
      because: `The canary of an earlier run failed and nothing has changed since: ${before.because} `
        + "Change the mapping, the form or `tolerate`, or accept it with --accept-canary.",
    })
  })

/** Judges the canary once its rows were sent and read back, and records that (product.md, "A run, step by step"). */
export const judgeCanary = (run: RunContext, session: LedgerSession, tally: Tally, sent: number) =>
  Effect.gen(function*() {
    const verdicts = tally.verdicts(tally.imported)
    const { refused, inDoubt } = tally.fresh
    const faults = [
      ...(verdicts.differing > 0 ? [`${verdicts.differing} came back different`] : []),
      ...(verdicts.missing > 0 ? [`${verdicts.missing} can't be read back`] : []),
      ...(refused > 0 ? [`${refused} were refused`] : []),
    ]
    const standing = canaryStanding(run)
    if (faults.length > 0 && !run.acceptCanary) {
      const because = `Of ${sent} rows sent first, ${faults.join(" and ")}.`
      yield* session.canary({ standing, state: "failed", because })
      return yield* run.stop.request({
        _tag: "Protected",
        because: `The canary failed. ${because} Nothing more was sent.`,
      })
    }
    if (inDoubt > 0) return yield* run.stop.request({ _tag: "CanaryInDoubt" })
    if (verdicts.verified > 0 || run.acceptCanary) {
      return yield* session.canary({ standing, state: "passed", because: `${verdicts.verified} rows were verified.` })
    }
    if (!run.stop.requested()) {
      yield* run.stop.request({
        _tag: "Unavailable",
        because: "None of the rows sent first could be read back, so nothing more was sent.",
      })
    }
  })
