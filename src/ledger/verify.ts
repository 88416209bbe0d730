import type { Database } from "./database.ts"

/** What must hold in any ledger, as a query that counts where it does not. */
const invariants: ReadonlyArray<readonly [finding: string, sql: string]> = [
  [
    "imported rows without a submission or a verdict",
    `SELECT count(*) FROM row r WHERE r.state = 2 AND (r.verdict IS NULL OR (r.submission IS NULL
      AND NOT EXISTS (SELECT 1 FROM settled s WHERE s.row = r.id AND s.landed = 1 AND s.submission IS NULL)))`,
  ],
  ["rows of an unknown state", "SELECT count(*) FROM row WHERE state NOT IN (0, 1, 2, 3, 4)"],
  [
    "rows in doubt without a reason",
    "SELECT count(*) FROM row r LEFT JOIN doubt d ON d.row = r.id WHERE r.state = 1 AND d.row IS NULL",
  ],
  [
    "refused rows without the refusal",
    "SELECT count(*) FROM row r LEFT JOIN refusal f ON f.row = r.id WHERE r.state = 3 AND f.row IS NULL",
  ],
  [
    "rows of a batch that is not there",
    "SELECT count(*) FROM row r LEFT JOIN batch b ON b.id = r.batch WHERE b.id IS NULL",
  ],
  [
    "open intents in a batch that is settled",
    "SELECT count(*) FROM row r JOIN batch b ON b.id = r.batch WHERE r.state = 0 AND b.open = 0",
  ],
  [
    "verified rows whose content is still kept",
    "SELECT count(*) FROM row r JOIN detail d ON d.row = r.id WHERE r.state = 2 AND r.verdict = 0 AND d.item IS NOT NULL",
  ],
  [
    "digests of what came back, for rows that are not imported",
    "SELECT count(*) FROM verified v LEFT JOIN row r ON r.id = v.row WHERE r.state IS NOT 2",
  ],
  [
    "rows in doubt whose content is gone",
    "SELECT count(*) FROM row r LEFT JOIN detail d ON d.row = r.id WHERE r.state IN (0, 1) AND d.item IS NULL",
  ],
  [
    "submissions that several rows of a form claim",
    `SELECT count(*) FROM (SELECT 1 FROM (SELECT place, submission FROM row WHERE submission IS NOT NULL
        UNION ALL SELECT r.place, o.submission FROM replaced o JOIN row r ON r.id = o.row) r
      JOIN place p ON p.id = r.place GROUP BY p.service, p.form, r.submission HAVING count(*) > 1)`,
  ],
  [
    "rows that are to replace a submission, and are neither sent nor in doubt",
    "SELECT count(*) FROM replaced o JOIN row r ON r.id = o.row WHERE o.at IS NULL AND r.state NOT IN (0, 1)",
  ],
  [
    "replaced submissions whose row was not created anew",
    `SELECT count(*) FROM replaced o JOIN row r ON r.id = o.row WHERE o.at IS NOT NULL AND r.state <> 2
      AND NOT EXISTS (SELECT 1 FROM replaced later WHERE later.row = o.row AND later.id > o.id)`,
  ],
  [
    "rows refused after a change that were never imported",
    "SELECT count(*) FROM refusedAgain f JOIN row r ON r.id = f.row WHERE r.state <> 2",
  ],
]

/** SQLite's own check, then ours. Findings as sentences; empty when sound. */
export const verify = (db: Database): ReadonlyArray<string> => {
  const damage = db.all<readonly [string]>("PRAGMA integrity_check").map(([line]) => line).filter((line) =>
    line !== "ok"
  )
  const dangling = db.all("PRAGMA foreign_key_check").length
  return [
    ...damage.map((line) => `The file is damaged: ${line}.`),
    ...(dangling === 0 ? [] : [`${dangling} entries refer to others that are not there.`]),
    ...invariants.flatMap(([finding, sql]) => {
      const count = db.get<readonly [number]>(sql)?.[0] ?? 0
      return count === 0 ? [] : [`${count} ${finding}.`]
    }),
  ]
}
