import { hash, randomBytes } from "node:crypto"
import { canonicalJson } from "../domain/json.ts"
import { isLedgerSecret } from "../domain/secret.ts"
import type { Digester } from "./Ledger.ts"

export const newSecret = (): string => randomBytes(32).toString("hex")

const blockLength = 64
/** The length of a digest, in bytes. */
export const digestLength = 16
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
