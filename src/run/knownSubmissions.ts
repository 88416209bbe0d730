import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import type { LedgerError } from "../ledger/errors.ts"
import type { TestEntry } from "../ledger/evidence.ts"
import type { PipelineLedger } from "../ledger/Ledger.ts"
import type { KnownSubmission } from "../ledger/pages.ts"
import type { Owner } from "../sink/settleRows.ts"
import { KeyTable, RowHash } from "./KeyTable.ts"
import { showWork } from "./Progress.ts"

/** The number of submissions that are read from the ledger at a time. */
const submissionsAtOnce = 10_000

/** Returns an empty set of ids. The set takes 32 bytes for each id, including the id's batch and whether the id was seen. */
export const makeIds = (digest: (id: string) => Buffer) => {
  const table = new KeyTable()
  const hash = new RowHash()
  const slotOf = (id: string): number => {
    hash.digest(digest(id))
    return table.find(hash)
  }
  return {
    get size(): number {
      return table.size
    },
    has: (id: string): boolean => slotOf(id) >= 0,
    /** Adds an id unless the set contains it. Returns its slot. */
    add: (id: string, batch: number): number => {
      const slot = slotOf(id)
      return slot < 0 ? table.add(hash, batch) : slot
    },
    /** Marks an id as seen. Returns its slot, or -1 if the set lacks it. */
    see: (id: string): number => {
      const slot = slotOf(id)
      if (slot >= 0) table.mark(slot)
      return slot
    },
    seen: (id: string): boolean => {
      const slot = slotOf(id)
      return slot >= 0 && table.isMarked(slot)
    },
    batch: (slot: number): number => table.number(slot),
  }
}

/**
 * Tracks which of the ledger's submissions an export or a list contains, and in which order. Also returns the ledger's other facts for settling, and how
 * many rows are imported.
 *
 * @param hasTimes whether the pipeline sends submission times, or has sent them
 */
export const knownIn = (
  view: Pick<PipelineLedger, "pages" | "settlingFacts" | "standing">,
  digest: (id: string) => Buffer,
  hasTimes = false,
) =>
  Effect.gen(function*() {
    const facts = yield* view.settlingFacts
    const { looseIds } = facts
    const { imported } = yield* view.standing
    const known = makeIds(digest)
    const closedBy = new Numbers()
    const timeBy = new Numbers()
    /** Has a number for each slot whose submission is not proven to be its row's. */
    const unproven = new Numbers()
    const byCreation = new ExportOrder()
    const byTime = new ExportOrder()
    let earliest = Infinity
    let latest = -Infinity
    let read = 0
    yield* eachKnown(view, (page) => {
      read += page.length
      for (const { batch, closed, id, isRequired, isUnproven, time } of page) {
        const slot = known.add(id, batch)
        if (isUnproven) unproven.set(slot, 1)
        if (closed !== undefined) closedBy.set(batch, closed)
        if (!hasTimes || !isRequired || time === undefined) continue
        timeBy.set(slot, time)
        earliest = Math.min(earliest, time)
        latest = Math.max(latest, time)
      }
      return showWork("known", read, imported)
    })
    // The service returned these ids for rows in doubt, but it is unknown which id belongs to which row. The export or list must contain all of them.
    const loose = makeIds(digest)
    for (const id of looseIds) loose.add(id, 0)
    return {
      facts,
      imported,
      /** Records that an id was seen. Returns whether a row of the ledger has the id, and whether that is proven (`KnownSubmission.isUnproven`). */
      see: (id: string): Owner => {
        loose.see(id)
        const slot = known.see(id)
        if (slot < 0) return "none"
        const batch = known.batch(slot)
        const closed = closedBy.get(batch)
        if (!Number.isNaN(closed)) byCreation.see(batch, closed)
        const time = timeBy.get(slot)
        if (!Number.isNaN(time)) byTime.see(time, time)
        return Number.isNaN(unproven.get(slot)) ? "certain" : "unproven"
      },
      /** Records that a test entry was seen. It was submitted after all batches that had ended when its text was shown. */
      seeEntry: ({ after, at }: TestEntry): void => {
        byCreation.see(after + 1, Infinity)
        byTime.see(at, Infinity)
      },
      isInOrder: () => byCreation.isSorted || (hasTimes && byTime.isSorted),
      times: hasTimes ? { earliest, latest } : undefined,
      /** Counts the submissions that must be in the form but were not seen. */
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

/** Reads every submission that the ledger knows at the view's destination, regardless of the pipeline that sent it. */
export const eachKnown = (
  view: Pick<PipelineLedger, "pages">,
  use: (page: ReadonlyArray<KnownSubmission>) => Effect.Effect<void>,
): Effect.Effect<void, LedgerError> =>
  Stream.runForEach(view.pages("submissions", { size: submissionsAtOnce }), (page) => Effect.suspend(() => use(page)))

/** Whether time spans come in ascending or in descending order. Spans that overlap may be in any order. */
class ExportOrder {
  private rises = true
  private falls = true
  private latestStart = -Infinity
  private earliestEnd = Infinity

  see(start: number, end: number): void {
    if (this.latestStart > end) this.rises = false
    if (this.earliestEnd < start) this.falls = false
    this.latestStart = Math.max(this.latestStart, start)
    this.earliestEnd = Math.min(this.earliestEnd, end)
  }

  get isSorted(): boolean {
    return this.rises || this.falls
  }
}

/** A list of numbers that grows as needed and takes 8 bytes per element. NaN if an element was not set. */
class Numbers {
  private values = new Float64Array(1024).fill(NaN)

  set(at: number, value: number): void {
    if (at >= this.values.length) {
      const grown = new Float64Array(Math.max(at + 1, this.values.length * 2)).fill(NaN)
      grown.set(this.values)
      this.values = grown
    }
    this.values[at] = value
  }

  get(at: number): number {
    return this.values[at] ?? NaN
  }
}
