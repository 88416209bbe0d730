import * as Effect from "effect/Effect"
import { type Diagnostic, withCells } from "../domain/diagnostic.ts"
import type { Cells, RowChunk } from "../domain/row.ts"
import type { Mapping } from "../mapping/Mapping.ts"
import { mayBeStray, mostDoubtful, recordProfiler, strayWarnings, type whereWithout } from "../profile/strayRows.ts"
import { diagnosticAt } from "../project/errors.ts"
import type { Pipeline } from "../project/Pipeline.ts"
import { flow } from "../project/PipelineDraft.ts"
import { eachChunk } from "../source/chunks.ts"
import type { Source } from "../source/Source.ts"
import { findTitleRows } from "./titleRows.ts"

/** Finds rows that are not records among those that are sent or would be sent. */
export const collectStray = ({ document, name }: Pipeline, source: Source, mapping: Mapping) => {
  let doubtful = 0
  const titles = findTitleRows(source.columns)
  const finding = (what: string) => (message: string) => {
    const found = diagnosticAt(document, "warning", ["source"], message)
    return withCells(name, found, `Some rows look like ${what}, not like records.`)
  }
  const skip = (what: string) => (where: ReturnType<typeof whereWithout>) =>
    `${what} with \`where: ${flow(where)}\` under \`source\`.`
  const titled = () => titles.warnings(skip("skip it")).map(finding("titles"))
  return {
    add: (cells: Cells, row: number): void => {
      if (source.tool !== undefined) return
      titles.add(cells, row)
      if (mayBeStray(cells, row)) doubtful++
    },
    /** Reads the source again if any row may not be a record. */
    findings: Effect.suspend(() =>
      doubtful === 0 || doubtful > mostDoubtful
        ? Effect.succeed<ReadonlyArray<Diagnostic>>(titled())
        : Effect.map(findStray(source, mapping), (stray) => [
          ...strayWarnings(stray, (where, them) => skip(`Skip ${them}`)(where)).map(finding("totals, units or notes")),
          ...titled(),
        ])
    ),
  }
}

/** Few sources need this second reading, and profiling all columns takes longer than everything else in a check. */
const findStray = (source: Source, mapping: Mapping) => {
  const profiles = recordProfiler(source.columns, false)
  const add = ({ faults, firstRow, rows }: RowChunk) =>
    Effect.sync(() => {
      for (const [index, cells] of rows.entries()) {
        if (!faults.has(index) && !mapping.filtered(cells)) profiles.addRow(cells, firstRow + index)
      }
    })
  return Effect.map(eachChunk(source.read(), add), () => profiles.ended().stray)
}
