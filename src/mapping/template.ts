import { templatePieces } from "../project/template.ts"

/** A template in pieces: literal texts, and numbers of the columns between them. */
export interface Template {
  readonly pieces: ReadonlyArray<string | number>
  /** The columns' names, in the order of their numbers. */
  readonly names: ReadonlyArray<string>
}

/** Takes a template apart; undefined when its braces are not as they should be. */
export const parseTemplate = (template: string): Template | undefined => {
  const names: Array<string> = []
  const pieces = templatePieces(template)?.map((piece) => "text" in piece ? piece.text : names.push(piece.column) - 1)
  return pieces === undefined ? undefined : { pieces, names }
}

/**
 * Fills a template in. An empty part takes its space along: of the blanks on both sides of it one run stays, none at either end.
 *
 * @returns undefined when all parts are empty
 */
export const fillTemplate = ({ pieces }: Template, texts: ReadonlyArray<string>): string | undefined => {
  let result = ""
  let any = false
  let gap = false
  for (const piece of pieces) {
    if (typeof piece === "string") {
      result += gap ? piece.trimStart() : piece
      gap = false
      continue
    }
    const text = texts[piece] ?? ""
    if (text === "") gap = result === "" || /\s$/.test(result)
    else {
      result += text
      any = true
      gap = false
    }
  }
  return any ? result.trim() : undefined
}
