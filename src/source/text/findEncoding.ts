import * as Effect from "effect/Effect"
import iconv from "iconv-lite"
import type { detectAll } from "jschardet"
import { isAscii, isUtf8 } from "node:buffer"
import type { Bytes } from "../bytes.ts"
import { limits } from "../limits.ts"
import { refusing, type SourceError } from "../Source.ts"
import {
  checkedUtf8,
  chooseEncoding,
  cutCharacter,
  type Encoding,
  encodingOf,
  lengthOfCharacter,
  uncut,
  withEuro,
} from "./encoding.ts"

/** The maximum number of bytes that are used for detection. More bytes would make detection slower, but not better. */
const sampleBytes = 64 * 1024

/** A longer line is sampled in parts of about this many bytes, so that the ASCII parts of a long header don't fill the sample. */
const partBytes = 1024

/** Counts of what bytes beyond ASCII are in UTF-8. They may show that a file was meant as UTF-8. */
interface Utf8Counts {
  /** The number of valid characters. */
  right: number
  /** The number of characters without their last bytes (`cutCharacters`). */
  cut: number
  /** The number of other bytes. */
  wrong: number
}

const lineFeed = 0x0a
const carriageReturn = 0x0d

/**
 * Whether bytes are half of a surrogate pair, encoded like a character of UTF-8. Programs that don't know characters beyond 16 bits write an emoji as two
 * of them. In other encodings, these bytes hardly ever follow each other.
 */
const isHalf = (bytes: Uint8Array) =>
  bytes[0] === 0xed && ((bytes[1] ?? 0) & 0xe0) === 0xa0 && ((bytes[2] ?? 0) & 0xc0) === 0x80

/**
 * Starts of UTF-8 characters, as Latin-1 text, that hardly ever occur in another encoding. They are those of signs such as dashes, quotes and the euro
 * sign (`â€`, not `â…`), of emoji (`ðŸ`), and of letters such as ü after a letter in lower case (`rÃ`). At the end of the file, one byte is enough.
 */
const cutCharacters =
  /\xe2[\x80-\x84\x86-\x88\x98-\x9e]|\xef[\xb8\xbc\xbd\xbf]|\xf0\x9f[\x80-\xbf]?|(?<=[a-z])[\xc2\xc3]|[\xc2\xc3\xe2\xf0]$/y

/** Reads the bytes of a line as UTF-8, and adds to the counts. */
const countCharacters = (line: Uint8Array, isEnd: boolean, counts: Utf8Counts): void => {
  const text = Buffer.from(line).toString("latin1") + (isEnd ? "" : "\n")
  for (let at = 0; at < line.length;) {
    if (line[at]! < 0x80) {
      at++
      continue
    }
    const length = lengthOfCharacter(line[at]!)
    const character = line.subarray(at, at + length)
    cutCharacters.lastIndex = at
    if (length > 1 && (isUtf8(character) || isHalf(character))) {
      counts.right++
      at += length
    } else if (cutCharacters.test(text)) {
      counts.cut++
      at = cutCharacters.lastIndex
    } else {
      counts.wrong++
      at++
    }
  }
}

/** Returns whether the first `limits.looked` bytes are ASCII, UTF-8 or neither. */
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

/** Returns the lines, and parts of long lines, that are not ASCII, of a file that is not valid UTF-8, with what they are in UTF-8. */
const takeSample = (bytes: Bytes) =>
  Effect.scoped(Effect.gen(function*() {
    const next = yield* bytes.look
    const lines: Array<Uint8Array> = []
    let taken = 0
    const counts: Utf8Counts = { right: 0, cut: 0, wrong: 0 }
    let rest: Uint8Array = new Uint8Array(0)
    let isEnd = false
    const take = (line: Uint8Array) => {
      if (isAscii(line)) return
      countCharacters(line, isEnd, counts)
      if (taken >= sampleBytes) return
      // The last line may be cut within a character, so no line feed follows it.
      if (lines.length > 0) lines.push(Uint8Array.of(lineFeed))
      lines.push(Uint8Array.from(line))
      taken += line.length
    }
    for (let read = 0; read < limits.looked;) {
      const block = yield* next
      isEnd = block === undefined
      if (block === undefined || taken >= sampleBytes) break
      read += block.length
      const all = rest.length === 0 ? block : Buffer.concat([rest, block])
      let from = 0
      for (let end = 0; end < all.length; end++) {
        const byte = all[end]!
        if (byte !== lineFeed && byte !== carriageReturn && (byte >= uncut || end - from < partBytes)) continue
        take(all.subarray(from, end))
        from = end + 1
      }
      rest = Uint8Array.from(all.subarray(from))
    }
    take(rest)
    return { lines: Buffer.concat(lines), ...counts }
  }))

/** Whether bytes contain too many control characters to be text. */
const isBinary = (lines: Uint8Array) => {
  let controls = 0
  for (const byte of lines) if (byte < 0x20 && byte !== 0x09 && byte !== 0x0a && byte !== 0x0d) controls++
  return controls >= Math.max(3, lines.length / 50)
}

const noText = (file: string, hint = "") =>
  refusing(file)(
    `is neither text nor a known kind of workbook or archive. It may be damaged. Export it again, or as CSV.${hint}`,
  )

/** An encoding, and warnings about how it was found. */
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
 * Returns a file's text encoding. A byte order mark determines it, or else the pipeline's `encoding`. Without either, it
 * is UTF-8 if the first `limits.looked` bytes are valid, and is detected if not. A file that is mostly UTF-8 counts as
 * UTF-8, so that reading it reports the invalid bytes.
 */
export const findEncoding = (bytes: Bytes, asked: string | undefined): Effect.Effect<Found, SourceError> =>
  Effect.gen(function*() {
    const head = yield* bytes.head(4096)
    const encoding = chooseEncoding(head, asked)
    const plain: Found = { encoding, warnings: [] }
    if (encoding.because !== checkedUtf8) return plain
    // A database's file may be valid UTF-8, too, but begins with several NUL characters.
    if (/^[^\r\n]*(?:\0[^\r\n]*){3}/.test(Buffer.from(head).toString("latin1"))) {
      return yield* noText(bytes.file, " If it is text, set `source.encoding`.")
    }
    const known = detections.get(bytes)
    if (known !== undefined) return known
    const look = yield* looksLike(bytes)
    const found = look === "neither"
      ? yield* detected(bytes, plain)
      : { ...plain, encoding: { ...encoding, ascii: look === "ascii" } }
    detections.set(bytes, found)
    return found
  })

/** The encodings of open files, so that each file's encoding is detected only once. */
const detections = new WeakMap<Bytes, Found>()

const detected = (bytes: Bytes, plain: Found): Effect.Effect<Found, SourceError> =>
  Effect.gen(function*() {
    const { file } = bytes
    const sample = yield* takeSample(bytes)
    if (isBinary(sample.lines)) return yield* noText(file)
    const { cut, right, wrong } = sample
    if (right > 0 ? right + cut >= wrong : cut > wrong) return plain
    // A large table of letter frequencies, so it is loaded only when a file needs it.
    const { detectAll } = yield* Effect.promise(() => import("jschardet"))
    const likely = detectEncoding(sample.lines, detectAll)
    if (likely === undefined) return plain
    const { also, example, few, name } = likely
    const warnings = also.length === 0 && !few ? [] : [
      `${file} is not UTF-8. It was read as ${name}, which gives “${example}”, but ${doubts(also)}. `
      + `If that is correct, write \`encoding: ${name.toLowerCase()}\` under \`source\`; otherwise name the right one.`,
    ]
    return { encoding: encodingOf(name, "detected: it is not UTF-8", iconvName(name)), warnings }
  })

/** A likely encoding. */
export interface Detected {
  readonly name: string
  /** Other encodings that are about as likely, and in which the text would be different. */
  readonly also: ReadonlyArray<string>
  /** Whether there are too few characters beyond ASCII to prove much. */
  readonly few: boolean
  /** A few of the characters beyond ASCII, as decoded. */
  readonly example: string
}

/**
 * The encodings that may be detected: jschardet's name, and the name that we show and use for decoding. If two encodings give the same text, the one
 * with more characters is listed.
 */
const candidates: Readonly<Record<string, string>> = {
  "Windows-1252": "Windows-1252",
  "iso8859-15": "ISO-8859-15",
  MacRoman: "MacRoman",
  cp850: "CP850",
  "Windows-1250": "Windows-1250",
  "ISO-8859-2": "ISO-8859-2",
  cp852: "CP852",
  "Windows-1251": "Windows-1251",
  "ISO-8859-5": "ISO-8859-5",
  IBM866: "CP866",
  "KOI8-R": "KOI8-R",
  "koi8-u": "KOI8-U",
  "Windows-1253": "Windows-1253",
  "ISO-8859-7": "ISO-8859-7",
  "Windows-1254": "Windows-1254",
  "Windows-1255": "Windows-1255",
  "Windows-1256": "Windows-1256",
  "ISO-8859-6": "ISO-8859-6",
  CP874: "Windows-874",
  "Windows-1257": "Windows-1257",
  CP932: "Shift_JIS",
  "EUC-JP": "EUC-JP",
  GB18030: "GB18030",
  Big5: "Big5",
  CP949: "EUC-KR",
  MacLatin2: "MacCentEuro",
  MacGreek: "MacGreek",
  MacTurkish: "MacTurkish",
  cp737: "CP737",
  cp857: "CP857",
}

/** Encodings of old systems. Few files have them, so they must be clearly more plausible than the others. */
const seldom: ReadonlySet<string> = new Set(["MacCentEuro", "MacGreek", "MacTurkish", "CP737", "CP857"])
const weightOfSeldom = 0.5

/** Encodings in which some characters consist of several bytes. */
const multiByte: ReadonlySet<string> = new Set(["Shift_JIS", "EUC-JP", "GB18030", "Big5", "EUC-KR"])

/**
 * Fewer wide characters than `fewWide` are stray bytes. If there are at least `manyWide`, the share of other letters
 * does not matter.
 */
const fewWide = 8
const manyWide = 50

/**
 * Whether text is written in a script of wide characters. There must be many of them, they must form words, and they
 * must not be rare among ASCII letters.
 */
const isWide = (text: string): boolean => {
  const wide = times(text, highs)
  const inWords = (text.match(/\P{ASCII}{2,}/gu) ?? []).join("").length
  return wide >= fewWide && inWords >= 0.6 * wide && (wide >= manyWide || wide >= 0.1 * times(text, /\p{L}/gu))
}

const iconvNames: Readonly<Record<string, string>> = { Shift_JIS: "cp932", "EUC-KR": "cp949" }

/** Returns iconv-lite's name for a detected encoding. */
const iconvName = (name: string): string => iconvNames[name] ?? name

/** Names that are passed to jschardet. It takes standard names, and returns those of `candidates`. */
const asked = [...Object.keys(candidates), "SHIFT_JIS", "EUC-KR", "ISO-8859-15"]

/** Decodes text, or returns undefined if some of it is not valid in this encoding. Omits an incomplete last character. */
const strictText = (sample: Uint8Array, name: string): string | undefined => {
  const text = withEuro(name, iconv.getDecoder(iconvName(name), { stripBOM: false }).write(Buffer.from(sample)))
  return /[\ufffd\u0080-\u009f]/.test(text) ? undefined : text
}

/** Signs that occur more often in tables of characters than in answers, and signs before letters. */
const rare = /[¦¨¸¬¯˝˛ˇ˘˙ˆ˜\u00ad\u2500-\u259f]|[¶¼½¾](?=\p{L})/gu
/** The sign that the euro sign replaced. It is hardly ever typed. */
const currencySign = /¤/gu
/** A single letter that is not a word in any language with Latin script. */
const loneLetter = /(?<!\p{L})(?![àáâæåèéíòóöøùúÀÁÂÆÅÈÉÍÒÓÖØÙÚ])[\u00c0-\u024f](?!\p{L})/gu
/** An upper-case letter after a lower-case one, if one of the two is not ASCII. */
const brokenCase = /(?:\p{Ll}(?![A-Za-z])\p{Lu}|(?![A-Za-z])\p{Ll}\p{Lu})/gu
/** A sign in the middle of a word. */
const signInWord = /\p{L}(?!\p{ASCII})[\p{S}\p{Ps}\p{Pe}\p{Pi}\p{Pf}\p{Po}](?<![’‘])(?=\p{Ll})/gu
/**
 * Letters of Windows-1252 that are č, ć and đ in Windows-1250, in places where only the latter occur. They count if there is also a š or ž, which is the
 * same in both encodings, because Latin words may end in `iæ`.
 */
const misplaced = /è(?=[aeiou])|(?<=\p{L}i)æ(?!\p{L})|(?<!\p{L})ð(?=\p{L})/giu
const mixedScripts = /[A-Za-z][\u0370-\u0eff]|[\u0370-\u0eff][A-Za-z]/gu
/** Letters of Windows-1252 that are ž and š in Windows-1257. The languages that have õ have ž and š. */
const notBaltic = /[þð]/giu
/** A letter of Windows-1250 that is ñ in Windows-1252, and its places in which Polish would have `ni`. */
const polish = /ń/giu
const notPolish = /ń(?=[aeiouyáéíóúąę])/giu
const highs = /\P{ASCII}/gu

const times = (text: string, pattern: RegExp) => text.match(pattern)?.length ?? 0

/**
 * Returns how plausible decoded text is, from 0 to 1. jschardet counts the frequency of letters. This function counts
 * sequences that occur in no language.
 */
const plausibility = (text: string): number => {
  const high = times(text, highs)
  const odd = times(text, brokenCase) + times(text, signInWord) + times(text, mixedScripts) + times(text, loneLetter)
    + times(text, rare) + (/[šž]/i.test(text) ? times(text, misplaced) : 0)
    + (/õ/i.test(text) ? 4 * times(text, notBaltic) : 0)
    + 4 * times(text, currencySign)
  // The other letters of Spanish are the same in both encodings, so a few of these decide.
  const spanish = 2 * times(text, notPolish) > times(text, polish) ? 0.2 : 1
  return high === 0 ? 0 : Math.max(0.02, 1 - odd / high) * spanish
}

/** The encoding that is chosen if several are equally likely, because most such files have it. */
const preferred = "Windows-1252"

/** No warning is needed if the best encoding scores better than the others by this factor. */
const clearly = 1.15

/** The same for encodings of wide characters: a few dozen kanji are also valid Chinese. */
const clearlyWide = 4

/** The same for `preferred` if the best encoding is Windows-1250: names from all over Europe resemble Croatian or Slovene in that encoding. */
const clearlyCentral = 2

/**
 * Returns the encoding of bytes that are not UTF-8. Weights jschardet's candidates by how plausible their text is. Undefined if the bytes are not
 * valid in any candidate.
 *
 * @param sample lines with bytes beyond ASCII. The last one may be cut.
 */
const detectEncoding = (sample: Uint8Array, detect: typeof detectAll): Detected | undefined => {
  const found = detect(sample, { minimumThreshold: 0, detectEncodings: asked })
  const byName = new Map<string, { readonly text: string; readonly score: number }>()
  for (const [encoding, name] of Object.entries(candidates)) {
    const confidence = found.find((one) => one.encoding === encoding)?.confidence
    if (confidence === undefined) continue
    const text = strictText(sample, name)
    if (text !== undefined) {
      byName.set(name, { text, score: confidence * plausibility(text) * (seldom.has(name) ? weightOfSeldom : 1) })
    }
  }
  // jschardet may find no candidate for a few bytes.
  if (!byName.has(preferred)) {
    const text = strictText(sample, preferred)
    if (text !== undefined) byName.set(preferred, { text, score: 0.001 * plausibility(text) })
  }
  const ranked = [...byName].map(([name, one]) => ({ name, ...one })).sort((a, b) => b.score - a.score)
  const first = ranked.find(({ name, text }) => !multiByte.has(name) || isWide(text))
  if (first === undefined) return undefined
  const usual = ranked.find(({ name }) => name === preferred)
  const best = usual !== undefined && usual.score * clearly >= first.score ? usual : first
  const few = times(best.text, highs) < 3
  const factor = (name: string) =>
    multiByte.has(name) || multiByte.has(best.name)
      ? clearlyWide
      : name === preferred && best.name === "Windows-1250"
      ? clearlyCentral
      : clearly
  const also = ranked.filter(({ name, score, text }) =>
    name !== best.name && text !== best.text
    && (score * factor(name) >= best.score || (few && score > best.score / 4))
  )
  const example = [...best.text.matchAll(/[^\r\n]{0,12}\P{ASCII}+[^\r\n]{0,12}/gu)].slice(0, 2)
  return {
    name: best.name,
    also: also.slice(0, 3).map(({ name }) => name),
    few,
    example: example.map(([text]) => text.trim()).join(" … "),
  }
}
