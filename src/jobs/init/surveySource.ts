import { Effect, Stream } from "effect"
import type { Form } from "../../domain/form.ts"
import type { Cells, Column } from "../../domain/row.ts"
import { profiler } from "../../mapping/suggest/ColumnProfile.ts"
import { choicesToCount } from "../../mapping/suggest/draftEntries.ts"
import type { Unknown } from "../../mapping/suggest/draftEntries.ts"
import { suggest } from "../../mapping/suggest/suggest.ts"
import { likelyOf } from "../../mapping/suggest/Suggestion.ts"
import type { Suggestions } from "../../mapping/suggest/Suggestion.ts"
import { collectUnknown } from "../../mapping/suggest/unknownChoices.ts"
import type { Source } from "../../source/Source.ts"

/** Reads all rows of a source, cleaned as answers. */
const eachRow = (source: Source, use: (cells: Cells) => void) => {
  const clean = source.tool?.clean ?? ((cells: Cells) => cells)
  return Stream.runForEach(source.read(), (chunk) =>
    Effect.sync(() => {
      for (const [index, cells] of chunk.rows.entries()) if (!chunk.faults.has(index)) use(clean(cells))
    }))
}

/** What a source's cells say: which column answers which question, and what the form has no option for. */
export interface SurveyedSource {
  readonly suggestions: Suggestions
  /** Choices that are no option, by question id. */
  readonly unknown: ReadonlyMap<string, Unknown>
  readonly missing: ReadonlyMap<string, number>
  readonly rows: number
}

/**
 * Reads a source twice, whole: first to bring its columns and the form's questions together, then to find every choice that is no option.
 *
 * @param form with the questions that are to be filled
 * @param columns those that may fill them
 */
export const surveySource = (source: Source, form: Form, columns: ReadonlyArray<Column>) =>
  Effect.gen(function*() {
    const profiles = profiler(columns)
    let rows = 0
    yield* eachRow(source, (cells) => {
      rows++
      profiles.addRow(cells)
    })
    const positions = new Set(columns.map(({ position }) => position))
    const blocks = source.blocks.filter((block) => block.columns.every(({ position }) => positions.has(position)))
    const suggestions = suggest({ form, columns, blocks, profiles: profiles.profiles(), tool: source.tool })
    const likely = suggestions.open.flatMap((question) => likelyOf(question) ?? [])
    const counters = [...suggestions.accepted, ...likely].flatMap((suggestion) => {
      const asked = choicesToCount(suggestion)
      const counter = asked === undefined
        ? undefined
        : collectUnknown(asked.kind, asked.options, asked.question, new Set())
      return asked === undefined || counter === undefined
        ? []
        : [{ id: asked.question.id, columns: asked.columns, counter }]
    })
    if (counters.length > 0) {
      yield* eachRow(source, (cells) => {
        for (const { counter, columns } of counters) {
          for (const { position } of columns) counter.add(cells[position] ?? null)
        }
      })
    }
    const surveyed: SurveyedSource = {
      suggestions,
      unknown: new Map(counters.map(({ counter, id }) => [id, counter.unknown()])),
      missing: profiles.missing(),
      rows,
    }
    return surveyed
  })
