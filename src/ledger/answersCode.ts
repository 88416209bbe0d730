import type { AnswerDigest, AnswerDigests } from "./records.ts"
import type { Texts } from "./Texts.ts"

const hasSent = 1
const hasReturned = 2
const alike = 4

/** Number of the answer's id, and what there is of it. */
const headLength = 5

/**
 * Answer digests as bytes, an eighth of their JSON: per answer the number of its id (4 bytes), what there is (1), and each digest with its length before it; one that came back as it was
 * sent stands once.
 */
export const packAnswers = (answers: AnswerDigests, texts: Texts): Buffer => {
  let length = 0
  for (const { sent, returned } of answers.values()) {
    length += headLength + lengthOf(sent) + (isAlike(sent, returned) ? 0 : lengthOf(returned))
  }
  const bytes = Buffer.allocUnsafe(length)
  let at = 0
  const put = (digest: Buffer) => {
    if (digest.length > 255) throw new Error("An answer's digest is too long.")
    bytes[at] = digest.length
    digest.copy(bytes, at + 1)
    at += 1 + digest.length
  }
  for (const [id, { sent, returned }] of answers) {
    const same = isAlike(sent, returned)
    bytes.writeUInt32LE(texts.idOf(id), at)
    bytes[at + 4] = (sent === undefined ? 0 : hasSent) | (returned === undefined ? 0 : hasReturned) | (same ? alike : 0)
    at += headLength
    if (sent !== undefined) put(sent)
    if (returned !== undefined && !same) put(returned)
  }
  return bytes
}

const lengthOf = (digest: Buffer | undefined): number => (digest === undefined ? 0 : 1 + digest.length)

const isAlike = (sent: Buffer | undefined, returned: Buffer | undefined): boolean =>
  sent !== undefined && returned !== undefined && (sent === returned || sent.equals(returned))

export const unpackAnswers = (bytes: Buffer, texts: Texts): AnswerDigests => {
  const answers = new Map<string, AnswerDigest>()
  let at = 0
  const digest = (): Buffer => {
    const length = bytes[at] ?? 0
    at += 1 + length
    return bytes.subarray(at - length, at)
  }
  while (at < bytes.length) {
    const id = texts.textOf(bytes.readUInt32LE(at)) ?? ""
    const flags = bytes[at + 4] ?? 0
    at += headLength
    const sent = (flags & hasSent) === 0 ? undefined : digest()
    const returned = (flags & alike) !== 0 ? sent : (flags & hasReturned) === 0 ? undefined : digest()
    answers.set(id, { sent, returned })
  }
  return answers
}
