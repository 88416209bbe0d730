/**
 * Matches characters that move a cursor, change the direction of text or are invisible: control and format characters, lone surrogates, line separators. Does not match the joiners of some scripts and
 * emoji.
 */
export const unseen = /\r\n|\p{Cc}|\p{Surrogate}|\p{Zl}|\p{Zp}|(?![\u200C\u200D])\p{Cf}/gu

const name = (character: string): string => {
  if (character === "\r\n" || character === "\n") return "↵"
  const code = character.codePointAt(0) ?? 0
  if (code < 0x20) return String.fromCodePoint(0x2400 + code)
  if (code === 0x7F) return "\u2421"
  if (code >= 0xD800 && code <= 0xDFFF) return "\uFFFD"
  return `<U+${code.toString(16).toUpperCase().padStart(4, "0")}>`
}

/**
 * Makes a text of unknown origin safe for one line of a terminal or page. Replaces control characters with visible symbols, so that no cell can move the cursor, change colours or the direction of text,
 * or fake a line.
 */
export const visible = (text: string): string => text.replace(unseen, name)

/** Whether an address of unknown origin may become a link. An address such as `javascript:` may not. */
export const isWebAddress = (address: string): boolean => /^https?:\/\//i.test(address)
