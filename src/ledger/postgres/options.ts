import * as Effect from "effect/Effect"
import { LedgerRefused } from "../errors.ts"
import type { LedgerOptions } from "../Ledger.ts"
import { type Address, addressIn } from "./address.ts"

/** How to open a ledger in PostgreSQL. */
export interface PostgresOptions extends Omit<LedgerOptions, "file" | "marks">, Required<Pick<LedgerOptions, "marks">> {
  /** The database, as libpq writes it: postgresql://USER:PASSWORD@HOST:PORT/DATABASE. */
  readonly url: string
  readonly project: string
  /** The schema, which belongs to the project. */
  readonly schema: string
  /** The ledger's secret: 64 hexadecimal digits. */
  readonly key: string
  /** Whether a managed service guarantees that commits are durable, whatever its server reports. */
  readonly isManaged?: boolean
  /** The user who will own new tables. Default: the user of the address. */
  readonly owner?: string | undefined
}

/**
 * Returns the address of a schema, and what messages call it. The name contains no password.
 *
 * @param key the key under `ledger` that contains the URL
 */
export const addressOf = (
  { schema, url }: Pick<PostgresOptions, "schema" | "url">,
  key?: string,
): Effect.Effect<{ readonly address: Address; readonly label: string }, LedgerRefused> =>
  Effect.suspend(() => {
    const address = addressIn(url, key)
    if (address instanceof LedgerRefused) return address
    const { database = "", host = "localhost", port = 5432 } = address
    return Effect.succeed({ address, label: `postgresql://${host}:${port}/${database} (schema ${schema})` })
  })
