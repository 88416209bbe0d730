/** A template in pieces: literal texts, and indexes of the columns between them. */
export type Template = ReadonlyArray<string | number>

const placeholder = /\{([^{}]+)\}/g

/** The names between braces of a template, in their order. */
export const templateNames = (template: string): ReadonlyArray<string> =>
  [...template.matchAll(placeholder)].map(([, name = ""]) => name.trim())

/** Takes a template apart; column `n` is the n-th pair of braces. */
export const parseTemplate = (template: string): Template => {
  const pieces: Array<string | number> = []
  let end = 0
  let column = 0
  for (const found of template.matchAll(placeholder)) {
    if (found.index > end) pieces.push(template.slice(end, found.index))
    pieces.push(column++)
    end = found.index + found[0].length
  }
  if (end < template.length) pieces.push(template.slice(end))
  return pieces
}

/**
 * Fills a template in. An empty part takes its space along: of the blanks on both sides of it one run stays, none at either end.
 *
 * @returns undefined when all parts are empty
 */
export const fillTemplate = (template: Template, texts: ReadonlyArray<string>): string | undefined => {
  let result = ""
  let any = false
  let gap = false
  for (const piece of template) {
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
