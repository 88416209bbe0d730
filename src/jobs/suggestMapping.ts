import { Effect, type Redacted, Schema, Stream } from "effect"
import type { Form } from "../domain/form.ts"
import type { Cells, Column } from "../domain/row.ts"
import { profiler } from "../mapping/suggest/ColumnProfile.ts"
import { choicesToCount, type Unknown, unknownOf } from "../mapping/suggest/draftEntries.ts"
import { suggest } from "../mapping/suggest/suggest.ts"
import { likelyOf, type Suggestions } from "../mapping/suggest/Suggestion.ts"
import { collectUnknown } from "../mapping/suggest/unknownChoices.ts"
import type { Project } from "../project/Project.ts"
import type { NewService } from "../project/projectText.ts"
import type { Source } from "../source/Source.ts"

/** `init` can't do what it was asked for (exit 2). */
export class InitRefused extends Schema.TaggedError<InitRefused>()("InitRefused", {
  /** What is wrong, and what to do next, as sentences. */
  message: Schema.String,
}) {}

/** What `init` was asked to do. */
export interface InitOptions {
  /** The project's folder; it is made into one when `newService` is given. */
  readonly root: string
  readonly newService: NewService | undefined
  readonly name: string
  /** Absolute; needed for a new pipeline. */
  readonly source: string | undefined
  readonly sheet: string | undefined
  readonly service: string | undefined
  readonly form: string | undefined
  /** The key of a new service, to be written into .env; absent: it is in the environment, or comes later. */
  readonly apiKey?: Redacted.Redacted | undefined
  /** Sees the project before a service of it is used. */
  readonly guard?: (project: Project) => Project
}

/** What `init` came to. */
export interface Initialised {
  readonly root: string
  /** Files that were written, from the project's folder. */
  readonly written: ReadonlyArray<string>
  readonly pipeline: string
  /** The pipeline's file, from the project's folder. */
  readonly file: string
  readonly form: Pick<Form, "id" | "name">
  /** Answers that are mapped, entries that are left to a person, in what was written now. */
  readonly mapped: number
  readonly open: ReadonlyArray<string>
  /** Questions under which choices without an option are listed, to be filled in. */
  readonly choices: ReadonlyArray<string>
  readonly unmapped: ReadonlyArray<string>
  readonly rowKey: ReadonlyArray<string>
  /** Whether the pipeline was there before, and what is new was added to it. */
  readonly added: boolean
  readonly taken: Source["taken"]
  readonly warnings: ReadonlyArray<string>
}

/** Names of the questions for which something is listed under `values`. */
export const namesWithChoices = (
  { accepted }: Pick<Suggestions, "accepted">,
  unknown: ReadonlyMap<string, Unknown>,
): ReadonlyArray<string> =>
  accepted.filter((suggestion) => (unknownOf(suggestion, unknown)?.counts.length ?? 0) > 0)
    .map(({ question }) => question.name)

/** Names of the questions, or places, whose entries are left to a person. */
export const openNames = (
  form: Form,
  entries: ReadonlyArray<{ readonly of: string; readonly open: boolean }>,
): ReadonlyArray<string> =>
  entries.filter(({ open }) => open).map(({ of }) => form.questions.find(({ id }) => id === of)?.name ?? of)

/** Reads all rows of a source, cleaned as answers. */
const eachRow = (source: Source, use: (cells: Cells) => void) => {
  const clean = source.tool?.clean ?? ((cells: Cells) => cells)
  return Stream.runForEach(source.read(), (chunk) =>
    Effect.sync(() => {
      for (const [index, cells] of chunk.rows.entries()) if (!chunk.faults.has(index)) use(clean(cells))
    }))
}

/** What a source's cells say: which column answers which question, and what the form has no option for. */
interface SurveyedSource {
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
