import { type Diagnostic, toSeeValues } from "../domain/diagnostic.ts"
import { brief } from "../domain/problem.ts"
import type { Mapping } from "../mapping/Mapping.ts"
import { diagnosticAt } from "../project/errors.ts"
import type { Pipeline } from "../project/Pipeline.ts"
import { shownName } from "../source/columns.ts"

/** Returns a warning for each cell that `where` distinguishes from a text, although only its case, spaces or notation differ. */
export const nearConditions = ({ document, name }: Pipeline, mapping: Mapping): ReadonlyArray<Diagnostic> =>
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
