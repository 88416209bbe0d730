import iconv from "iconv-lite"
import type { detectAll } from "jschardet"
import { withEuro } from "./encoding.ts"

/** An encoding that bytes are likely to be in. */
export interface Detected {
  readonly name: string
  /** Encodings that are about as likely, and would give other characters. */
  readonly also: ReadonlyArray<string>
  /** Whether so few characters differ from ASCII that they prove little. */
  readonly few: boolean
  /** A few of the characters in question, as they are read. */
  readonly example: string
}

/** The encodings that may be detected: by jschardet's name → the name we give and decode by. Of two that share all their text the wider stands. */
const candidates: Readonly<Record<string, string>> = {
  "Windows-1252": "Windows-1252",
  "iso8859-15": "ISO-8859-15",
  MacRoman: "MacRoman",
  "Windows-1250": "Windows-1250",
  "ISO-8859-2": "ISO-8859-2",
  "Windows-1251": "Windows-1251",
  "ISO-8859-5": "ISO-8859-5",
  "KOI8-R": "KOI8-R",
  "Windows-1253": "Windows-1253",
  "ISO-8859-7": "ISO-8859-7",
  "Windows-1254": "Windows-1254",
  "Windows-1257": "Windows-1257",
  CP932: "Shift_JIS",
  "EUC-JP": "EUC-JP",
  GB18030: "GB18030",
  Big5: "Big5",
  CP949: "EUC-KR",
}

/** Encodings in which a character has several bytes. */
const multiByte: ReadonlySet<string> = new Set(["Shift_JIS", "EUC-JP", "GB18030", "Big5", "EUC-KR"])

/** Fewer characters than these in a text of ASCII are stray bytes, and no writing. */
const fewWide = 8
const manyWide = 50

/** Whether text is written in a script of wide characters: enough of them, in words, and not a few among letters of ASCII. */
const isWide = (text: string): boolean => {
  const wide = times(text, highs)
  const inWords = (text.match(/\P{ASCII}{2,}/gu) ?? []).join("").length
  return wide >= fewWide && inWords >= 0.6 * wide && (wide >= manyWide || wide >= 0.1 * times(text, /\p{L}/gu))
}

const iconvNames: Readonly<Record<string, string>> = { Shift_JIS: "cp932", "EUC-KR": "cp949" }

/** The name by which iconv-lite knows an encoding that was detected. */
export const iconvName = (name: string): string => iconvNames[name] ?? name

/** Names that jschardet is asked for; it takes the standard ones, and gives those of `candidates`. */
const asked = [...Object.keys(candidates), "SHIFT_JIS", "EUC-KR", "ISO-8859-15"]

/** Text as this encoding has it; undefined when some of it is no text there. An incomplete last character is left out. */
const strictText = (sample: Uint8Array, name: string): string | undefined => {
  const text = withEuro(name, iconv.getDecoder(iconvName(name), { stripBOM: false }).write(Buffer.from(sample)))
  return /[\ufffd\u0080-\u009f]/.test(text) ? undefined : text
}

/** Signs that are seen in tables of characters more often than in answers. */
const rare = /[¦¨¸¬¯˝˛ˇ˘˙\u00ad]/gu
/** The sign that € took the place of: nobody types it. */
const currencySign = /¤/gu
/** One letter that is no word of its own in any language written with Latin letters. */
const loneLetter = /(?<!\p{L})(?![àáâæåèéíòóöøùúÀÁÂÆÅÈÉÍÒÓÖØÙÚ])[\u00c0-\u024f](?!\p{L})/gu
/** A letter of the upper case in the middle of a word, one of the two being no ASCII. */
const brokenCase = /(?:\p{Ll}(?![A-Za-z])\p{Lu}|(?![A-Za-z])\p{Ll}\p{Lu})/gu
/** A sign in the middle of a word. */
const signInWord = /\p{L}(?!\p{ASCII})[\p{S}\p{Ps}\p{Pe}\p{Pi}\p{Pf}\p{Po}](?<![’‘])(?=\p{Ll})/gu
const mixedScripts = /[A-Za-z][\u0370-\u04ff]|[\u0370-\u04ff][A-Za-z]/gu
const highs = /\P{ASCII}/gu

const times = (text: string, pattern: RegExp) => text.match(pattern)?.length ?? 0

/** How plausible text is as people's writing, 0 to 1: jschardet knows the frequency of letters, this what no language does. */
const plausibility = (text: string): number => {
  const high = times(text, highs)
  const odd = times(text, brokenCase) + times(text, signInWord) + times(text, mixedScripts) + times(text, loneLetter)
    + times(text, rare) + 4 * times(text, currencySign)
  return high === 0 ? 0 : Math.max(0.02, 1 - odd / high)
}

/** Of equals, the encoding that most files of the kind have. */
const preferred = "Windows-1252"

/** Score by which one reading has to be better than another to be believed without a word. */
const clearly = 1.15

/**
 * The encoding that bytes are in, which are not UTF-8: jschardet's candidates, weighed by what their text looks like. Undefined when it is
 * no text in any of them.
 *
 * @param sample lines with bytes beyond ASCII, each whole
 */
export const detectEncoding = (sample: Uint8Array, detect: typeof detectAll): Detected | undefined => {
  const found = detect(sample, { minimumThreshold: 0, detectEncodings: asked })
  const byName = new Map<string, { readonly text: string; readonly score: number }>()
  for (const { confidence, encoding } of found) {
    const name = candidates[encoding ?? ""]
    if (name === undefined || byName.has(name)) continue
    const text = strictText(sample, name)
    if (text !== undefined) byName.set(name, { text, score: (confidence ?? 0) * plausibility(text) })
  }
  // A few bytes may tell nothing at all.
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
  const also = ranked.filter(({ name, score, text }) =>
    name !== best.name && text !== best.text && (score * clearly >= best.score || (few && score > best.score / 4))
  )
  const example = [...best.text.matchAll(/[^\r\n]{0,12}\P{ASCII}+[^\r\n]{0,12}/gu)].slice(0, 2)
  return {
    name: best.name,
    also: also.slice(0, 3).map(({ name }) => name),
    few,
    example: example.map(([text]) => text.trim()).join(" … "),
  }
}
