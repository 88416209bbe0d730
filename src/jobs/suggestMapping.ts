import * as Effect from "effect/Effect"
import type * as Redacted from "effect/Redacted"
import { calledName, type Form } from "../domain/form.ts"
import { brief } from "../domain/problem.ts"
import type { Cells, Column, RowChunk } from "../domain/row.ts"
import { counted, oneLine } from "../domain/words.ts"
import type { ColumnLabels } from "../formtools/Labels.ts"
import type { ProfiledColumn } from "../profile/ColumnProfile.ts"
import { recordProfiler, type StrayRow } from "../profile/strayRows.ts"
import type { DraftEntry } from "../project/PipelineDraft.ts"
import type { NewService } from "../project/projectText.ts"
import type { SourceConfig } from "../project/sourceSection.ts"
import { eachChunk } from "../source/chunks.ts"
import type { Source } from "../source/Source.ts"
import { suggest } from "../suggest/suggest.ts"
import type { Suggestions } from "../suggest/Suggestion.ts"
import { JobRefused } from "./JobRefused.ts"
import type { PartsOptions } from "./prepare.ts"
import type { TranslatedQuestion } from "./translations.ts"

export const initRefused = (message: string) =>
  new JobRefused({ code: "InitRefused", next: ["init", "--help"], message })

export interface InitOptions extends Pick<PartsOptions, "guard"> {
  /** The project's folder. With `newService`, a project is created there. */
  readonly root: string
  readonly newService: NewService | undefined
  readonly name: string
  /** A file with its absolute path and how to read it, or a connection. Required for a new pipeline. */
  readonly source: SourceConfig | undefined
  readonly service: string | undefined
  readonly form: string | undefined
  /** The form tool's own definition of the form; its path is absolute. */
  readonly labels?: string | undefined
  /** The API key of a new service, which is written to .env. Undefined if an environment variable contains it. */
  readonly apiKey?: Redacted.Redacted | undefined
  /** Called with the files of a project once it is created. They stay if `init` fails later. */
  readonly onProjectMade?: (files: ReadonlyArray<string>) => void
  /** Surveys the source in place of `surveySource`. */
  readonly survey?: Surveying
}

/** Reads a whole source, like `surveySource`. */
export type Surveying = (
  ...of: Parameters<typeof surveySource>
) => Effect.Effect<Omit<SurveyedSource, "complete">, Effect.Effect.Error<ReturnType<typeof surveySource>>>

/** The result of `init`. Paths are relative to the project's folder. */
export interface Initialised {
  readonly root: string
  readonly written: ReadonlyArray<string>
  readonly pipeline: string
  readonly file: string
  readonly form: Pick<Form, "id" | "name">
  readonly mapped: number
  /** The entries that were written as comments for a person to complete. */
  readonly open: ReadonlyArray<string>
  /** What earlier calls left open and is still a comment. */
  readonly stillOpen: ReadonlyArray<string>
  /** The questions whose `values` list choices that are not options, for a person to complete. */
  readonly choices: ReadonlyArray<string>
  /** The cells that the pipeline translates, including those of entries that already existed. */
  readonly translations: ReadonlyArray<TranslatedQuestion>
  readonly unmapped: ReadonlyArray<string>
  readonly rowKey: ReadonlyArray<string>
  /** Whether the pipeline already existed. */
  readonly added: boolean
  readonly taken: Source["taken"]
  readonly warnings: ReadonlyArray<string>
  /** What the form tool's exports generally need. */
  readonly notes: ReadonlyArray<string>
}

type WrittenEntry = Pick<DraftEntry, "below" | "of" | "open">

/** Returns what `init` says about the entries that it wrote. */
export const summaryOf = (
  { taken, tool, warnings }: Source,
  form: Form,
  entries: ReadonlyArray<WrittenEntry>,
) => ({
  form,
  mapped: entries.filter(({ open }) => !open).length,
  open: openNames(form, entries),
  choices: namesOf(form, entries.filter(({ below, open }) => !open && below.length > 0)),
  taken,
  warnings,
  notes: tool?.notes ?? [],
})

/** Returns the names of what a person must still map. */
export const openNames = (form: Form, entries: ReadonlyArray<WrittenEntry>): ReadonlyArray<string> =>
  namesOf(form, entries.filter(({ open }) => open))

const namesOf = (form: Form, entries: ReadonlyArray<WrittenEntry>): ReadonlyArray<string> =>
  entries.map(({ of }) => calledName(form.questions.find(({ id }) => id === of) ?? { id: of, name: of }))

/** Calls `use` with each row of a chunk that can be read: with the corrections that its form tool needs, and as it is in the source. */
export const readableRows = (source: Source) => {
  const clean = source.tool?.clean ?? ((cells: Cells) => cells)
  return (chunk: RowChunk, use: (cells: Cells, row: number, raw: Cells) => void): void => {
    for (const [index, raw] of chunk.rows.entries()) {
      if (!chunk.faults.has(index)) use(clean(raw), chunk.firstRow + index, raw)
    }
  }
}

/** Reads all rows of a source, with the corrections that its form tool needs. */
export const eachRow = (source: Source, use: (cells: Cells, row: number) => void, read = readableRows(source)) =>
  eachChunk(source.read(), (chunk) => Effect.sync(() => read(chunk, use)))

/** Returns a warning about the visible sheets of workbooks that were not read. */
export const unreadSheets = (files: Effect.Effect.Success<Source["files"]>): ReadonlyArray<string> => {
  const names = files.flatMap(({ file: { unread = [] } }) =>
    unread.flatMap(({ name, what }) => what === "sheet" ? `"${brief(name)}"` : [])
  )
  const [which, it] = names.length === 1 ? ["Another visible sheet is", "it"] : ["Other visible sheets are", "one"]
  return names.length === 0 ? [] : [
    `${which} not read: ${
      names.join(", ")
    }. To read ${it}, name it with \`--sheet\`, or with \`source.sheet\` in a pipeline.`,
  ]
}

/** The form tool's own definition of a source's columns. */
export interface SourceLabels {
  readonly of: (column: Column) => ColumnLabels | undefined
  /** How it was read, like the members of `Source.taken`. */
  readonly taken: Source["taken"][number]
}

/**
 * Reads the form tool's own definition. Fails with JobRefused if it describes none of a source's columns.
 *
 * @param isCombined whether the columns are those of combined records
 */
export const labelsFor = (file: string | undefined, columns: ReadonlyArray<Column>, isCombined = false) =>
  Effect.gen(function*() {
    if (file === undefined) return undefined
    const { openLabels } = yield* Effect.promise(() => import("../source/openLabels.ts"))
    const { labels, title } = yield* openLabels(file)
    const find = (name: string) => {
      const lower = name.toLowerCase()
      // A database may shorten REDCap's names: `pets___1` becomes `pets__1`.
      return labels.get(name) ?? labels.get(lower) ?? labels.get(lower.replace(/(?<!_)__(?!_)/, "___"))
    }
    const of = ({ title: header }: Column): ColumnLabels | undefined => {
      const name = oneLine(header)
      const whole = find(name)
      if (whole !== undefined || !isCombined) return whole
      // `source.combine` puts the place of a record before the tool's name: `baseline.weight`.
      for (const { index } of name.matchAll(/\./g)) {
        const own = find(name.slice(index + 1))
        if (own !== undefined) return { ...own, title: own.title && `${name.slice(0, index)} ${own.title}` }
      }
      return undefined
    }
    const described = columns.filter((column) => of(column) !== undefined).length
    if (described === 0) {
      const [first] = labels.keys()
      return yield* initRefused(
        `${file} is a ${title}, but it describes none of the source's columns: it has ${
          first === undefined ? "no columns" : `columns such as "${brief(first)}"`
        }, and the source "${
          brief(columns[0]?.title ?? "")
        }". Pass the definition of the form from which the source was exported.`,
      )
    }
    return {
      of,
      taken: { what: "labels", value: `${title}, ${described} of ${counted(columns.length, "column")}` },
    } satisfies SourceLabels
  })

export interface SurveyedSource {
  readonly suggestions: Suggestions
  readonly missing: ReadonlyMap<string, number>
  /** Rows that are not records. */
  readonly stray: ReadonlyArray<StrayRow>
  readonly rows: number
  readonly profiles: ReadonlyArray<ProfiledColumn>
  /** Returns the profiles with the cells that mean "no answer". */
  readonly complete: () => ReadonlyArray<ProfiledColumn>
}

/**
 * Reads a whole source, and matches its columns with the form's questions.
 *
 * @param form the form, with the questions to fill
 * @param columns the columns that may fill them
 * @param labels what the form tool's own definition says about the columns
 * @param read calls its second argument with each row of a chunk that can be read. It may also use the rows itself
 */
export const surveySource = (
  source: Source,
  form: Form,
  columns: ReadonlyArray<Column>,
  labels?: SourceLabels | undefined,
  read?: ReturnType<typeof readableRows>,
) =>
  Effect.gen(function*() {
    const profiles = recordProfiler(columns, source.tool !== undefined, labels?.of)
    let rows = 0
    yield* eachRow(source, (cells, row) => {
      rows++
      profiles.addRow(cells, row)
    }, read)
    const { complete, missing, profiles: profiled, stray } = profiles.ended()
    const positions = new Set(columns.map(({ position }) => position))
    const blocks = source.blocks.filter((block) => block.columns.every(({ position }) => positions.has(position)))
    return {
      suggestions: yield* suggest({ form, columns: profiled, blocks, tool: source.tool }),
      missing,
      stray,
      rows,
      profiles: profiled,
      complete,
    } satisfies SurveyedSource
  })
