/** What a text may be read as when only formatting is left out of account. */
interface LooseText {
  /** Letters and digits, lower case, without leading zeros; `|` where something stood between two digits. Or a number. */
  readonly plain: string
  /** The same without any `|`. */
  readonly joined: string
}

const number = /^[+-]?(\d+)(?:[.,](\d+))?(?:e([+-]?\d{1,2}))?$/

const leadingZeros = /(?<!\d)0+(?=\d)/g

/** A number with decimals or an exponent, as plain digits; `.` before what is left of the decimals. */
const plainNumber = (text: string): string | undefined => {
  const [, whole = "", decimals = "", exponent = "0"] = number.exec(text) ?? []
  const shift = Number(exponent)
  if (whole === "" || (decimals === "" && shift === 0)) return undefined
  const digits = `${"0".repeat(Math.max(0, -shift))}${whole}${decimals}${
    "0".repeat(Math.max(0, shift - decimals.length))
  }`
  const point = whole.length + Math.max(0, -shift) + shift
  const before = digits.slice(0, point).replace(/^0+(?=\d)/, "")
  const after = digits.slice(point).replace(/0+$/, "")
  return after === "" ? before || "0" : `${before || "0"}.${after}`
}

const loose = (part: string): LooseText => {
  const text = part.normalize("NFKC").trim().toUpperCase().toLowerCase().normalize("NFKC")
  const parts = text.replaceAll(/[^\p{L}\p{N}\p{M}]+/gu, "|").replaceAll(/^\||\|$/g, "")
  const decimal = plainNumber(text)
  // Three digits behind the point may be thousands as well.
  const joined = decimal === undefined || /[.,]\d{3}$/.test(text)
    ? parts.replaceAll("|", "").replaceAll(leadingZeros, "")
    : decimal
  const plain = decimal ?? parts.replaceAll(/(?<!\d)\||\|(?!\d)/g, "").replaceAll(leadingZeros, "")
  // A key of punctuation alone is what it is.
  return joined === "" ? { plain: text, joined: text } : { plain, joined }
}

/** Parts of a key of several columns. */
const partsOf = (key: string): ReadonlyArray<string> => {
  if (!key.startsWith('["')) return [key]
  try {
    const parts: unknown = JSON.parse(key)
    return Array.isArray(parts) ? parts.map(String) : [key]
  } catch {
    return [key]
  }
}

const between = "\u0001"

/**
 * Returns texts by which a row key is found again after only its formatting changed: case, spaces, punctuation, leading zeros, number notation, Unicode form. Two keys are alike if a text of `stored` for
 * one is a text of `sought` for the other. `1-12` and `11-2` are not alike, because both have their digits apart; `1-12` and `112` are.
 */
export const looseKey = (
  key: string,
): { readonly stored: ReadonlyArray<string>; readonly sought: ReadonlyArray<string> } => {
  const parts = partsOf(key).map(loose)
  const plain = parts.map((part) => part.plain).join(between)
  const joined = parts.map((part) => part.joined).join(between)
  return joined !== plain
    ? { stored: [`=${plain}`, `|${joined}`], sought: [`=${plain}`, `=${joined}`] }
    : { stored: [`=${plain}`], sought: [`=${plain}`, `|${plain}`] }
}

/** Returns a key without its characters that are not ASCII: all that is certain if they may have been read in the wrong encoding. Undefined if there are none. */
export const asciiOf = (key: string): string | undefined => {
  const ascii = key.replaceAll(/[^\0-\x7f]+/g, "")
  return ascii === key ? undefined : ascii
}
