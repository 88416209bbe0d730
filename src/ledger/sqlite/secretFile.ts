// The secret of a ledger in a file is in a file next to it.
import {
  chmodSync,
  closeSync,
  existsSync,
  fsyncSync,
  linkSync,
  mkdirSync,
  openSync,
  readFileSync,
  rmSync,
  statSync,
  writeSync,
} from "node:fs"
import { basename, dirname, join } from "node:path"
import { isLedgerSecret } from "../../domain/secret.ts"
import { codeOf } from "../../domain/systemErrors.ts"
import { LedgerRefused } from "../errors.ts"
import { sync } from "../fileSystem.ts"
import { type Holder, LockHolder, ownedName, removeLeft } from "../holder.ts"
import { newSecret } from "../secret.ts"

export const secretFile = (ledger: string): string => `${ledger}.key`

/** Whether there is a ledger, which means a file with content. True if that is unknown, because opening it then says what is wrong. */
export const ledgerExists = (ledger: string): boolean => {
  try {
    const found = statSync(ledger)
    return !found.isFile() || found.size > 0
  } catch (cause) {
    return codeOf(cause) !== "ENOENT"
  }
}

/**
 * Returns the ledger's secret: 64 hexadecimal digits. For a new ledger, makes the secret durable before it is used. Refuses a ledger without its
 * secret: with a different secret, no row would be recognised, and all would be sent twice.
 */
export const readSecret = (ledger: string): string | LedgerRefused => {
  const file = secretFile(ledger)
  const me = LockHolder.defaultValue()()
  removeLeft(dirname(file), draftPrefix(file), me)
  if (!existsSync(file)) {
    if (ledgerExists(ledger)) {
      return new LedgerRefused({
        message:
          `The ledger ${ledger} exists, but its secret ${file} is missing. Without it no row is recognised, and every row would be sent a second time. Nothing was sent. Restore ${file} from the backup of the ledger.`,
      })
    }
    make(file, newSecret(), me)
  }
  chmodSync(file, 0o600)
  const secret = readFileSync(file, "utf8").trim()
  if (!isLedgerSecret(secret)) {
    return new LedgerRefused({
      message:
        `The ledger's secret ${file} is damaged: it must contain 64 hexadecimal digits. Nothing was sent. Restore it from the backup of the ledger.`,
    })
  }
  return secret
}

/** Gives a secret to a ledger that does not exist yet. Refuses to replace a different one. */
export const adoptSecret = (ledger: string, secret: string): LedgerRefused | undefined => {
  const file = secretFile(ledger)
  if (!existsSync(file) && !ledgerExists(ledger)) {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
    make(file, secret, LockHolder.defaultValue()())
  }
  return existsSync(file) && readFileSync(file, "utf8").trim() !== secret
    ? new LedgerRefused({
      message:
        `${file} contains the key of a different ledger. Nothing was changed. Name a different file in \`newLedger\`, or remove ${file} if no ledger needs it.`,
    })
    : undefined
}

const draftPrefix = (file: string): string => `${basename(file)}.draft-`

/** Writes the secret completely or not at all, and only once, even if two processes start at the same time. */
const make = (file: string, secret: string, me: Holder): void => {
  const draft = join(dirname(file), ownedName(draftPrefix(file), me))
  const handle = openSync(draft, "wx", 0o600)
  try {
    writeSync(handle, secret + "\n")
    fsyncSync(handle)
  } finally {
    closeSync(handle)
  }
  try {
    linkSync(draft, file)
  } catch (cause) {
    if (!existsSync(file)) throw cause
  } finally {
    rmSync(draft)
  }
  sync(dirname(file))
}
