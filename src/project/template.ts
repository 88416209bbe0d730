/** A piece of a template: literal text, or a column in braces. */
export type TemplatePiece = { readonly text: string } | { readonly column: string }

/** Returns a template's pieces, or undefined if a brace is not closed, or is empty. */
export const templatePieces = (template: string): ReadonlyArray<TemplatePiece> | undefined => {
  const pieces: Array<TemplatePiece> = []
  let rest = template
  while (rest !== "") {
    const brace = rest.search(/[{}]/)
    if (brace === -1) return [...pieces, { text: rest }]
    if (brace > 0) pieces.push({ text: rest.slice(0, brace) })
    const column = /^\{([^{}]+)\}/.exec(rest.slice(brace))
    if (column?.[1] === undefined) return undefined
    pieces.push({ column: column[1] })
    rest = rest.slice(brace + column[0].length)
  }
  return pieces
}
