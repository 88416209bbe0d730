import { stateCode, verdictCode, verdictOf } from "../codes.ts"
import type { Page, ReplacedSubmission } from "../pages.ts"
import type { IntendedRow, RowOutcome } from "../rows.ts"
import { keptAs, keptOf, row } from "./row.ts"
import { condition, optional, selected, selection } from "./selection.ts"
import { each, insert, run, type Sql, write } from "./statement.ts"
import type { Store } from "./Store.ts"
import { wasFound } from "./undo.ts"
import { unpackAnswers } from "./verdicts.ts"

/**
 * Sets an imported row's submission aside, inside a transaction, because the row changed and is about to be imported again. Returns false and changes
 * nothing if this run created the submission, or if the content is the same. The row must not be sent in these cases.
 *
 * @param submission the row's present submission
 * @param by the batch that will replace the submission, and the batch's run
 */
export function* replace(
  row: number,
  intended: Pick<IntendedRow, "content" | "supersedes"> & { readonly shape: number },
  submission: string,
  by: { readonly batch: number; readonly run: number },
): Sql<boolean> {
  return (yield* run(
    `INSERT INTO replaced (row, ${keptAs}, by, item, cells, answers, fixes)
     SELECT r.id, ${keptOf("r.")}, ?, d.item, d.cells, coalesce(d.answers, v.answers), ?
     FROM row r JOIN batch b ON b.id = r.batch LEFT JOIN detail d ON d.row = r.id LEFT JOIN verified v ON v.row = r.id
     WHERE r.id = ? AND r.state = ${stateCode.imported} AND r.submission = ? AND b.run <> ?
       AND NOT (r.content = ? AND r.shape = ?)`,
    [by.batch, intended.supersedes?.content ?? null, row, submission, by.run, intended.content, intended.shape],
  )) === 1
}

/** A replacement whose outcome is not yet known. */
export interface OpenReplacement {
  readonly id: number
  readonly row: number
  /** The batch of the submission that is replaced. */
  readonly batch: number
  readonly fixes: Buffer | null
}

/** Returns the replacements whose outcome is not yet known, of batches (`by`) or of rows, by row. */
export function* openReplacements(
  where: "by" | "row",
  of: ReadonlyArray<number>,
): Sql<ReadonlyMap<number, OpenReplacement>> {
  return new Map(
    (yield* each<readonly [number, number, number, Buffer | null]>(
      `SELECT id, row, batch, fixes FROM replaced WHERE ${where} = ? AND at IS NULL`,
      of.map((one) => [one]),
    )).flat().map(([id, row, batch, fixes]) => [row, { id, row, batch, fixes }]),
  )
}

/**
 * Completes a replacement after the row was created again. The earlier submission's record remains, with digests by which an edit is recognised. Its
 * content is deleted.
 */
export function* completeReplacement({ present }: Store, { batch, id, fixes, row }: OpenReplacement): Sql<void> {
  const now = present()
  yield* write(
    `UPDATE replaced SET at = ${now.sql}, item = NULL, cells = NULL, fixes = NULL,
       answers = CASE verdict WHEN ${verdictCode.verified} THEN answers END WHERE id = ?`,
    [...now.params, id],
  )
  yield* write("UPDATE batch SET imported = imported - 1 WHERE id = ?", [batch])
  yield* write("DELETE FROM drift WHERE row = ?", [row])
  // These superseded contents belong to the earlier submission only.
  yield* write(
    `DELETE FROM superseded WHERE fixed = ?1 AND digest = (SELECT digest FROM row WHERE id = ?1) AND content IS DISTINCT FROM ?2`,
    [row, fixes],
  )
}

export function* undoReplacement({ id, fixes, row }: OpenReplacement): Sql<void> {
  yield* write(
    `UPDATE row SET (state, resent, ${
      keptOf("")
    }) = (SELECT ${stateCode.imported}, 0, ${keptAs} FROM replaced WHERE id = ?) WHERE id = ?`,
    [id, row],
  )
  yield* write(
    `INSERT INTO detail (row, item, cells, answers) SELECT row, item, cells, answers FROM replaced WHERE id = ?
     ON CONFLICT (row) DO UPDATE SET item = excluded.item, cells = excluded.cells, answers = excluded.answers`,
    [id],
  )
  if (fixes !== null) {
    yield* write("DELETE FROM superseded WHERE fixed = ? AND content = ?", [row, fixes])
  }
  yield* write("DELETE FROM replaced WHERE id = ?", [id])
}

type Refused = Extract<RowOutcome, { readonly _tag: "Refused" }>

/** Records that the service refused a row, or (`refusedAgain`) an imported row's new content. */
export function* recordRefusal(
  { texts }: Store,
  table: "refusal" | "refusedAgain",
  row: number,
  { form, item, mapping, message }: Refused,
): Sql<void> {
  const refused = { row, item, mapping: yield* texts.idOf(mapping), form: yield* texts.idOf(form), message }
  yield* insert(table, refused, ["row"])
}

/** Selects the submission that a row's newest submission replaced, as part of a SELECT over `row r`. */
export const lastReplaced = "(SELECT submission FROM replaced WHERE row = r.id ORDER BY id DESC LIMIT 1)"

const replacedSubmission = selection<ReplacedSubmission>({
  at: selected("p.id"),
  keyDigest: row.digest,
  key: row.key,
  row: selected("p.number"),
  submissionId: selected("p.submission"),
  verdict: selected("p.verdict", verdictOf),
  answers: optional("p.answers", unpackAnswers),
  isUncovered: condition(`r.state = ${stateCode.undone} AND p.at IS NOT NULL`),
  isFound: condition(wasFound("r.id", "p.batch")),
})

/** Returns a page of a place's submissions that were replaced, earliest first. For a run, also those whose replacement is in doubt. */
export const replacedPage = (
  store: Store,
  place: number,
  page: Page<"replaced">,
): Sql<ReadonlyArray<ReplacedSubmission>> =>
  replacedSubmission.all(
    store,
    `FROM replaced p JOIN row r ON r.id = p.row
     WHERE r.place = ?1 AND p.id > ?2 AND (p.at IS NOT NULL OR CAST(?4 AS TEXT) IS NOT NULL)
       AND (CAST(?4 AS TEXT) IS NULL OR p.batch IN (SELECT b.id FROM batch b JOIN run u ON u.id = b.run WHERE u.place = ?1 AND u.name = ?4))
     ORDER BY p.id LIMIT ?3`,
    [place, page.after, page.limit, page.run ?? null],
  )
