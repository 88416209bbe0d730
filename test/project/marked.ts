import type { Diagnostic } from "../../src/domain/diagnostic.ts"

/** Returns a text without its marks (`«`), and the places of the marks. A mark shows where a diagnostic is expected. */
export const marked = (text: string) => {
  const places: Array<{ readonly line: number; readonly column: number }> = []
  const lines = text.split("\n").map((line, index) => {
    let plain = ""
    for (const [at, piece] of line.split("«").entries()) {
      if (at > 0) places.push({ line: index + 1, column: plain.length + 1 })
      plain += piece
    }
    return plain
  })
  return { text: lines.join("\n"), places, lines }
}

export const places = (diagnostics: ReadonlyArray<Diagnostic>) =>
  diagnostics.map(({ line, column }) => ({ line, column }))
