import stringWidth from "string-width"
import wrapAnsi from "wrap-ansi"
import { visible } from "../../domain/visible.ts"

/** Columns that a text takes in a terminal: wide characters take two. */
export const widthOf = (text: string): number => stringWidth(text)

/** Cuts a text of unknown origin to at most `width` columns, with an ellipsis, control characters made visible. */
export const cutToWidth = (text: string, width: number): string => {
  // A grapheme takes a few code units; what lies far beyond the width can't be seen anyway.
  const limit = width * 20
  const shown = visible(text.length > limit ? text.slice(0, limit) : text)
  if (text.length <= limit && widthOf(shown) <= width) return shown
  const graphemes = new Intl.Segmenter("en", { granularity: "grapheme" })
  let cut = ""
  let taken = 0
  for (const { segment } of graphemes.segment(shown)) {
    const more = widthOf(segment)
    if (taken + more > width - 1) break
    cut += segment
    taken += more
  }
  return cut + "…"
}

/** Wraps a text of unknown origin to lines of at most `width` columns, between words where possible, control characters made visible. */
export const wrapToWidth = (text: string, width: number): ReadonlyArray<string> =>
  wrapAnsi(visible(text), Math.max(1, width), { hard: true }).split("\n")

/** The same with every line moved to the right. */
export const indented = (text: string, width: number, by: number): string =>
  wrapToWidth(text, Math.max(10, width - by)).map((line) => " ".repeat(by) + line).join("\n")
