import * as Effect from "effect/Effect"
import { codeOf } from "../../domain/systemErrors.ts"
import { type LedgerError, LedgerRefused } from "../errors.ts"
import type { MarkedServer } from "../marks.ts"
import type { Connection } from "./connection.ts"
import { ledgerError } from "./failures.ts"

export const position = "SELECT pg_current_wal_lsn()"

/** PostgreSQL's codes if the user has no permission to call a function, or if a managed service lacks the function. */
const unavailable = ["42501", "0A000"]

/** PostgreSQL's code if the server is a standby, which has no position in a log of its own. */
const inRecovery = "55000"

/** Returns the refusal of a standby. `of` is what is on the server. */
export const standbyRefused = (of: string): LedgerRefused =>
  new LedgerRefused({
    message:
      `The server of the ${of} is a standby, which can't be written to. Nothing was sent. Name the primary server in the \`url\`.`,
  })

/**
 * Returns the server of a connection. Undefined if its user has no permission to know it. By default, every user has this permission. Refuses a standby.
 *
 * @param of what is on the server, for messages
 */
export const serverOf = (
  of: string,
  connection: Connection,
): Effect.Effect<MarkedServer | undefined, LedgerError | LedgerRefused> =>
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
        const code = codeOf(cause)
        if (code === inRecovery) throw standbyRefused(of)
        if (unavailable.includes(code)) return undefined
        throw cause
      }
    },
    catch: (cause) =>
      cause instanceof LedgerRefused ? cause : ledgerError(connection.label, "reading which server it is on")(cause),
  })
