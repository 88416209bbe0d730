// Row keys, and what remains of them when they are reformatted, or read in a different encoding.

import { isList, parsedJson } from "./json.ts"

/** A text in one letter case and Unicode form. */
interface Folded {
  readonly text: string
  /** Digits and lower-case letters, with `|` for anything between two of them. */
  readonly parts: string
  /** The plain digits of a number that has decimals or an exponent. */
  readonly decimal: string | undefined
}

const number = /^[+-]?(\d*)(?:[.,](\d+))?(?:e([+-]?\d{1,2}))?$/

const leadingZeros = /(?<!\d)0+(?=\d)/g

/** Returns a number that has decimals or an exponent as plain digits, with `.` before any remaining decimals. */
const plainNumber = (text: string): string | undefined => {
  const [, whole = "", decimals = "", exponent = "0"] = number.exec(text) ?? []
  const shift = Number(exponent)
  if (decimals === "" && (whole === "" || shift === 0)) return undefined
  const digits = `${"0".repeat(Math.max(0, -shift))}${whole}${decimals}${
    "0".repeat(Math.max(0, shift - decimals.length))
  }`
  const point = whole.length + Math.max(0, -shift) + shift
  const before = digits.slice(0, point).replace(/^0+(?=\d)/, "")
  const after = digits.slice(point).replace(/0+$/, "")
  return after === "" ? before || "0" : `${before || "0"}.${after}`
}

/** Only all steps make `ẞ`, `ß` and `ss` equal, and `İ`, `I`, `ı` and `i`. ASCII needs only one. */
const inOneCase = (part: string): string =>
  !/[^\0-\x7f]/.test(part)
    ? part.trim().toLowerCase()
    : part.normalize("NFKC").trim().toLowerCase().toUpperCase().toLowerCase().replaceAll("i\u0307", "i").normalize(
      "NFKC",
    )

const folded = (part: string): Folded => {
  const text = inOneCase(part)
  const parts = text.replaceAll(/[^\p{L}\p{N}\p{M}]+/gu, "|").replaceAll(/^\||\|$/g, "")
  return { text, parts, decimal: plainNumber(text) }
}

/**
 * Returns digits and lower-case letters, without leading zeros, and with `|` for anything between two digits. For a number, returns its plain digits. A
 * text that consists only of punctuation is compared unchanged.
 */
const plain = ({ decimal, parts, text }: Folded): string =>
  parts === ""
    ? text
    : decimal ?? parts.replaceAll(/(?<!\d)\||\|(?!\d)/g, "").replaceAll(leadingZeros, "")

/** Returns the same without any `|`. A point before three digits may also separate thousands. */
const joined = ({ decimal, parts, text }: Folded): string =>
  parts === ""
    ? text
    : decimal === undefined || /[.,]\d{3}$/.test(text)
    ? parts.replaceAll("|", "").replaceAll(leadingZeros, "")
    : decimal

/** Returns a text without its formatting: case, spaces, punctuation, leading zeros, number notation, Unicode form. */
export const looseText = (text: string): string => plain(folded(text))

/**
 * Returns the row key made of the trimmed texts of its columns. Undefined if all are empty. Several texts are joined as a JSON list, so that different
 * keys have different texts.
 */
export const joinedKey = (parts: ReadonlyArray<string>): string | undefined =>
  parts.every((part) => part === "") ? undefined : parts.length === 1 ? parts[0] : JSON.stringify(parts)

/** Returns the parts of a key that is made of several columns. */
const partsOf = (key: string): ReadonlyArray<string> => {
  const parts = key.startsWith('["') ? parsedJson(key) : undefined
  return parts !== undefined && isList(parts) ? parts.map(String) : [key]
}

const between = "\u0001"

/**
 * Returns strings that find a row key again after its formatting changed: case, spaces, punctuation, leading zeros,
 * number notation, Unicode form. Two keys are alike if a `stored` string of one is a `sought` string of the other.
 * `1-12` and `112` are alike. `1-12` and `11-2` are not, because both separate their digits, but differently.
 */
export const looseKey = (
  key: string,
): { readonly stored: ReadonlyArray<string>; readonly sought: ReadonlyArray<string> } => {
  const parts = partsOf(key).map(folded)
  const plainKey = parts.map(plain).join(between)
  const joinedKeys = parts.map(joined).join(between)
  return joinedKeys !== plainKey
    ? { stored: [`=${plainKey}`, `|${joinedKeys}`], sought: [`=${plainKey}`, `=${joinedKeys}`] }
    : { stored: [`=${plainKey}`], sought: [`=${plainKey}`, `|${plainKey}`] }
}

/** U+FFFD, or a character of two or more bytes whose bytes became one character each. */
const damage = /\ufffd|[\u00c2-\u00f4][\u0080-\u00bf\u0152-\u0178\u017d\u017e\u0192\u02c6\u02dc\u2013-\u2122]/

/** Whether some characters of a key were probably lost or changed by an earlier program. */
export const isDamaged = (key: string): boolean => damage.test(key)

/** Returns the ASCII characters of a key, because only these are the same in every encoding. Undefined if the key has no other characters. */
export const asciiOf = (key: string): string | undefined => {
  const ascii = key.replaceAll(/[^\0-\x7f]+/g, "")
  return ascii === key ? undefined : ascii
}
