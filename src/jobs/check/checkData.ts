import { Effect } from "effect"
import type { Form } from "../../domain/form.ts"
import type { Problem } from "../../domain/problem.ts"
import type { Cells } from "../../domain/row.ts"
import { mentionedColumns } from "../../mapping/ColumnBook.ts"
import type { Mapping } from "../../mapping/Mapping.ts"
import { profiler } from "../../mapping/suggest/ColumnProfile.ts"
import { suggestOwn } from "../../mapping/suggest/recordColumns.ts"
import type { Pipeline } from "../../project/Pipeline.ts"
import { accountOf } from "../../report/sentences.ts"
import { ownColumns } from "../../source/columns.ts"
import { eachChunk } from "../../source/eachChunk.ts"
import { accountForLines } from "../../source/lineCount.ts"
import type { Source } from "../../source/Source.ts"
import { choiceEntries } from "./choiceEntries.ts"
import { choicesFinding, isEntryOf, problemFinding, timeFinding } from "./dataFindings.ts"
import type { CheckedData, DataProblem } from "./DataProblem.ts"

const kept = 3
/** Columns that nothing in the pipeline speaks of. */
const unused = (pipeline: Pipeline, source: Source) => {
  const mentioned = new Set(mentionedColumns(pipeline).map(({ name }) => name))
  const blocks = new Set(source.blocks.flatMap(({ columns }) => columns.map(({ position }) => position)))
  return ownColumns(source.columns).filter(({ name, position }) =>
    name !== undefined && !mentioned.has(name) && !blocks.has(position)
  )
}

/**
 * Reads a whole source through its mapping: every problem of every row by kind and column, every choice that is no option, and a column of times
 * that the submission could keep and that nothing uses.
 */
export const checkData = (pipeline: Pipeline, source: Source, mapping: Mapping, form: Form) =>
  Effect.gen(function*() {
    const groups = new Map<
      string,
      { -readonly [M in keyof DataProblem]: DataProblem[M] } & { examples: Array<DataProblem["examples"][number]> }
    >()
    const note = (row: number, { code, column, message, question, value }: Problem): void => {
      const key = JSON.stringify([code, column, question])
      const group = groups.get(key) ?? { code, column, question, rows: 0, examples: [] }
      groups.set(key, group)
      group.rows++
      if (group.examples.length < kept) group.examples.push({ row, value, message })
    }
    const choices = choiceEntries(pipeline, mapping, form, source)
    const clean = source.tool?.clean ?? ((cells: Cells) => cells)
    const free = pipeline.mapping.submissionTime === undefined ? unused(pipeline, source) : []
    const profiles = profiler(free)
    const counts = { rows: 0, filtered: 0, invalid: 0 }
    yield* eachChunk(source.read(), (chunk) =>
      Effect.sync(() => {
        for (const [index, cells] of chunk.rows.entries()) {
          counts.rows++
          const row = chunk.firstRow + index
          const fault = chunk.faults.get(index)
          if (fault !== undefined) {
            counts.invalid++
            note(row, fault)
            continue
          }
          if (mapping.filtered(cells)) {
            counts.filtered++
            continue
          }
          const cleaned = clean(cells)
          for (const { columns, counter } of choices) {
            for (const { position } of columns) counter.add(cleaned[position] ?? null)
          }
          profiles.addRow(cleaned)
          const key = mapping.key(cells)
          const mapped = mapping.map(cells, key)
          const problems = "problems" in mapped ? mapped.problems : []
          for (const problem of problems) note(row, problem)
          const isKeyless = key === undefined && mapping.keyed === "columns"
          if (isKeyless) {
            note(row, { code: "missing-key", message: "The row has no row key: every column of `rowKey` is empty." })
          }
          if (problems.length > 0 || isKeyless) {
            counts.invalid++
          }
        }
      }))
    const files = yield* source.files
    yield* accountForLines(files)
    const unknown = choices.flatMap(({ counter, entry, oneCell, question, title }) => {
      const { counts: found, more } = counter.unknown()
      return found.length === 0 ? [] : [{
        entry,
        oneCell,
        choices: {
          question: question.name,
          column: title,
          choices: found.map(([choice, count]) => ({ choice, count })),
          more,
        },
      }]
    })
    const own = suggestOwn({ columns: free, profiles: profiles.profiles(), tool: source.tool, used: new Set() })
    const problems = [...groups.values()].toSorted((a, b) => b.rows - a.rows)
    const result: CheckedData = {
      ...counts,
      accounts: files.flatMap(({ file }) => accountOf(file, files.length > 1)),
      problems,
      choices: unknown.map((one) => one.choices),
      diagnostics: [
        ...unknown.map((one) => choicesFinding(pipeline, one.entry, one.choices, one.oneCell)),
        ...problems.filter(({ code, question }) =>
          code !== "not-an-option" || unknown.every(({ entry }) => !isEntryOf(entry, question, form))
        ).map((problem) => problemFinding(pipeline, form, problem, counts.rows)),
        ...(own.submissionTime === undefined ? [] : [timeFinding(pipeline, own.submissionTime.column.name ?? "")]),
      ],
    }
    return result
  })
