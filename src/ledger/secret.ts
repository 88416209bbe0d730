import { hash, randomBytes } from "node:crypto"
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
import { canonicalJson } from "../domain/json.ts"
import { isLedgerSecret } from "../domain/secret.ts"
import { LedgerRefused } from "./errors.ts"
import { sync } from "./fileSystem.ts"
import { type Holder, LockHolder, ownedName, removeLeft } from "./holder.ts"
import type { Digester } from "./Ledger.ts"

export const secretFile = (ledger: string): string => `${ledger}.key`

/** Whether there is a ledger, which means a file that is not empty. */
export const ledgerExists = (ledger: string): boolean => existsSync(ledger) && statSync(ledger).size > 0

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

export const newSecret = (): string => randomBytes(32).toString("hex")

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

const blockLength = 64
const digestLength = 16
const wholeLength = 32

/** How many digests are cached, and the longest text (in characters) whose digest is cached. */
const mostRepeated = 2_000
const longestRepeated = 12

/**
 * Computes keyed digests: HMAC-SHA256, cut to 16 bytes. The secret is 64 hexadecimal digits, one block of SHA-256, so its pads are ASCII and can be
 * prepended to a text. Two calls of `crypto.hash` then compute the HMAC in well under half the time of `createHmac`. A letter before each text
 * distinguishes keys, contents and values.
 */
export const makeDigester = (secret: string): Digester => {
  if (!isLedgerSecret(secret)) throw new Error("The ledger's secret is not 64 hexadecimal digits.")
  const pad = (byte: number) => Buffer.from(Buffer.from(secret, "latin1").map((one) => one ^ byte)).toString("latin1")
  const inner = pad(0x36)
  const outer = Buffer.alloc(blockLength + wholeLength)
  outer.write(pad(0x5c), 0, "latin1")
  // Passes strings from one call to the other: creating Buffers costs more than hashing.
  const hmac = (text: string): Buffer => {
    outer.write(hash("sha256", inner + text, "binary"), blockLength, "latin1")
    const digest = Buffer.allocUnsafe(digestLength)
    digest.write(hash("sha256", outer, "binary"), 0, digestLength, "latin1")
    return digest
  }
  const repeated = new Map<string, Buffer>()
  /** Choices, numbers and days repeat, so their digests are cached. A look-up takes a tenth of the time of a computation. */
  const ofShort = (json: string): Buffer => {
    const known = repeated.get(json)
    if (known !== undefined) return known
    const digest = hmac(`v${json}`)
    // Empties the cache when it is full. The texts that repeat most are soon cached again.
    if (repeated.size === mostRepeated) repeated.clear()
    repeated.set(json, digest)
    return digest
  }
  return {
    key: (key) => hmac(`k${key}`),
    content: (cells) => {
      // Writes lengths before the cells: ["ab", ""] must differ from ["a", "b"].
      let text = "c"
      for (const cell of cells) text += `${cell.length}:${cell}`
      return hmac(text)
    },
    value: (value) => {
      const json = canonicalJson(value)
      return json.length <= longestRepeated ? ofShort(json) : hmac(`v${json}`)
    },
  }
}

/** Returns what a ledger records to recognise its secret, without revealing it. Existing ledgers contain it, so the text must never change. */
export const proofOf = (digest: Digester): string => digest.value("the secret of this ledger").toString("hex")
