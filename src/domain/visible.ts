/**
 * Control characters, lone surrogates, line separators, and format characters: what moves a cursor, changes the direction of the text around it or can't be
 * seen. The joiners that some scripts and emoji are written with may stay.
 */
const unseen = /\r\n|\p{Cc}|\p{Surrogate}|\p{Zl}|\p{Zp}|(?![\u200C\u200D])\p{Cf}/gu

const name = (character: string): string => {
  if (character === "\r\n" || character === "\n") return "↵"
  const code = character.codePointAt(0) ?? 0
  if (code < 0x20) return String.fromCodePoint(0x2400 + code)
  if (code === 0x7F) return "\u2421"
  if (code >= 0xD800 && code <= 0xDFFF) return "\uFFFD"
  return `<U+${code.toString(16).toUpperCase().padStart(4, "0")}>`
}

/**
 * A text of unknown origin, safe to show on one line of a terminal or page: control characters become signs that can be seen, so that no
 * cell can move the cursor, change colours, turn the direction of writing or forge a line.
 */
export const visible = (text: string): string => text.replace(unseen, name)
