import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import type { Form } from "../domain/form.ts"
import { commandLine } from "../domain/shell.ts"
import type { Submission } from "../domain/submission.ts"
import { count, counted } from "../domain/words.ts"
import type { ComparedAnswer } from "../kinds/submission.ts"
import { type Evidence, noEvidence, type TestEntry, type Waits } from "../ledger/evidence.ts"
import type { Digester, LedgerSession, PipelineLedger } from "../ledger/Ledger.ts"
import type { DoubtfulRow } from "../ledger/pages.ts"
import { originIdsOf, stampIdsOf, stampsOf } from "../mapping/stamps.ts"
import type { Pipeline } from "../project/Pipeline.ts"
import { type FormService, pageRows } from "../service/FormService.ts"
import { listedLikenessOf } from "../sink/likeness.ts"
import { makeSettling, type Settled } from "../sink/settleRows.ts"
import { resendAdvice } from "./ending.ts"
import { knownIn, makeIds } from "./knownSubmissions.ts"
import { showWork, waitShown } from "./Progress.ts"

/** Returns the waiting times. If a row's submission is still absent that long after the row was sent, the row was not created. */
export const waitsOf = ({ reconcile }: Pipeline): Waits => ({
  visibleWithin: Duration.toMillis(reconcile.visibleWithin),
  lateWithin: Duration.toMillis(reconcile.lateWithin),
})

/** Returns a function that returns the ledger's evidence about a row. Rows of the same batches share it. */
export const evidenceOfRows = (
  rows: ReadonlyArray<DoubtfulRow>,
  view: Pick<PipelineLedger, "evidence">,
  waits: Waits,
  entries: ReadonlyArray<TestEntry>,
) =>
  Effect.gen(function*() {
    const found = new Map<string, Evidence>()
    const batchesOf = ({ batch, first }: DoubtfulRow) => `${first} ${batch}`
    for (const row of rows) {
      if (found.has(batchesOf(row))) continue
      found.set(batchesOf(row), yield* view.evidence({ first: row.first, last: row.batch }, waits, entries))
    }
    return (row: DoubtfulRow): Evidence => found.get(batchesOf(row)) ?? noEvidence
  })

/** What is needed to list a form's submissions and to compare them with the ledger. */
export interface ListContext {
  readonly list: NonNullable<FormService["list"]>
  readonly form: Form
  readonly pipeline: Pipeline
  /** The pipeline's answers. Empty if the mapping doesn't compile. */
  readonly answers: ReadonlyArray<ComparedAnswer>
  readonly view: Pick<PipelineLedger, "pages" | "settlingFacts" | "evidence" | "standing">
  readonly digest: Digester["key"]
}

/** The ends from which the form's list is read, one after the other, as often as necessary: a list counts as whole only if the one before it shows the same submissions. */
export const listEnds = ["asc", "desc", "asc"] as const

/** The form's list, read once. */
interface Scan {
  /** The ids of the submissions that the list shows. */
  readonly ids: ReturnType<typeof makeIds>
  /** The number of submissions that are malformed or have no id. */
  readonly malformed: number
  /** Why nothing proves that the list shows every submission of the form. Undefined if it certainly does: see `scanList`. */
  readonly gap: string | undefined
}

/**
 * Reads the form's list of submissions once, from one end to the other, and calls `see` once for each submission.
 *
 * **When a list certainly shows every submission.** Pages are read one after the other. If someone deletes and adds submissions meanwhile, a
 * submission may be skipped although the total stays the same. So a list counts as whole only if all of this is true:
 *
 * 1. Every submission of it can be read, and none occurs twice.
 * 2. The service counts the same total for every page, and the list shows as many submissions.
 * 3. The list that was read before it, from the other end, shows the same submissions.
 *
 * Then each submission that the list shows was already in the form when the list began, since the list before shows it, and a deleted submission does
 * not come back. They are as many as the form had at that moment. So the list shows all that the form had, whatever the order and the size of its
 * pages. Because the two lists start at different ends, a service that cuts its list does not show the same submissions twice.
 */
export const scanList = (
  { form, list }: Pick<ListContext, "form" | "list">,
  sort: "asc" | "desc",
  digest: Digester["key"],
  before: Scan | undefined,
  see: (submission: Submission) => void,
) =>
  Effect.gen(function*() {
    const ids = makeIds(digest)
    let total: number | undefined
    let changed: number | undefined
    let malformed = 0
    let repeated: string | undefined
    let isSame = true
    for (let offset = 0;;) {
      const page = yield* list(form.id, { offset, sort })
      total ??= page.total
      if (page.total !== total) changed = page.total
      malformed += page.malformed
      const known = ids.size
      for (const submission of page.submissions) {
        const id = submission.submissionId
        if (ids.has(id)) {
          repeated = id
          continue
        }
        ids.add(id, 0)
        if (before !== undefined && !before.ids.has(id)) isSame = false
        see(submission)
      }
      const shown = page.submissions.length + page.malformed
      offset += shown
      yield* showWork("list", offset, page.total)
      // A full page may have a successor although the total is reached. A page without anything new would come again and again.
      const isLast = offset >= page.total && (shown < pageRows || offset > page.total)
      if (shown === 0 || isLast || ids.size === known && page.malformed === 0) break
    }
    const gap = changed !== undefined
      ? `the number of submissions changed from ${count(total)} to ${count(changed)} while they were listed`
      : repeated !== undefined
      ? `the form's list shows submission ${repeated} twice`
      : ids.size + malformed !== total
      ? `the form's list shows ${count(ids.size + malformed)} of ${counted(total, "submission")}`
      : before === undefined
      ? "the form's list was read only once, which does not show whether a submission was skipped"
      : !isSame || before.ids.size !== ids.size
      ? "two lists of the form show different submissions"
      : undefined
    return { ids, malformed, gap } satisfies Scan
  })

/** The result of looking for rows in doubt in the form's list. */
export interface SettledFromList extends Settled {
  readonly submissions: number
  readonly lacking: { readonly count: number; readonly example: string | undefined }
}

/**
 * Looks for rows in doubt in the form's list of submissions. Records nothing. The rule is that for an export:
 *
 * - A row has landed if a submission that the ledger does not know fits it, and fits only it. Rows with the same content are interchangeable.
 * - A row has not landed only if nothing fits or resembles it, the list certainly shows every submission of the form (see `scanList`), among them all
 *   that the ledger requires, and it began when the row's submission had to be visible, with no clock set back since the row was sent.
 * - Otherwise it stays in doubt.
 *
 * So one list suffices if it shows the submissions of all rows. If rows are left, the list is read again from the other end, after waiting until their
 * submissions must be visible.
 *
 * @param patience how long to wait at most, in milliseconds
 */
export const settleFromList = (rows: ReadonlyArray<DoubtfulRow>, context: ListContext, patience: number) =>
  Effect.gen(function*() {
    let before: Scan | undefined
    for (let at = 0;; at++) {
      const started = yield* Clock.currentTimeMillis
      const { began, evidenceOf, result, scan } = yield* settleOnce(rows, context, listEnds[at]!, before)
      before = scan
      const early = result.open.filter(({ wants }) => wants === "time")
      const until = Math.max(0, ...early.map(({ row }) => evidenceOf(row).visibleFrom ?? 0))
      const wait = until - began - ((yield* Clock.currentTimeMillis) - started)
      const isSoon = early.length > 0 && wait <= patience
      const isListedAgain = isSoon || result.open.some(({ wants }) => wants === "another list")
      if (at === listEnds.length - 1 || !isListedAgain) return result
      if (isSoon && wait > 0) {
        yield* waitShown(
          "wait",
          wait,
          `the submissions of ${counted(early.length, "row")} in doubt must be visible in the form's list`,
        )
      }
    }
  })

const settleOnce = (
  rows: ReadonlyArray<DoubtfulRow>,
  context: ListContext,
  sort: "asc" | "desc",
  before: Scan | undefined,
) =>
  Effect.gen(function*() {
    const { answers, digest, form, pipeline, view } = context
    const known = yield* knownIn(view, digest)
    const { landedByWord, now: began } = known.facts
    const stamps = stampsOf(pipeline, form)
    const ids = stampIdsOf(stamps)
    const settling = makeSettling(
      rows,
      (item, sentAt) => listedLikenessOf(item, { form, answers, stamps: ids, sentAt }),
      landedByWord,
      // The service may drop an origin that the form lacks.
      { all: ids.origin, unseen: originIdsOf(stamps.filter(({ declared }) => !declared)) },
    )
    // The list counts as a test entry that was issued when the list began: after every batch so far.
    const asEntry = { text: "", at: began, after: Number.MAX_SAFE_INTEGER }
    const evidenceOf = yield* evidenceOfRows(rows, view, waitsOf(pipeline), [asEntry])
    const scan = yield* scanList(context, sort, digest, before, (submission) => {
      settling.offer(submission.submissionId, submission, known.see(submission.submissionId))
    })
    const lacking = yield* known.lacking
    const settled = settling.decide({
      _tag: "List",
      lacking,
      unreadable: scan.malformed,
      gap: scan.gap,
      submissions: scan.ids.size,
      evidenceOf,
      now: began,
    })
    const result: SettledFromList = { ...settled, lacking, submissions: scan.ids.size }
    return { began, evidenceOf, result, scan }
  })

/** Records the settled rows. A row whose submission another pipeline recorded meanwhile stays in doubt. Returns what was recorded. */
export const recordSettled = (
  session: LedgerSession,
  { open, settled }: Settled,
  evidence: Omit<Parameters<LedgerSession["settleDoubts"]>[0], "rows">,
) =>
  Effect.map(session.settleDoubts({ ...evidence, rows: settled.map(({ as }) => as) }), (taken): Settled => {
    const lost = settled.filter(({ as: { outcome } }) =>
      outcome._tag === "Landed" && taken.has(outcome.submissionId ?? "")
    )
    return {
      settled: settled.filter((one) => !lost.includes(one)),
      open: [
        ...open,
        ...lost.map(({ row }): Settled["open"][number] => ({
          row,
          reason: "the submission that fits it was recorded for a different row meanwhile",
          wants: "another list",
        })),
      ],
    }
  })

/** Returns all rows in doubt of a pipeline. */
export const doubtfulRows = (view: Pick<PipelineLedger, "pages">) =>
  Effect.map(Stream.runCollect(view.pages("doubtful", {})), (pages) => Array.from(pages).flat())

const hasLanded = ({ as }: Settled["settled"][number]): boolean => as.outcome._tag === "Landed"

/** Returns the number of settled rows that landed. */
export const landedOf = (settled: Settled["settled"]): number => settled.filter(hasLanded).length

/** Returns sentences about settled rows whose runs a person undid: those that landed can be deleted, the others are undone. */
export const undoneNotes = (
  pipeline: string,
  to: string | undefined,
  settled: Settled["settled"],
): ReadonlyArray<string> => {
  const undone = settled.filter(({ row }) => row.isUndone)
  const landed = undone.filter(hasLanded)
  const others = undone.length - landed.length
  return [
    ...[...new Set(landed.map(({ row }) => row.run))].map((run) => {
      const count = landed.filter(({ row }) => row.run === run).length
      const command = commandLine(["undo", pipeline], { "--run": run, "--to": to })
      return `${counted(count, "row")} of run ${run}, which a person undid, ${count === 1 ? "has" : "have"} landed. `
        + `To delete ${count === 1 ? "its submission" : "their submissions"}, run: ${command}`
    }),
    ...(others === 0 ? [] : [
      `${others} of these rows ${others === 1 ? "is" : "are"} undone, because a person undid the run that sent ${
        others === 1 ? "it" : "them"
      }. ${resendAdvice(others)}`,
    ]),
  ]
}

/** Returns what is recorded as the file that was the evidence. */
export const asFile = ({ submissions }: Pick<SettledFromList, "submissions">) => ({
  name: `the form's list (${counted(submissions, "submission")})`,
  sha256: "",
  isComplete: false,
})
