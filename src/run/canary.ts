import { Effect } from "effect"
import { acceptCommand } from "../domain/acceptance.ts"
import type { LedgerSession } from "../ledger/Ledger.ts"
import { count } from "./because.ts"
import type { RunContext } from "./RunContext.ts"
import type { Tally } from "./Tally.ts"

/** Returns a digest of what the canary's result depends on: a canary stays failed until one of these changes. */
export const canaryStanding = (
  run: Pick<RunContext, "ledger" | "formFingerprint"> & {
    readonly mapping: Pick<RunContext["mapping"], "fingerprint">
    readonly pipeline: Pick<RunContext["pipeline"], "reconcile">
  },
): string =>
  run.ledger.digest.value({
    mapping: run.mapping.fingerprint,
    form: run.formFingerprint,
    tolerate: run.pipeline.reconcile.tolerate.map((one) => one.id ?? one.name ?? "").sort(),
  }).toString("hex")

/**
 * Whether rows are sent first as a canary: not if a person has accepted that it failed under this mapping, form and `tolerate`. If it failed and nobody has accepted that, the run stops.
 */
export const canaryIsNeeded = (run: RunContext) =>
  Effect.gen(function*() {
    const standing = canaryStanding(run)
    if (yield* run.view.accepted("canary", [standing])) return false
    const before = yield* run.view.canary
    if (before?.state !== "failed" || before.standing !== standing) return true
    yield* run.stop.request({
      _tag: "Protected",
      because: `The canary of an earlier run failed and nothing has changed since: ${before.because} `
        + `Change the mapping, the form or \`tolerate\`. ${acceptance(run)}`,
    })
    return true
  })

const acceptance = ({ pipeline, target }: RunContext): string =>
  `If these results are fine, accept them: ${acceptCommand(pipeline.name, "canary", target)}.`

/** Judges the canary once its rows were sent and read back, and records that (product.md, "A run, step by step"). */
export const judgeCanary = (run: RunContext, session: LedgerSession, tally: Tally, sent: number) =>
  Effect.gen(function*() {
    const verdicts = tally.verdicts(tally.imported)
    const { refused, inDoubt } = tally.fresh
    const faults = [
      ...(verdicts.differing > 0
        ? [count(verdicts.differing, "row came back different", "rows came back different")]
        : []),
      ...(verdicts.missing > 0 ? [count(verdicts.missing, "row can't be read back", "rows can't be read back")] : []),
      ...(refused > 0 ? [count(refused, "row was refused", "rows were refused")] : []),
    ]
    const standing = canaryStanding(run)
    if (faults.length > 0) {
      const because = `Of ${count(sent, "row", "rows")} sent first, ${faults.join(" and ")}.`
      yield* session.canary({ standing, state: "failed", because })
      return yield* run.stop.request({
        _tag: "Protected",
        because: `The canary failed. ${because} Nothing more was sent. ${acceptance(run)}`,
      })
    }
    if (inDoubt > 0) return yield* run.stop.request({ _tag: "CanaryInDoubt" })
    if (verdicts.verified > 0) {
      return yield* session.canary({ standing, state: "passed", because: `${verdicts.verified} rows were verified.` })
    }
    if (!run.stop.requested()) {
      yield* run.stop.request({
        _tag: "Unavailable",
        because: "None of the rows sent first could be read back, so nothing more was sent.",
      })
    }
  })
