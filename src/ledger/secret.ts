import { randomBytes } from "node:crypto"
import {
  chmodSync,
  closeSync,
  existsSync,
  fsyncSync,
  linkSync,
  openSync,
  readFileSync,
  rmSync,
  statSync,
  writeSync,
} from "node:fs"
import { basename, dirname, join } from "node:path"
import { LockHolder } from "./holder.ts"
import { LedgerRefused } from "./Ledger.ts"
import { ownedName, removeLeft } from "./ownedFolder.ts"

/** The file that holds a ledger's secret. */
export const secretFile = (ledger: string): string => `${ledger}.key`

/** Whether there is a ledger: its file, with something in it. */
export const ledgerExists = (ledger: string): boolean => existsSync(ledger) && statSync(ledger).size > 0

/**
 * The ledger's secret, 64 hexadecimal digits; made for a new ledger, durable before it is used. A ledger without its secret is refused: with another one, no row would be known again and all would
 * be sent twice.
 */
export const readSecret = (ledger: string): string | LedgerRefused => {
  const file = secretFile(ledger)
  const me = LockHolder.defaultValue()()
  removeLeft(dirname(file), draftPrefix(file), me)
  if (!existsSync(file)) {
    if (ledgerExists(ledger)) {
      return new LedgerRefused({
        message:
          `The ledger ${ledger} is there, but its secret ${file} is not. Without it no row is known again, and every row would be sent a second time. Restore ${file} from the backup of the ledger.`,
      })
    }
    make(file, join(dirname(file), ownedName(draftPrefix(file), me)))
  }
  chmodSync(file, 0o600)
  const secret = readFileSync(file, "utf8").trim()
  if (!/^[0-9a-f]{64}$/.test(secret)) {
    return new LedgerRefused({
      message:
        `The ledger's secret ${file} is damaged: it must hold 64 hexadecimal digits. Restore it from the backup of the ledger.`,
    })
  }
  return secret
}

const draftPrefix = (file: string): string => `${basename(file)}.draft-`

/** Whole or not at all, and once only, even when two processes begin at the same time. */
const make = (file: string, draft: string): void => {
  const handle = openSync(draft, "wx", 0o600)
  try {
    writeSync(handle, randomBytes(32).toString("hex") + "\n")
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
  syncFolder(dirname(file))
}

/** Makes the names of new files durable. */
export const syncFolder = (folder: string): void => {
  const handle = openSync(folder, "r")
  try {
    fsyncSync(handle)
  } finally {
    closeSync(handle)
  }
}
