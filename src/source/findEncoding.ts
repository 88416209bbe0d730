import { Effect } from "effect"
import { isAscii, isUtf8 } from "node:buffer"
import type { Bytes } from "./bytes.ts"
import { detectEncoding, iconvName } from "./detectEncoding.ts"
import { checkedUtf8, chooseEncoding, cutCharacter, lengthOfCharacter, tableEncoding } from "./encoding.ts"
import type { Encoding } from "./encoding.ts"
import { limits } from "./limits.ts"
import { SourceError } from "./Source.ts"

/** Bytes of lines that are shown to the detection at most: more of them make it slow, not better. */
const sampleBytes = 64 * 1024

/** Of one line at most; a header may be long. */
const lineBytes = 4096

/** Lines that are not ASCII, out of bytes that are not UTF-8, and what speaks for UTF-8 all the same. */
interface Sample {
  readonly lines: Uint8Array
  /** Characters of several bytes that are right in UTF-8, and bytes that are not. */
  readonly right: number
  readonly wrong: number
}

const lineFeed = 0x0a

/** Counts characters beyond ASCII in bytes taken as UTF-8. */
const countCharacters = (line: Uint8Array) => {
  let right = 0
  let wrong = 0
  for (let at = 0; at < line.length;) {
    if (line[at]! < 0x80) {
      at++
      continue
    }
    const length = lengthOfCharacter(line[at]!)
    if (length > 1 && isUtf8(line.subarray(at, at + length))) {
      right++
      at += length
    } else {
      wrong++
      at++
    }
  }
  return { right, wrong }
}

/** Whether the first `limits.looked` bytes are ASCII, else UTF-8, else neither. */
const looksLike = (bytes: Bytes) =>
  Effect.scoped(Effect.gen(function*() {
    const next = yield* bytes.look
    let kept: Uint8Array = new Uint8Array(0)
    let ascii = true
    for (let read = 0; read < limits.looked;) {
      const block = yield* next
      if (block === undefined) return kept.length > 0 ? "neither" : ascii ? "ascii" : "utf-8"
      read += block.length
      ascii &&= isAscii(block)
      const all = kept.length === 0 ? block : Buffer.concat([kept, block])
      const whole = all.subarray(0, all.length - cutCharacter(all))
      if (!isUtf8(whole)) return "neither"
      kept = Uint8Array.from(all.subarray(whole.length))
    }
    return ascii ? "ascii" : "utf-8"
  }))

const takeSample = (bytes: Bytes) =>
  Effect.scoped(Effect.gen(function*() {
    const next = yield* bytes.look
    const lines: Array<Uint8Array> = []
    let taken = 0
    let right = 0
    let wrong = 0
    let rest: Uint8Array = new Uint8Array(0)
    const take = (line: Uint8Array) => {
      if (isAscii(line)) return
      const counted = countCharacters(line)
      right += counted.right
      wrong += counted.wrong
      if (taken >= sampleBytes) return
      const part = Uint8Array.from(line.subarray(0, lineBytes))
      lines.push(part, Uint8Array.of(lineFeed))
      taken += part.length
    }
    for (let read = 0; read < limits.looked;) {
      const block = yield* next
      if (block === undefined || taken >= sampleBytes) break
      read += block.length
      const all = rest.length === 0 ? block : Buffer.concat([rest, block])
      let from = 0
      for (let end = all.indexOf(lineFeed); end !== -1; end = all.indexOf(lineFeed, from)) {
        take(all.subarray(from, end))
        from = end + 1
      }
      rest = Uint8Array.from(all.subarray(from, from + 16 * lineBytes))
    }
    take(rest)
    const sample: Sample = { lines: Buffer.concat(lines), right, wrong }
    return sample
  }))

/** Whether bytes hold more control characters than a text by mistake. */
const isBinary = (lines: Uint8Array) => {
  let controls = 0
  for (const byte of lines) if (byte < 0x20 && byte !== 0x09 && byte !== 0x0a && byte !== 0x0d) controls++
  return controls >= Math.max(3, lines.length / 50)
}

/** An encoding, and what people should know about how it was found. */
interface Found {
  readonly encoding: Encoding
  readonly warnings: ReadonlyArray<string>
}

/** Returns why a detected encoding may be wrong, as the end of a sentence. */
const doubts = (names: ReadonlyArray<string>) =>
  names.length === 0
    ? "so few characters beyond ASCII prove little"
    : `${names.join(" or ")} ${names.length === 1 ? "is" : "are"} about as likely`

/**
 * How a file's text is encoded: by its mark, as the pipeline says, UTF-8 if its first `limits.looked` bytes are, else detected. A text that
 * is UTF-8 for the greater part stays so: reading it will name the byte that is not.
 */
export const findEncoding = (bytes: Bytes, asked: string | undefined): Effect.Effect<Found, SourceError> =>
  Effect.gen(function*() {
    const { file } = bytes
    const encoding = chooseEncoding(yield* bytes.head(4096), asked)
    if (encoding === undefined) {
      const message =
        `There is no encoding called ${asked}. Correct \`source.encoding\`: for example utf-8, windows-1252 or iso-8859-15.`
      return yield* new SourceError({ file, message })
    }
    const plain: Found = { encoding, warnings: [] }
    if (encoding.because !== checkedUtf8) return plain
    const known = detections.get(bytes)
    if (known !== undefined) return known
    const look = yield* looksLike(bytes)
    const found = look === "neither"
      ? yield* detected(bytes, plain)
      : { ...plain, encoding: { ...encoding, ascii: look === "ascii" } }
    detections.set(bytes, found)
    return found
  })

/** What was found for a file that is open, so that it is not looked for twice. */
const detections = new WeakMap<Bytes, Found>()

const detected = (bytes: Bytes, plain: Found): Effect.Effect<Found, SourceError> =>
  Effect.gen(function*() {
    const { file } = bytes
    const sample = yield* takeSample(bytes)
    if (isBinary(sample.lines)) {
      const message =
        `${file} is no text, and no workbook or archive that is known: it is of another kind, or damaged. Export it again, or as CSV.`
      return yield* new SourceError({ file, message })
    }
    if (sample.right > 0 && sample.right >= sample.wrong) return plain
    // A large table of letters' frequencies: loaded when the first file asks for it.
    const { detectAll } = yield* Effect.promise(() => import("jschardet"))
    const likely = detectEncoding(sample.lines, detectAll)
    if (likely === undefined) return plain
    const { also, example, few, name } = likely
    const warnings = also.length === 0 && !few ? [] : [
      `${file} is not UTF-8. It was taken as ${name}, in which it reads “${example}”; but ${doubts(also)}. `
      + `If that reads right, say \`encoding: ${name.toLowerCase()}\` under \`source\`; else name the right one.`,
    ]
    return { encoding: tableEncoding(name, iconvName(name), "detected: it is not UTF-8"), warnings }
  })
