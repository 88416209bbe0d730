import type { AnswerDigests } from "./Ledger.ts"
import type { Texts } from "./Texts.ts"

const hasSent = 1
const hasReturned = 2
const alike = 4

/**
 * Answer digests as bytes, an eighth of their JSON: per answer the number of its id (4 bytes), what there is (1), and each digest with its length before it; one that came back as it was
 * sent stands once.
 */
export const packAnswers = (answers: AnswerDigests, texts: Texts): Buffer => {
  const parts: Array<Buffer> = []
  for (const [id, { sent, returned }] of Object.entries(answers)) {
    const head = Buffer.alloc(5)
    head.writeUInt32LE(texts.idOf(id), 0)
    const same = sent !== undefined && sent === returned
    head[4] = (sent === undefined ? 0 : hasSent) | (returned === undefined ? 0 : hasReturned) | (same ? alike : 0)
    parts.push(head)
    if (sent !== undefined) parts.push(measured(sent))
    if (returned !== undefined && !same) parts.push(measured(returned))
  }
  return Buffer.concat(parts)
}

const measured = (hex: string): Buffer => {
  const bytes = Buffer.from(hex, "hex")
  if (bytes.length * 2 !== hex.length || bytes.length > 255) throw new Error("An answer's digest is not hexadecimal.")
  return Buffer.concat([Buffer.from([bytes.length]), bytes])
}

export const unpackAnswers = (bytes: Buffer, texts: Texts): AnswerDigests => {
  const answers: Record<string, { sent?: string; returned?: string }> = Object.create(null)
  let at = 0
  const digest = (): string => {
    const length = bytes[at] ?? 0
    at += 1 + length
    return bytes.toString("hex", at - length, at)
  }
  while (at < bytes.length) {
    const id = texts.textOf(bytes.readUInt32LE(at)) ?? ""
    const flags = bytes[at + 4] ?? 0
    at += 5
    const answer: { sent?: string; returned?: string } = {}
    if ((flags & hasSent) !== 0) answer.sent = digest()
    if ((flags & alike) !== 0 && answer.sent !== undefined) answer.returned = answer.sent
    else if ((flags & hasReturned) !== 0) answer.returned = digest()
    answers[id] = answer
  }
  return answers
}
