import { stateCode } from "./codes.ts"
import type { Database } from "./database.ts"
import type { DoubtsOf } from "./records.ts"
import { isoOf } from "./Store.ts"

/** Rows in doubt by when their batch was sent; intents that are open may have arrived too. The oldest first. */
export const doubtsBySending = (db: Database, place: number): ReadonlyArray<DoubtsOf> =>
  db.all<readonly [number, number, number]>(
    `SELECT b.sent, count(*), 0 FROM row r INDEXED BY row_doubt JOIN doubt x ON x.row = r.id JOIN batch b ON b.id = x.batch
       WHERE r.place = ?1 AND r.state = ${stateCode.inDoubt} GROUP BY b.sent
     UNION ALL
     SELECT b.sent, count(*), 1 FROM batch b JOIN row r ON r.batch = b.id WHERE b.place = ?1 AND b.open = 1 AND r.state = ${stateCode.intended} GROUP BY b.sent
     ORDER BY 1`,
    [place],
  ).map(([sent, count, open]) => ({ sentAt: isoOf(sent), count, open: open === 1 }))
