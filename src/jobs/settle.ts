import * as Effect from "effect/Effect"
import { randomInt } from "node:crypto"
import { allWanted, type SettledResult, type SettleResult } from "../domain/settled.ts"
import { anyKeyOf } from "../domain/words.ts"
import type { Waits } from "../ledger/evidence.ts"
import type { LedgerSession, PipelineLedger } from "../ledger/Ledger.ts"
import type { DoubtfulRow } from "../ledger/pages.ts"
import type { Project } from "../project/Project.ts"
import {
  asFile,
  doubtfulRows,
  landedOf,
  type ListContext,
  recordSettled,
  settleFromList,
  undoneNotes,
  waitsOf,
} from "../run/settleFromList.ts"
import type { Settled } from "../sink/settleRows.ts"
import { JobRefused } from "./JobRefused.ts"
import { answersWithoutSource } from "./prepare.ts"
import { newRunId, openRows } from "./projectLedger.ts"
import { can } from "./services.ts"
import { type Export, openExport, settleFromExport } from "./settleFromExport.ts"
import { type OfPipeline, openTarget } from "./target.ts"

/** Which rows in doubt a person settles. */
export type WhichRows =
  | { readonly _tag: "All" }
  | { readonly _tag: "Batch"; readonly batch: number }
  | { readonly _tag: "Rows"; readonly keys: ReadonlyArray<string> }

/**
 * The evidence: an export of the form's results, or a person's statement. `file`: the export's absolute path.
 * `isComplete`: whether a person confirms that the export is complete.
 */
export type SettleEvidence =
  | { readonly _tag: "Export"; readonly file: string; readonly isComplete: boolean }
  | { readonly _tag: "Person"; readonly landed: boolean; readonly which: WhichRows }
  /** The form's list of submissions, if the service can list. Otherwise, only shows the rows in doubt. */
  | { readonly _tag: "List" }
  /** None: only shows the rows in doubt. */
  | { readonly _tag: "Nothing" }

interface SettleOptions extends OfPipeline {
  readonly evidence: SettleEvidence
  /** Who settles the rows. */
  readonly by: string
  readonly because: string | undefined
}

/** Settles rows in doubt from an export of the form's results, from the form's list, or manually. Takes the pipeline's lock. Records who settled the rows, when, why and from which file. */
export const settlePipeline = (project: Project, options: SettleOptions) =>
  Effect.scoped(
    Effect.gen(function*() {
      const place = yield* openRows(project, options)
      if (place === undefined) return nothing(options.pipeline)
      const { pipeline, view } = place
      yield* view.isNewest
      if ((yield* view.counts).inDoubt === 0) return nothing(pipeline.name)
      // Takes the lock only after the export or the service was opened successfully.
      const settle = yield* settling(project, place, options)
      if (settle === undefined) {
        const open = yield* doubtfulRows(view)
        const rows = open.map((row) => shownRow(row, "in doubt", row.reason)).toSorted((a, b) => a.row - b.row)
        // The person may have submitted the test entry in the meantime.
        const testEntry = yield* issuedEntry(open, view, waitsOf(pipeline))
        return { ...nothing(pipeline.name), rows, left: rows.length, testEntry }
      }
      const session = yield* view.hold(yield* newRunId)
      const result = yield* settle(yield* doubtfulRows(view), session)
      return { ...result, left: (yield* view.counts).inDoubt }
    }),
  )

type Place = NonNullable<Effect.Effect.Success<ReturnType<typeof openRows>>>

/** Opens the evidence, and returns how to settle rows with it. Returns undefined if there is none. */
const settling = (project: Project, place: Place, options: SettleOptions) =>
  Effect.gen(function*() {
    const { evidence } = options
    if (evidence._tag === "Person") return byPerson(place, evidence, options)
    if (evidence._tag === "Nothing") return undefined
    if (evidence._tag === "Export") {
      const opened = yield* openExport(place, evidence.file)
      return byExport(place, { opened, isComplete: evidence.isComplete }, options)
    }
    const listed = can(project, place.target.service, "list") ? yield* openList(place) : undefined
    return listed && byList(listed, options)
  })

const nothing = (pipeline: string): SettleResult => ({
  pipeline,
  rows: [],
  landed: 0,
  notLanded: 0,
  left: 0,
  wants: undefined,
  testEntry: undefined,
  file: undefined,
  list: undefined,
  warnings: [],
})

const shownRow = (
  row: DoubtfulRow,
  outcome: SettledResult["outcome"],
  reason: string,
  submissionId?: string,
): SettledResult => ({
  row: row.row,
  key: row.key,
  batch: row.batch,
  sentAt: row.sentAt,
  outcome,
  submissionId,
  reason,
  isUndone: row.isUndone,
})

const byPerson = (
  { ledger: { digest }, view }: Place,
  { landed, which }: SettleEvidence & { readonly _tag: "Person" },
  { because, by, to }: SettleOptions,
) =>
(rows: ReadonlyArray<DoubtfulRow>, session: LedgerSession) =>
  Effect.gen(function*() {
    const named = new Set(which._tag === "Rows" ? which.keys : [])
    const meant = rows.filter((row) =>
      which._tag === "All" || (which._tag === "Batch" ? row.batch === which.batch : named.has(row.key))
    )
    for (const { key } of meant) named.delete(key)
    // An interrupted command may have settled some of the rows.
    const states = landed ? ["imported"] : ["notCreated", "undone"]
    const others = [...named]
    const known = yield* view.lookUp(others.map(digest.key))
    const unknown = others.filter((_, at) => !states.includes(known[at]?.state ?? ""))
    if (meant.length === 0 || unknown.length > 0) {
      const about = which._tag === "Batch"
        ? `of batch ${which.batch} is in doubt; the batches are in the column _batch of in-doubt.csv`
        : which._tag === "Rows"
        ? `with ${
          anyKeyOf(unknown.length > 0 ? unknown : which.keys)
        } is in doubt; the keys are in the column _key of in-doubt.csv`
        : "is in doubt"
      const message = `No row of ${view.pipeline} ${about}. Nothing was settled.`
      return yield* new JobRefused({ code: "NothingSettled", next: ["status", view.pipeline], message })
    }
    const reason = `${by} says so: ${because ?? ""}`
    const outcome = landed ? { _tag: "Landed", submissionId: undefined } as const : { _tag: "NotLanded" } as const
    const settled = meant.map((row): Settled["settled"][number] => ({
      row,
      as: { keyDigest: row.keyDigest, outcome, reason, proof: "person" },
    }))
    const recorded = yield* recordSettled(session, { settled, open: [] }, { by, because, file: undefined })
    return resultOf(view.pipeline, to, recorded)
  })

const byExport = (
  { ledger: { digest }, view }: Place,
  { isComplete, opened }: { readonly opened: Export; readonly isComplete: boolean },
  { because, by, to }: SettleOptions,
) =>
(rows: ReadonlyArray<DoubtfulRow>, session: LedgerSession) =>
  Effect.gen(function*() {
    const settled = yield* settleFromExport(rows, view, digest.key, opened, isComplete)
    const { lacking, sha256, submissions, ...found } = settled
    const file = { name: opened.name, sha256, isComplete }
    const recorded = yield* recordSettled(session, found, { by, because, file })
    const result = resultOf(view.pipeline, to, recorded)
    const waiting = recorded.open.filter(({ wants }) => wants === "a witness").map(({ row }) => row)
    return {
      ...result,
      testEntry: waiting.length === 0 ? undefined : yield* testEntryFor(waiting, view, session, opened),
      file: { ...file, submissions, lacking: lacking.count },
      warnings: [...opened.warnings, ...result.warnings],
    }
  })

const openList = (place: Place) =>
  Effect.gen(function*() {
    const { ledger: { digest }, pipeline, target, view } = place
    const { form: formOf, list } = yield* openTarget(place)
    if (list === undefined) return undefined
    const form = yield* formOf(target.form)
    const answers = answersWithoutSource(pipeline, form)
    return { list, form, pipeline, answers, view, digest: digest.key } satisfies ListContext
  })

const byList =
  (context: ListContext, { because, by, to }: SettleOptions) =>
  (rows: ReadonlyArray<DoubtfulRow>, session: LedgerSession) =>
    Effect.gen(function*() {
      const { lacking, submissions, ...found } = yield* settleFromList(rows, context, 0)
      const recorded = yield* recordSettled(session, found, { by, because, file: asFile({ submissions }) })
      return { ...resultOf(context.pipeline.name, to, recorded), list: { submissions, lacking: lacking.count } }
    })

const resultOf = (pipeline: string, to: string | undefined, { open, settled }: Settled): SettleResult => {
  const landed = landedOf(settled)
  return {
    ...nothing(pipeline),
    rows: [
      ...settled.map(({ as, row }) =>
        as.outcome._tag === "Landed"
          ? shownRow(row, "landed", as.reason, as.outcome.submissionId)
          : shownRow(row, "not landed", as.reason)
      ),
      ...open.map(({ reason, row }) => shownRow(row, "in doubt", reason)),
    ].toSorted((a, b) => a.row - b.row),
    landed,
    notLanded: settled.length - landed,
    warnings: undoneNotes(pipeline, to, settled),
    wants: allWanted.find((one) => open.some(({ wants }) => wants === one)),
  }
}

/**
 * Returns the text of a test entry that shows that an export is recent enough for these rows. Reuses a text that was issued late enough for all of
 * them; otherwise, makes a new one.
 */
const testEntryFor = (
  rows: ReadonlyArray<DoubtfulRow>,
  view: PipelineLedger,
  session: LedgerSession,
  { waits }: Export,
) =>
  Effect.gen(function*() {
    const { testEntries: entries } = yield* view.settlingFacts
    for (const { batch, first } of rows) {
      const { hasClockGoneBack, testEntry } = yield* view.evidence({ first, last: batch }, waits, entries)
      if (testEntry !== undefined && !hasClockGoneBack) continue
      const text = newEntryText()
      yield* session.recordFacts({ testEntry: text })
      return text
    }
    return entries[0]?.text
  })

/** Returns the text of a test entry that was issued late enough for some of these rows. */
const issuedEntry = (rows: ReadonlyArray<DoubtfulRow>, view: PipelineLedger, waits: Waits) =>
  Effect.gen(function*() {
    const { testEntries: entries } = yield* view.settlingFacts
    if (entries.length === 0) return undefined
    for (const { batch, first } of rows) {
      const { hasClockGoneBack, testEntry } = yield* view.evidence({ first, last: batch }, waits, entries)
      if (testEntry !== undefined && !hasClockGoneBack) return testEntry.text
    }
    return undefined
  })

/** The letters and digits that are not easily confused. */
const alphabet = "abcdefghjkmnpqrstuvwxyz23456789"

const newEntryText = (): string =>
  `formferry-${Array.from({ length: 10 }, () => alphabet[randomInt(alphabet.length)] ?? "").join("")}`
