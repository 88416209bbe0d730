/** A piece of a template: literal text, or a column in braces. */
export type TemplatePiece = { readonly text: string } | { readonly column: string }

/** A template's pieces; undefined when a brace is not closed, or stands for nothing. */
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

/** Whether text is a template: its braces are closed, and name at least one column. */
export const isTemplate = (text: string): boolean => templatePieces(text)?.some((piece) => "column" in piece) ?? false
