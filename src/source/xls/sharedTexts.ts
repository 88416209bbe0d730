import { BadRecords } from "./SheetRecords.ts"

/** A part of the bytes: of one record, or of one that continues it. */
type Part = readonly [from: number, to: number]

/** What a workbook says of its shared texts. */
export interface SharedTexts {
  /** Cells that refer to them, as it counts. */
  readonly references: number
  readonly texts: number
}

/** Goes through the shared texts (MS-XLS, section 2.4.265): as many as are told have to end where their records do. Throws `BadRecords`. */
export const checkSharedTexts = (bytes: Buffer, parts: ReadonlyArray<Part>): SharedTexts => {
  let part = 0
  let [at = 0, to = 0] = parts[0] ?? []
  const wrong = () => new BadRecords("texts whose sizes do not add up")
  const nextPart = () => {
    const next = parts[++part]
    if (next === undefined) throw wrong()
    ;[at, to] = next
  }
  const goOn = () => {
    for (;;) {
      if (at < to) return
      nextPart()
    }
  }
  const byte = (): number => {
    goOn()
    return bytes[at++]!
  }
  const number = (size: 2 | 4): number => {
    let value = 0
    for (let index = 0; index < size; index++) value += byte() * 256 ** index
    return value
  }
  const skip = (count: number) => {
    for (let left = count; left > 0;) {
      goOn()
      const step = Math.min(left, to - at)
      at += step
      left -= step
    }
  }
  const characters = (count: number, wide: boolean) => {
    for (let left = count, size = wide ? 2 : 1; left > 0;) {
      if (at >= to) {
        nextPart()
        // A text that goes on in another record says anew how wide its characters are.
        size = (bytes[at++]! & 1) === 1 ? 2 : 1
      }
      const step = Math.min(left, Math.floor((to - at) / size))
      if (step === 0) throw wrong()
      at += step * size
      left -= step
    }
  }
  const references = number(4)
  const texts = number(4)
  for (let text = 0; text < texts; text++) {
    const length = number(2)
    const flags = byte()
    const runs = (flags & 8) === 0 ? 0 : number(2)
    const extra = (flags & 4) === 0 ? 0 : number(4)
    characters(length, (flags & 1) === 1)
    skip(4 * runs + extra)
  }
  if (at < to || part < parts.length - 1) throw wrong()
  return { references, texts }
}
