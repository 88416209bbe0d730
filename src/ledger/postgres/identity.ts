import * as Effect from "effect/Effect"
import type { LedgerError } from "../Ledger.ts"
import type { MarkedServer } from "../marks.ts"
import type { Connection } from "./connection.ts"
import { ledgerError } from "./failures.ts"

/** Reads the position in the server's log. */
export const position = "SELECT pg_current_wal_lsn()"

/** PostgreSQL's codes if the user has no permission to call a function, or if a managed service lacks the function. */
const unavailable = ["42501", "0A000"]

/** Returns the server of a connection. Undefined if its user has no permission to know it. By default, every user has this permission. */
export const serverOf = (
  label: string,
  connection: Connection,
): Effect.Effect<MarkedServer | undefined, LedgerError> =>
  Effect.tryPromise({
    try: async () => {
      try {
        // The name of a file of the log begins with the timeline.
        const { rows: [row] } = await connection.send(
          "SELECT CAST(system_identifier AS TEXT), left(pg_walfile_name(pg_current_wal_lsn()), 8), pg_current_wal_lsn() FROM pg_control_system()",
        )
        return row && {
          system: String(row[0]),
          timeline: Number.parseInt(String(row[1]), 16),
          position: String(row[2]),
        }
      } catch (cause) {
        if (cause instanceof Error && "code" in cause && unavailable.includes(String(cause.code))) return undefined
        throw cause
      }
    },
    catch: ledgerError(label, "reading which server it is on"),
  })
