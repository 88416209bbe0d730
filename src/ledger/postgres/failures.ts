import * as Effect from "effect/Effect"
import { codeOf, reasonOf } from "../../domain/systemErrors.ts"
import { LedgerError, LedgerRefused } from "../errors.ts"
import { quoted } from "./dialect.ts"

/** Readable meanings of codes: PostgreSQL's (SQLSTATE), Node's and OpenSSL's. `refused`: the address or the access must be corrected. */
const meanings: ReadonlyArray<readonly [code: RegExp, meaning: string, refused?: "refused"]> = [
  [/^28P01$/, "the user's password is wrong or has expired", "refused"],
  [/^28/, "the server does not allow this user to connect", "refused"],
  [/^3D000$/, "there is no such database on the server", "refused"],
  [/^42501$/, "the user lacks a permission", "refused"],
  [/^(26000|42P05)$/, "a connection pooler lends its connections for single transactions. Use its session pooling"],
  [/^53300$/, "the server has no free connection"],
  [/^53100$/, "the server's disk is full"],
  [/^55P03$/, "a different transaction has locked the tables for too long"],
  [/^57P03$/, "the server is starting or stopping"],
  [/^57P|^25P03$/, "the server ended the connection"],
  [/^25006$/, "the database can't be written to: default_transaction_read_only is on, or its server is a standby"],
  [/^58/, "the server reports a disk error"],
  [/^XX00[12]$/, "the database is damaged. Restore it from a backup"],
  [/^(ENOTFOUND|EAI_AGAIN)$/, "the server's name can't be resolved"],
  [/^ECONNREFUSED$/, "no server answers at this address"],
  [/^(ENOENT|EACCES)$/, "there is no Unix socket at this path, or you don't have permission"],
  [/^(ETIMEDOUT|EHOSTUNREACH|ENETUNREACH)$/, "the server can't be reached"],
  [/^(ECONNRESET|EPIPE)$/, "the connection to the database was lost"],
  [/^CERT_HAS_EXPIRED$/, "the server's certificate has expired", "refused"],
  [/^ERR_TLS_CERT_ALTNAME_INVALID$/, "the server's certificate is for a different host", "refused"],
  [/^ERR_OSSL/, "a certificate or key that the address names can't be used", "refused"],
  [/CERT|UNABLE_TO_(GET|VERIFY)/, "the server's certificate is not trusted", "refused"],
]

/** Readable meanings of pg's failures without a code. */
const sentences: ReadonlyArray<readonly [RegExp, string, "refused"?]> = [
  [/^timeout expired/, "the server did not answer in time"],
  [/does not support SSL/, "the server does not support encrypted connections", "refused"],
  [/^Connection terminated|^Client (was closed|has encountered)/, "the connection to the database was lost"],
  [/password must be a (non-empty )?string/, "the server asks for a password, and none was given", "refused"],
]

const meaningOf = (cause: unknown): readonly [meaning: string, refused: "refused" | undefined] | undefined => {
  const code = codeOf(cause)
  const text = cause instanceof Error ? cause.message : ""
  const found = code === "" ? undefined : meanings.find(([pattern]) => pattern.test(code))
  const [, meaning, refused] = found ?? sentences.find(([pattern]) => pattern.test(text)) ?? []
  return meaning === undefined ? undefined : [meaning, refused]
}

/** Whether a statement waited too long for a lock that a different transaction holds. */
export const isLocked = (cause: unknown): boolean => codeOf(cause) === "55P03"

/** Whether a statement failed because a table or a column does not exist. */
export const isWithoutTable = (cause: unknown): boolean => ["42P01", "42703"].includes(codeOf(cause))

/** PostgreSQL's messages about values (class 22) contain them, and so do the details of its errors. So only other messages are kept, without details. */
export const inWords = (cause: unknown): unknown => {
  const code = codeOf(cause)
  const [meaning] = meaningOf(cause) ?? []
  const text = cause instanceof Error && !code.startsWith("22") ? cause.message : ""
  const detail = code === "" ? "" : ` (${[code, text].filter((part) => part !== "").join(": ")})`
  if (meaning !== undefined) return new Error(`${meaning}${detail}`)
  return code === "" ? cause : new Error(`PostgreSQL reports an error${detail}`)
}

/** Returns a failure of the database or the connection as a LedgerError. `label` is what messages call the ledger. */
export const ledgerError = (label: string, doing: string) => (cause: unknown): LedgerError =>
  cause instanceof LedgerError
    ? cause
    : new LedgerError({ file: label, doing, cause: inWords(cause), ...(isLocked(cause) && { isBusy: true }) })

/** Does work on the ledger's database. */
export const attempt = <A>(label: string, doing: string, work: () => Promise<A>): Effect.Effect<A, LedgerError> =>
  Effect.tryPromise({ try: work, catch: ledgerError(label, doing) })

/** Returns the refusal if the address or the access must be corrected. `key` is the key under `ledger` that contains the address. */
export const refusalOf = (label: string, key: string, cause: unknown): LedgerRefused | undefined => {
  const [, refused] = meaningOf(cause) ?? []
  return refused === undefined ? undefined : new LedgerRefused({
    message: `The ledger ${label} can't be opened: ${
      reasonOf(inWords(cause))
    }. Nothing was sent. Correct the ledger's \`${key}\`, or the server's settings, then run again.`,
  })
}

/**
 * Returns the refusal of a user who lacks the rights of the tables' owner.
 *
 * @param of what the tables contain
 * @param key the key under `ledger` that contains their address
 */
export const notOwner = (
  may: "use" | "rewrite",
  { key, of }: { readonly of: string; readonly key: string },
  user: string,
  owner: string,
): LedgerRefused =>
  new LedgerRefused({
    message: `The user ${user} may not ${may} the tables of the ${of}, which belong to ${owner}. Nothing was ${
      may === "use" ? "sent" : "deleted"
    }. Name the user ${owner} in \`${key}\`, or ask an administrator to run: GRANT ${quoted(owner)} TO ${quoted(user)}`,
  })
