// The evidence by which a row in doubt is settled.
import type { Item } from "../domain/item.ts"

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
