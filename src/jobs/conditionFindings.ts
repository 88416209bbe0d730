import { type Diagnostic, toSeeValues } from "../domain/diagnostic.ts"
import { brief } from "../domain/problem.ts"
import type { Mapping } from "../mapping/Mapping.ts"
import { diagnosticAt } from "../project/errors.ts"
import type { Pipeline } from "../project/Pipeline.ts"
import { oneOf, quoted, suggest } from "../project/suggestion.ts"
import { shownName } from "../source/columns.ts"
import type { Source } from "../source/Source.ts"

/** Returns a warning for each cell that `where` distinguishes from a text, although only its case, spaces or notation differ. */
const nearConditions = ({ document, name }: Pipeline, mapping: Mapping): ReadonlyArray<Diagnostic> =>
  mapping.nearConditions().map(({ cell, column, path, skips, text }) => {
    const what = `\`where\` compares ${shownName(column)} with a text that some cells nearly equal.`
    const rows = skips ? "skipped. If they should be sent" : "not skipped. If they should be"
    return {
      ...diagnosticAt(
        document,
        "warning",
        path,
        `${JSON.stringify(brief(cell))} is not ${
          JSON.stringify(brief(text))
        }, so rows with this cell are ${rows}, list both.`,
        undefined,
        "key",
      ),
      withoutCells: `${what} ${toSeeValues(name)}`,
    }
  })

/**
 * Returns a warning for each condition of `where` that no row meets, and for texts that occur in no row. Cells that nearly equal a text have their own warning.
 *
 * @param texts whether to name single texts. A source may lack some of them every day
 */
const unmetConditions = ({ document, name }: Pipeline, mapping: Mapping, texts: boolean): ReadonlyArray<Diagnostic> => {
  const near = new Set(mapping.nearConditions().map(({ text }) => text))
  return mapping.unmetConditions().flatMap(({ column, isMet, others, path, unmet }) => {
    const unused = unmet.filter((text) => !near.has(text))
    if (isMet && (!texts || unused.length === 0)) return []
    const what = isMet
      ? `No row that was compared has ${oneOf(unused.map(quoted))} in ${shownName(column)}.`
      : `No row that was compared meets the condition for ${shownName(column)}, so \`where\` skips all of them.`
    const [suggestion] = unused.flatMap((text) => suggest(text, others, "Its other cells are") ?? [])
    const finding = diagnosticAt(document, "warning", path, what, suggestion, "key")
    return suggestion === undefined ? [finding] : [{ ...finding, withoutCells: `${what} ${toSeeValues(name)}` }]
  })
}

/**
 * Returns warnings about conditions of `where` that may be mistakes, after the rows were read. A pull of new records often has none that a condition selects.
 *
 * @param texts whether to also name single texts that occur in no row
 */
export const conditionFindings = (pipeline: Pipeline, source: Source, mapping: Mapping, texts: boolean) => [
  ...nearConditions(pipeline, mapping),
  ...source.increment?.mark === undefined ? unmetConditions(pipeline, mapping, texts) : [],
]
