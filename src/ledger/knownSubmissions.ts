import type { Database } from "./database.ts"

/** Places of the same destination as place `?1`: other pipelines that feed the form are among them. */
export const sameDestination =
  "here AS (SELECT p.id FROM place p JOIN place o ON o.service = p.service AND o.form = p.form WHERE o.id = ?1)"

/** Returns those of the submission ids that the ledger already has at the place's destination: of rows, replaced or forgotten ones, or of none. */
export const knownSubmissions = (db: Database, place: number, ids: ReadonlyArray<string>): ReadonlySet<string> =>
  new Set(
    db.all<readonly [string]>(
      `WITH ${sameDestination}, asked AS (SELECT value AS id FROM json_each(?2))
       SELECT id FROM asked WHERE EXISTS (SELECT 1 FROM row r WHERE r.submission = asked.id AND r.place IN here)
         OR EXISTS (SELECT 1 FROM replaced p JOIN row r ON r.id = p.row WHERE p.submission = asked.id AND r.place IN here)
         OR EXISTS (SELECT 1 FROM forgotten f WHERE f.submission = asked.id AND f.place IN here)
         OR EXISTS (SELECT 1 FROM batch b JOIN json_each(b.loose) l WHERE b.loose IS NOT NULL AND b.place IN here AND l.value = asked.id)`,
      [place, JSON.stringify(ids)],
    ).map(([id]) => id),
  )
