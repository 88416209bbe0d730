import * as Path from "@effect/platform/Path"
import * as Clock from "effect/Clock"
import * as DateTime from "effect/DateTime"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import { cellText } from "../domain/cell.ts"
import type { Form } from "../domain/form.ts"
import { withoutParameters } from "../domain/item.ts"
import { brief } from "../domain/problem.ts"
import type { Cells, RowChunk } from "../domain/row.ts"
import { type Evidence, noEvidence, type TestEntry, type Waits } from "../ledger/evidence.ts"
import type { LedgerError, PipelineLedger } from "../ledger/Ledger.ts"
import type { DoubtfulRow, KnownSubmission } from "../ledger/pages.ts"
import { originOf, stampsOf } from "../mapping/stamps.ts"
import type { Pipeline } from "../project/Pipeline.ts"
import type { Project } from "../project/Project.ts"
import { KeyTable, RowHash } from "../run/KeyTable.ts"
import { showWork } from "../run/Progress.ts"
import { type AnswerKind, likenessOf, type ResultsColumns, resultsColumns, type StampIds } from "../sink/settleFit.ts"
import { ExportOrder, makeSettling, Numbers } from "../sink/settleRows.ts"
import { eachChunk } from "../source/chunks.ts"
import { asFound, openSource } from "../source/openSource.ts"
import type { Source } from "../source/Source.ts"
import { compileWithoutSource } from "./prepare.ts"
import { openTarget, type Target } from "./target.ts"

/** The file is not an export of the form's results (exit code 2). */
export class ExportUnusable extends Schema.TaggedError<ExportUnusable>()("ExportUnusable", {
  file: Schema.String,
  message: Schema.String,
}) {}

/** An open export of a form's results. */
export interface Export {
  /** The file's name without its folders. */
  readonly name: string
  readonly file: string
  readonly source: Source
  readonly form: Form
  readonly columns: ResultsColumns
  /** The kinds of the pipeline's answers. Empty if the mapping doesn't compile. */
  readonly kinds: ReadonlyArray<AnswerKind>
  readonly stamps: StampIds
  /** Whether the pipeline sends submission times. */
  readonly hasTimes: boolean
  readonly waits: Waits
  readonly warnings: ReadonlyArray<string>
}

/** Opens an export of the results of the target's form. Fetches the form to get the names of its questions. */
export const openExport = (
  project: Project,
  pipeline: Pipeline,
  target: Target,
  file: string,
) =>
  Effect.gen(function*() {
    const path = yield* Path.Path
    const name = path.basename(file)
    const source = yield* openSource(asFound(file))
    const opened = yield* openTarget(project, pipeline, target)
    const form = yield* opened.service.form(target.form)
    const meta = source.tool?.meta ?? []
    const titles: Array<string> = []
    for (const column of source.columns) titles[column.position] = column.title
    const header = {
      titles: Array.from(titles, (title) => title ?? ""),
      own: new Set(meta.map(({ position }) => position)),
      id: meta.find(({ role }) => role === "id")?.position,
    }
    const stamps = stampsOf(pipeline, form)
    const undeclared = stamps.flatMap(({ declared, id }) => declared ? [] : [id])
    const columns = resultsColumns(header, form, undeclared)
    if (columns === undefined) {
      return yield* new ExportUnusable({
        file,
        message:
          `${name} has no column of submission ids ("Submission ID"), so submissions that are already in the ledger can't be excluded. Nothing was settled. Export the form's results from the form editor with that column.`,
      })
    }
    if (columns.elements.size === 0) {
      return yield* new ExportUnusable({
        file,
        message: `No column of ${name} is named after a question of the form "${
          brief(form.name)
        }". Is the file an export of a different form? The form's questions are: ${
          form.questions.slice(0, 8).map((question) => brief(question.name)).join(", ")
        }${form.questions.length > 8 ? ", …" : ""}.`,
      })
    }
    const compiled = compileWithoutSource(pipeline, form)
    const made: Export = {
      name,
      file,
      source,
      form,
      columns,
      // If the mapping no longer fits the form, the kinds are inferred from the types of the questions.
      kinds: Either.isRight(compiled) ? compiled.right.mapping.answers : [],
      stamps: { rowKey: stamps.find(({ carries }) => carries === "urlParameter")?.id, origin: originOf(stamps) },
      hasTimes: pipeline.mapping.submissionTime !== undefined,
      waits: waitsOf(pipeline),
      warnings: source.warnings,
    }
    return made
  })

/** Returns the waiting times. If a row's submission is still absent that long after the row was sent, the row was not created. */
export const waitsOf = ({ reconcile }: Pipeline): Waits => ({
  visibleWithin: Duration.toMillis(reconcile.visibleWithin),
  lateWithin: Duration.toMillis(reconcile.lateWithin),
})

/** The number of submissions that are read from the ledger at a time. */
const submissionsAtOnce = 10_000

const shown = (millis: number): string => DateTime.formatIso(DateTime.unsafeMake(millis))

type View = Pick<PipelineLedger, "pages" | "settlingFacts" | "evidence" | "standing">

/**
 * Looks for the rows in doubt among the export's submissions that the ledger lacks. Records nothing.
 *
 * @param isComplete whether a person vouches that the export is complete
 */
export const settleFromExport = (
  rows: ReadonlyArray<DoubtfulRow>,
  view: View,
  digest: (id: string) => Buffer,
  { columns, form, hasTimes, kinds, source, stamps, waits }: Export,
  isComplete: boolean,
) =>
  Effect.gen(function*() {
    const { landedByWord, looseIds, testEntries: entries } = yield* view.settlingFacts
    const { imported } = yield* view.standing
    const known = yield* knownIn(view, looseIds, digest, hasTimes, imported)
    const entered = new Set<TestEntry>()
    // A row that was resent may have landed from either run, as may a row that a person settled. An origin that the export lacks distinguishes no rows.
    const notShown = new Set([...stamps.origin].filter((id) => !columns.elements.has(`urlParameters ${id}`)))
    const settling = makeSettling(
      rows.map((row) =>
        row.item === undefined
          ? row
          : { ...row, item: withoutParameters(row.item, row.resent ? stamps.origin : notShown) }
      ),
      (item) => likenessOf(item, { form, columns, kinds, stamps }),
      landedByWord.map((item) => withoutParameters(item, stamps.origin)),
    )
    const entryIn = (cells: Cells): TestEntry | undefined =>
      entries.find(({ text }) => cells.some((cell) => cellText(cell).toLowerCase().includes(text)))
    let submissions = 0
    let unreadable = 0
    const readChunk = (chunk: RowChunk) =>
      Effect.suspend(() => {
        chunk.rows.forEach((raw, index) => {
          const cells = source.tool?.clean(raw) ?? raw
          const id = cellText(cells[columns.id]).trim()
          if (chunk.faults.has(index) || id === "") {
            unreadable++
            return
          }
          submissions++
          if (known.see(id)) return
          const entry = entries.length === 0 ? undefined : entryIn(cells)
          if (entry === undefined) settling.offer(id, cells)
          else {
            entered.add(entry)
            known.seeEntry(entry)
          }
        })
        // A complete export has at least as many submissions as were imported, so the number of imported rows is shown as the total until it is reached.
        return showWork("results", submissions, submissions < imported ? imported : undefined)
      })
    yield* eachChunk(source.read(), readChunk)
    const files = yield* source.files
    const lacking = yield* known.lacking
    const found = new Map<string, Evidence>()
    const batchesOf = ({ batch, first }: DoubtfulRow) => `${first} ${batch}`
    for (const row of rows) {
      if (found.has(batchesOf(row))) continue
      const batches = { first: row.first, last: row.batch }
      found.set(batchesOf(row), yield* view.evidence(batches, waits, [...entered]))
    }
    const settled = settling.decide({
      lacking,
      unreadable,
      isInOrder: known.isInOrder(),
      isComplete,
      evidenceOf: (row) => found.get(batchesOf(row)) ?? noEvidence,
      times: known.times,
      now: yield* Clock.currentTimeMillis,
      shown,
    })
    return { ...settled, lacking, submissions, sha256: files[0]?.file.sha256 ?? "" }
  })

/** Returns an empty set of ids. The set takes 32 bytes for each id, including the id's batch and whether the id was seen. */
const makeIds = (digest: (id: string) => Buffer) => {
  const table = new KeyTable()
  const hash = new RowHash()
  const slotOf = (id: string): number => {
    hash.digest(digest(id))
    return table.find(hash)
  }
  return {
    /** Adds an id unless the set contains it. Returns its slot. */
    add: (id: string, batch: number): number => {
      const slot = slotOf(id)
      return slot < 0 ? table.add(hash, batch) : slot
    },
    /** Marks an id as seen. Returns its slot, or -1 if the set lacks it. */
    see: (id: string): number => {
      const slot = slotOf(id)
      if (slot >= 0) table.match(slot)
      return slot
    },
    seen: (id: string): boolean => {
      const slot = slotOf(id)
      return slot >= 0 && table.matched(slot)
    },
    batch: (slot: number): number => table.row(slot),
  }
}

/** Tracks which of the ledger's submissions an export contains, and in which order. */
const knownIn = (
  view: Pick<PipelineLedger, "pages">,
  looseIds: ReadonlyArray<string>,
  digest: (id: string) => Buffer,
  hasTimes: boolean,
  imported: number,
) =>
  Effect.gen(function*() {
    const known = makeIds(digest)
    const closedBy = new Numbers()
    const timeBy = new Numbers()
    const byCreation = new ExportOrder()
    const byTime = new ExportOrder()
    let earliest = Infinity
    let latest = -Infinity
    let read = 0
    yield* eachKnown(view, (page) => {
      read += page.length
      for (const { batch, closed, id, isRequired, time } of page) {
        const slot = known.add(id, batch)
        if (closed !== undefined) closedBy.set(batch, closed)
        if (!hasTimes || !isRequired || time === undefined) continue
        timeBy.set(slot, time)
        earliest = Math.min(earliest, time)
        latest = Math.max(latest, time)
      }
      return showWork("known", read, imported)
    })
    // The service returned these ids for rows in doubt, but it is unknown which id belongs to which row. The export must contain all of them.
    const loose = makeIds(digest)
    for (const id of looseIds) loose.add(id, 0)
    return {
      /** Records that the export contains an id. Returns whether a row of the ledger has the id. */
      see: (id: string): boolean => {
        loose.see(id)
        const slot = known.see(id)
        if (slot < 0) return false
        const batch = known.batch(slot)
        const closed = closedBy.get(batch)
        if (!Number.isNaN(closed)) byCreation.see(batch, closed)
        const time = timeBy.get(slot)
        if (!Number.isNaN(time)) byTime.see(time, time)
        return true
      },
      /** Records that the export contains a test entry. It was submitted after all batches that had ended when its text was shown. */
      seeEntry: ({ after, at }: TestEntry): void => {
        byCreation.see(after + 1, Infinity)
        byTime.see(at, Infinity)
      },
      isInOrder: () => byCreation.isSorted || (hasTimes && byTime.isSorted),
      times: hasTimes ? { earliest, latest } : undefined,
      /** Counts the submissions that the export must contain but lacks. */
      lacking: Effect.gen(function*() {
        let count = 0
        let example: string | undefined
        const lacks = (id: string) => {
          count++
          example ??= id
        }
        yield* eachKnown(view, (page) => {
          for (const { id, isRequired } of page) if (isRequired && !known.seen(id)) lacks(id)
          return Effect.void
        })
        for (const id of looseIds) if (!loose.seen(id)) lacks(id)
        return { count, example }
      }),
    }
  })

const eachKnown = (
  view: Pick<PipelineLedger, "pages">,
  use: (page: ReadonlyArray<KnownSubmission>) => Effect.Effect<void>,
): Effect.Effect<void, LedgerError> =>
  Stream.runForEach(view.pages("submissions", { size: submissionsAtOnce }), (page) => Effect.suspend(() => use(page)))
