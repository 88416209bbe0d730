import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import { hash } from "node:crypto"
import { lasting } from "../domain/times.ts"
import type { LedgerError } from "../ledger/errors.ts"
import type { ConfigurationInvalid } from "../project/errors.ts"
import type { Pipeline } from "../project/Pipeline.ts"
import type { Pull } from "../project/pull.ts"
import { isPull } from "../project/sourceSection.ts"
import { version } from "../project/version.ts"
import type { PullFrom } from "../source/pull/since.ts"
import { knownForm, type MaybeLedger, viewOf } from "./projectLedger.ts"
import type { PipelineTarget } from "./target.ts"

/** Which records a job pulls: those that the next run pulls, or all, and why. */
export type Pulls = "next" | { readonly all: string | undefined }

/**
 * Returns which records to pull for a pipeline at a target. Returns all of them if the ledger has no mark, if
 * the mark is from a different selection, or if the last pull of all records was too long ago. Returns undefined if the pipeline has no `since`.
 */
export const pullFrom = (
  at: PipelineTarget,
  openLedger: MaybeLedger,
  pulls: Pulls,
): Effect.Effect<PullFrom | undefined, LedgerError | ConfigurationInvalid> =>
  Effect.gen(function*() {
    const { pipeline, project, target } = at
    const { file: pull } = pipeline.source
    if (!isPull(pull) || pull.since === undefined) return undefined
    const selection = selectionOf(pipeline, pull)
    const all = (because?: string): PullFrom => ({ mark: undefined, members: [], columns: [], selection, because })
    if (pulls !== "next") return all(pulls.all)
    // If the ledger can't be used, the run reports that later.
    const ledger = yield* Effect.catchTag(openLedger, "LedgerRefused", () => Effect.succeed(undefined))
    const form = ledger && (yield* knownForm(project, ledger, target))
    if (ledger === undefined || form === undefined) return all()
    const { pulled } = yield* viewOf(at, ledger, form).facts
    if (pulled === undefined) return all()
    if (pulled.selection !== selection) {
      return all("the pipeline or its connection was edited, or formferry was updated")
    }
    const { allAt, columns, mark, members } = pulled
    const now = yield* Clock.currentTimeMillis
    if (now < allAt || now < mark) return all("this machine's clock was set back")
    const fullEvery = Duration.toMillis(pull.since.fullEvery)
    if (now - allAt >= fullEvery) return all(`every ${lasting(fullEvery)}`)
    return { mark, members, columns, selection }
  })

/** Returns a digest of everything that decides which records are pulled, and what happens to their rows. */
const selectionOf = ({ mapping, sink, source }: Pipeline, { account, ...pull }: Pull): string => {
  const all = {
    version,
    base: account?.base,
    secrets: account?.places,
    pull,
    source: { ...source, file: undefined },
    mapping,
    sink,
  }
  const text = JSON.stringify(
    all,
    (_, value: unknown) => value instanceof Map || value instanceof Set ? [...value] : value,
  )
  return hash("sha256", text)
}
