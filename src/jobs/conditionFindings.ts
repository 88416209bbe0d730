import { type Diagnostic, withCells } from "../domain/diagnostic.ts"
import { brief } from "../domain/problem.ts"
import { shownName } from "../domain/row.ts"
import { firstOf } from "../domain/words.ts"
import type { Mapping } from "../mapping/Mapping.ts"
import { diagnosticAt } from "../project/errors.ts"
import type { Pipeline } from "../project/Pipeline.ts"
import { nearest, quoted, suggest } from "../project/suggestion.ts"

/** Returns a warning for each cell that `where` distinguishes from a text, although only its case, spaces or notation differ. */
const nearConditions = ({ document, name }: Pipeline, mapping: Mapping): ReadonlyArray<Diagnostic> =>
  mapping.nearConditions().map(({ cell, column, path, skips, text }) => {
    const what = `\`where\` compares ${shownName(column)} with a text that some cells nearly equal.`
    const rows = skips ? "skipped. If they should be sent" : "not skipped. If they should be"
    const message = `${JSON.stringify(brief(cell))} is not ${
      JSON.stringify(brief(text))
    }, so rows with this cell are ${rows}, list both.`
    return withCells(name, diagnosticAt(document, "warning", path, message, undefined, "key"), what)
  })

/** Texts with digits are often codes, which resemble other codes. */
const isCode = (text: string): boolean => /\d/.test(text)

/** When a condition that no row meets is reported. */
interface Unmet {
  /** The least number of rows that must have been compared. */
  readonly least: number
  /** Whether to also name single texts that no row has, if a cell is similar. A source may lack some texts every day. */
  readonly texts: boolean
}

/** Returns a warning for each condition of `where` that no row meets, unless cells nearly equal its texts, which have their own warning. */
const unmetConditions = (
  { document, name }: Pipeline,
  mapping: Mapping,
  { least, texts }: Unmet,
): ReadonlyArray<Diagnostic> => {
  const near = mapping.nearConditions().filter(({ skips }) => skips)
  return mapping.unmetConditions().flatMap(({ column, compared, isMet, others, path, unmet }) => {
    const unused = unmet.filter((text) => !near.some((one) => one.path === path && one.text === text))
    if (unmet.length > 0 && unused.length === 0) return []
    const isSimilar = (text: string) => nearest(text, others) !== undefined
    const finding = (what: string, text: string | undefined): Diagnostic => {
      const suggestion = text === undefined ? undefined : suggest(text, others, "Its other cells are")
      const found = diagnosticAt(document, "warning", path, what, suggestion, "key")
      return suggestion === undefined ? found : withCells(name, found, what)
    }
    const title = shownName(column)
    if (!isMet) {
      const what = `No row that was compared meets the condition for ${title}, so \`where\` skips all of them.`
      return compared < least ? [] : [finding(what, unused.find(isSimilar) ?? unused[0])]
    }
    const misspelt = texts ? unused.filter((text) => !isCode(text) && isSimilar(text)) : []
    const listed = firstOf(misspelt.map(quoted), 5)
    return misspelt.length === 0
      ? []
      : [finding(`No row that was compared has ${listed} in ${title}.`, misspelt[0])]
  })
}

/**
 * Returns warnings about conditions of `where` that may be mistakes, after the rows were read.
 *
 * @param unmet undefined if the rows may lack what the conditions select
 */
export const conditionFindings = (pipeline: Pipeline, mapping: Mapping, unmet: Unmet | undefined) => [
  ...nearConditions(pipeline, mapping),
  ...unmet === undefined ? [] : unmetConditions(pipeline, mapping, unmet),
]
