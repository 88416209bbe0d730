import { Chunk, Stream } from "effect"
import { cut } from "../domain/problem.ts"
import type { Difference, Replacement } from "../domain/run.ts"
import { visible } from "../domain/visible.ts"
import { valueText } from "./differences.ts"
import type { ImportedRow, InDoubtRow, RejectedRow, VanishedRow } from "./RunFolder.ts"
import { fateWords, verdictWords } from "./words.ts"

/** Something about a row that a person may want to look at. */
export interface AttentionEntry {
  readonly row: number
  readonly key: string
  /** A fate, a verdict, or what became of an answer. */
  readonly what: string
  /** The column or question. */
  readonly where: string
  readonly detail: string
  readonly submissionId: string
  readonly editLink: string
}

/** Entries that a page holds at most: more are only in the CSVs. */
export const mostEntries = 50_000

const shownValue = 160
const shownMessage = 400

const entry = (row: number, key: string | undefined, what: string, where: string, detail: string): AttentionEntry => ({
  row,
  key: visible(cut(key ?? "", shownValue)),
  what,
  where: visible(cut(where, shownValue)),
  detail: visible(detail),
  submissionId: "",
  editLink: "",
})

const shown = (value: Difference["sent"]): string => value == null ? "nothing" : cut(valueText(value), shownValue)

/** Why a row was not imported; nothing where nothing is lost. */
export const rejectedEntry = (row: RejectedRow): AttentionEntry | undefined => {
  if (row.quiet) return undefined
  const columns = new Set(row.problems.flatMap(({ column }) => (column === undefined ? [] : [column])))
  const messages = row.problems.map(({ message }) => message).join(" · ")
  return entry(row.row, row.key, fateWords[row.fate].title, [...columns].join(", "), cut(messages, shownMessage))
}

export const inDoubtEntry = (row: InDoubtRow): AttentionEntry =>
  entry(row.row, row.key, fateWords.inDoubt.title, "", `${cut(row.reason, shownMessage)} (sent ${row.sentAt})`)

/** An answer that did not come back as it was sent; nothing for one that could not be compared. */
export const differenceEntry =
  (tolerated: ReadonlySet<string>) => (difference: Difference): AttentionEntry | undefined => {
    const { editLink = "", key, name, question, returned, row, sent, submissionId, verdict } = difference
    if (verdict === "not comparable") return undefined
    const what = tolerated.has(question) ? `${verdict}, tolerated` : verdict
    return {
      ...entry(row, key, what, name, `${shown(sent)} → ${shown(returned)}`),
      submissionId: visible(submissionId),
      editLink: /^https?:\/\//i.test(editLink) ? editLink : "",
    }
  }

/** The earlier submission of a row that went in again: it stays, unless somebody removes it. */
export const replacedEntry = (
  { editLink = "", key, replaces = "", row, submissionId }: Replacement,
): AttentionEntry => ({
  ...entry(row, key, "replaced", "", `changed, and imported again as ${submissionId}; this one stays in the form`),
  submissionId: visible(replaces),
  editLink: /^https?:\/\//i.test(editLink) ? editLink : "",
})

/** A row that this run was the first to miss; those that were missed before are in vanished.csv. */
export const vanishedEntry =
  (run: string) => ({ key, row, since, submissionId }: VanishedRow): AttentionEntry | undefined =>
    since !== undefined && since.run !== run ? undefined : {
      ...entry(row, key, "vanished", "", "imported earlier; the source does not hold it any more"),
      submissionId: visible(submissionId ?? ""),
    }

/** A submission that was created and can't be read. */
export const importedEntry = (row: ImportedRow): AttentionEntry | undefined =>
  row.verdict !== "missing" && row.verdict !== "unread" ? undefined : {
    ...entry(row.row, row.key, verdictWords[row.verdict].title, "", verdictWords[row.verdict].meaning),
    submissionId: visible(row.submissionId),
  }

/** Entries of several streams one after the other, as many as a page may hold. */
export const entriesOf = <E>(
  streams: ReadonlyArray<Stream.Stream<ReadonlyArray<AttentionEntry>, E>>,
): Stream.Stream<ReadonlyArray<AttentionEntry>, E> =>
  Stream.suspend(() => {
    let room = mostEntries
    return Stream.concatAll(Chunk.fromIterable(streams)).pipe(
      Stream.map((entries) => {
        const taken = entries.slice(0, room)
        room -= taken.length
        return taken
      }),
      Stream.takeUntil(() => room === 0),
    )
  })
