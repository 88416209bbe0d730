import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { randomBytes } from "node:crypto"
import type { SharedAccount, SharedRate } from "../../domain/sharedRate.ts"
import type { LedgerError, LedgerRefused } from "../errors.ts"
import { makeDigester } from "../secret.ts"
import { connectTo } from "./connection.ts"
import { ledgerError } from "./failures.ts"
import type { PostgresOptions } from "./options.ts"
import { inTime } from "./Writer.ts"

/** A rate that was not used for this long is forgotten, in milliseconds. */
const forgottenAfter = 3_600_000

/** No slot is further ahead than this, in milliseconds and slots, unless the server's clock was set back. */
const mostAhead = { millis: 60_000, slots: 100 }

const serverTime = "CAST(extract(epoch FROM clock_timestamp()) * 1000 AS DOUBLE PRECISION)"

/** Whether the host knows the latest state. If so, its request counts. */
const isLatest = `(r.version = $2 OR r.at < excluded.at - ${forgottenAfter})`

/** Slots begin after those of all hosts, and not before the delay has passed. */
const firstSlot = (now: string, next: string): string => `greatest(${now} + CAST($7 AS DOUBLE PRECISION), ${next})`
const leased = "CAST($5 AS INTEGER) * CAST($6 AS DOUBLE PRECISION)"

/** exp() would fail for a span of many minutes, whose requests no longer count. */
const stillUsed = "r.used * exp(greatest(least(r.at - excluded.at, 0), -60000) / 1000)"

/**
 * One row for each account. One statement leases slots and records the state, and only if the host knows the latest state. $1 account, $2 the version
 * that the host knows, $3 its next version, $4 state, $5 slots, $6 interval, $7 delay.
 */
const lease = (table: string, now: string) => `
  INSERT INTO ${table} AS r (account, version, state, next, used, at)
  VALUES ($1, $3, $4, ${firstSlot(now, "0")} + ${leased}, CAST($5 AS INTEGER), ${now})
  ON CONFLICT (account) DO UPDATE SET
    version = CASE WHEN ${isLatest} THEN excluded.version ELSE r.version END,
    state = CASE WHEN ${isLatest} THEN excluded.state ELSE r.state END,
    next = CASE WHEN ${isLatest} AND CAST($5 AS INTEGER) > 0
      THEN ${
  firstSlot(
    "excluded.at",
    `CASE WHEN r.next > excluded.at + ${mostAhead.millis} + ${mostAhead.slots} * CAST($6 AS DOUBLE PRECISION) THEN 0 ELSE r.next END`,
  )
} + ${leased}
      ELSE r.next END,
    used = ${stillUsed} + CASE WHEN ${isLatest} THEN excluded.used ELSE 0 END,
    at = excluded.at
  RETURNING version, state, next, used, at`

/**
 * Opens the rate of an account for the scope, on a connection of its own, because the writer may wait for transactions of other hosts. As long as
 * there is no ledger, this host's requests are the only ones, and it counts them itself.
 *
 * @param serverNow the server's time as SQL. Tests provide a different time
 */
export const openRate = (
  options: Pick<PostgresOptions, "key" | "schema" | "url">,
  account: SharedAccount,
  serverNow = serverTime,
): Effect.Effect<SharedRate, LedgerError | LedgerRefused, Scope.Scope> =>
  Effect.gen(function*() {
    const connection = yield* connectTo(options)
    const clock = yield* Effect.clock
    const digest = makeDigester(options.key).value(["account", account.address, account.secret])
    const host = randomBytes(8).toString("hex")
    const sql = lease(connection.table("rate"), serverNow)
    let changes = 0
    let known = ""
    let isThere = false
    let ownNext = -Infinity

    const send: SharedRate["lease"] = async ({ delay, interval, isChanged, slots, state }) => {
      isThere ||= await connection.hasTable("rate")
      if (!isThere) {
        const now = Number(clock.unsafeCurrentTimeNanos()) / 1e6
        const from = Math.max(now, ownNext)
        ownNext = from + slots * interval
        return { now, from, used: 0, newer: undefined }
      }
      const version = isChanged || known === "" ? `${host} ${++changes}` : known
      const { rows: [row] } = await connection.send(sql, [
        digest,
        known,
        version,
        state,
        slots,
        interval,
        delay,
      ])
      const [found, newer, next, used, now] = row as readonly [string, string, number, number, number]
      known = found
      return { now, from: next - slots * interval, used, newer: found === version ? undefined : newer }
    }
    return {
      lease: (request) =>
        inTime(connection, () => send(request)).catch((cause: unknown) => {
          throw ledgerError(connection.label, "leasing the account's rate")(cause)
        }),
    }
  })
