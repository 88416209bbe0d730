import * as Effect from "effect/Effect"
import type { LineCounts, SourceFile } from "../domain/report.ts"

/** Counts the lines of text that arrives in pieces. Uses only the line ends LF, CRLF and CR, and shares no code with the reader of records. */
export class LineCount {
  #ends = 0
  /** Whether the last piece ended with a CR. The next piece may begin with its LF. */
  #carriage = false
  #isOpen = false

  add(text: string): void {
    if (text === "") return
    const from = this.#carriage && text.startsWith("\n") ? 1 : 0
    for (let at = text.indexOf("\n", from); at !== -1; at = text.indexOf("\n", at + 1)) this.#ends++
    for (let at = text.indexOf("\r"); at !== -1; at = text.indexOf("\r", at + 1)) {
      if (text[at + 1] !== "\n") this.#ends++
    }
    this.#carriage = text.endsWith("\r")
    this.#isOpen = !/[\r\n]$/.test(text)
  }

  /** Whether the last line has no line end yet. */
  get isOpen(): boolean {
    return this.#isOpen
  }

  /** The number of lines so far, including one without a line end. */
  get lines(): number {
    return this.#ends + (this.#isOpen ? 1 : 0)
  }
}

const holds = ({ above, blank, inside, physical, records }: LineCounts): boolean =>
  physical === above + records + inside + blank

/** Fails with an internal error if a line of a file is not accounted for, because rows would be lost or invented. */
export const accountForLines = (files: ReadonlyArray<{ readonly file: SourceFile }>): Effect.Effect<void> =>
  Effect.forEach(files, ({ file: { file, lines } }) =>
    lines === undefined || holds(lines) ? Effect.void : Effect.die(
      new Error(
        `The lines of ${file} don't add up: it has ${lines.physical}, but ${lines.above} above the data, ${lines.records} records, ${lines.inside} inside cells and ${lines.blank} blank were read. `
          + "Nothing was sent. Report this, with the file if possible.",
      ),
    ), { discard: true })
