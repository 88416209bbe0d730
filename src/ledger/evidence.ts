// The evidence and the rules by which a row in doubt is settled.
import type { Item } from "../domain/item.ts"
import type { Sql } from "./sql/statement.ts"

export interface SettledRow {
  readonly keyDigest: Buffer
  /** `Landed`: the row is imported. Without a submission id, it can't be read back. `NotLanded`: the next run sends the row. */
  readonly outcome:
    | { readonly _tag: "Landed"; readonly submissionId: string | undefined }
    | { readonly _tag: "NotLanded" }
  /** The evidence, as a sentence. */
  readonly reason: string
  readonly proof: Proof
}

/**
 * What showed whether a row landed: its submission, a witness (see `Evidence`), a test entry, an export that a person said was complete, the form's
 * list of submissions, or a person's statement alone.
 */
export type Proof = "found" | "witness" | "test entry" | "complete" | "list" | "person"

/** How long to wait before the absence of a submission proves anything, in milliseconds. */
export interface Waits {
  /** How long a created submission may stay invisible. */
  readonly visibleWithin: number
  /** How long a request of a process that has ended may still arrive. */
  readonly lateWithin: number
}

/** What the ledger knows about the requests that sent a row in doubt, and about what was created before and after them. */
export interface Evidence {
  /** When a submission of the row must be visible (milliseconds since 1970). Undefined if a request with the row may still arrive. */
  readonly visibleFrom: number | undefined
  /** A batch that had ended before the row was first sent. */
  readonly before: BatchKnown | undefined
  /** The first batch that was sent after the row's submission had to be visible. */
  readonly witness: BatchKnown | undefined
  /** A test entry that was issued after the row's submission had to be visible. */
  readonly testEntry: TestEntry | undefined
  /** Whether a witness or a test entry does not count, because the clock was set back after the row was sent. */
  readonly hasClockGoneBack: boolean
}

/** A batch, and one of its submissions that an export must contain. */
export interface BatchKnown {
  readonly batch: number
  readonly submissionId: string
}

/** A text that a person enters in the form. An export that contains it was made after the text was issued. */
export interface TestEntry {
  readonly text: string
  /** When the text was issued (milliseconds since 1970). */
  readonly at: number
  /** The highest batch number when the text was issued. */
  readonly after: number
}

/** Other facts about a destination that help to settle rows in doubt. */
export interface SettlingFacts {
  /** Newest first. */
  readonly testEntries: ReadonlyArray<TestEntry>
  /** Ids of submissions that were returned for a batch of this pipeline but match no row. */
  readonly looseIds: ReadonlyArray<string>
  /** Items of rows that a person said had landed: their submissions exist, but the ids are unknown. */
  readonly landedByWord: ReadonlyArray<Item>
  /** The time of the ledger (milliseconds since 1970), by which the ends of requests were recorded. A host's clock may differ from that of a database. */
  readonly now: number
}

/** The evidence if nothing shows whether the row landed. */
export const noEvidence: Evidence = {
  visibleFrom: undefined,
  before: undefined,
  witness: undefined,
  testEntry: undefined,
  hasClockGoneBack: false,
}

/** What the ledger recorded about the requests that sent a row in doubt, and about other batches. Batch numbers show the order. */
export interface DoubtfulRequests {
  /** When each request that sent the row ended, and the highest batch number at that time. */
  readonly ends: ReadonlyArray<{
    /** Milliseconds since 1970. Undefined if the request may still arrive. */
    readonly at: number | undefined
    readonly closed: number
    /** Whether the request is known to have ended only because its process ended: the kernel may have sent data after that. */
    readonly isFromProcessEnd: boolean
  }>
  readonly before: BatchKnown | undefined
  /** Returns the first batch above this number that was sent at this time or later. */
  readonly sentAfter: (batch: number, at: number) => Sql<BatchKnown | undefined>
  /**
   * Whether sending times rise from the first batch with the row to the batch `upTo`. The end of the request (`ended`) counts as a time after the
   * batch `closed`, and no time may be later than `at`.
   */
  readonly isRising: (
    span: { readonly upTo: number; readonly closed: number; readonly ended: number; readonly at: number },
  ) => Sql<boolean>
}

/**
 * Applies the rule of evidence. An export without the row's submission shows that the row did not land if the submission had to be visible when the
 * export was made:
 *
 * 1. The submission is visible `visibleWithin` after the last request that sent the row ended. If that end is known only from the end of its process,
 *    it is visible `lateWithin` later. While a request may still arrive, there is no such time.
 * 2. A submission in the export that was sent after that time (a witness), or a test entry issued after it, shows that the export was made later.
 * 3. A witness or a test entry counts only if no clock was set back meanwhile: from the row's first batch on, the times of all batches must rise with
 *    their numbers.
 *
 * @param entries test entries that an export contains
 */
export function* evidenceOf(
  { before, ends, isRising, sentAfter }: DoubtfulRequests,
  { lateWithin, visibleWithin }: Waits,
  entries: ReadonlyArray<TestEntry>,
): Sql<Evidence> {
  const endTimes = ends.flatMap(({ at }) => at ?? [])
  if (endTimes.length < ends.length) return { ...noEvidence, before }
  const ended = Math.max(...endTimes)
  const closed = Math.max(...ends.map((one) => one.closed))
  const visibleFrom = ended + visibleWithin + (ends.some((one) => one.isFromProcessEnd) ? lateWithin : 0)

  const witness = yield* sentAfter(closed, visibleFrom)
  const testEntry = entries.find(({ after, at }) => after >= closed && at >= visibleFrom)

  const isWitness = witness !== undefined
    && (yield* isRising({ upTo: witness.batch, closed, ended, at: Number.MAX_SAFE_INTEGER }))
  const isTestEntry = testEntry !== undefined
    && (yield* isRising({ upTo: testEntry.after, closed, ended, at: testEntry.at }))
  return {
    visibleFrom,
    before,
    witness: isWitness ? witness : undefined,
    testEntry: isTestEntry ? testEntry : undefined,
    hasClockGoneBack: (witness !== undefined && !isWitness) || (testEntry !== undefined && !isTestEntry),
  }
}
