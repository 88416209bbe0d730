import * as FileSystem from "@effect/platform/FileSystem"
import * as Path from "@effect/platform/Path"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import { identity } from "effect/Function"
import * as Schema from "effect/Schema"
import { type Form, names, type Option, type Question } from "../domain/form.ts"
import { kinds } from "../kinds/index.ts"
import { Fault, type Kind } from "../kinds/Kind.ts"
import { optionSplitter } from "../kinds/optionTable.ts"
import { type ProfiledColumn, profiler } from "../mapping/suggest/ColumnProfile.ts"
import { type ForeignChoice, foreignChoices, unknownOf } from "../mapping/suggest/draftChoices.ts"
import {
  fromOf,
  ownEntry,
  ownSettings,
  samplesFrom,
  samplesOf,
  suggestedEntry,
} from "../mapping/suggest/draftEntries.ts"
import { misfitOf } from "../mapping/suggest/misread.ts"
import { suggestRowKey } from "../mapping/suggest/recordColumns.ts"
import { type Ask, type Settings, settingsFor } from "../mapping/suggest/settings.ts"
import { columnsOf, type Origin, type OwnColumn, type Suggestion } from "../mapping/suggest/Suggestion.ts"
import { compileKind } from "../mapping/suggest/unknownChoices.ts"
import { loadProject } from "../project/loadProject.ts"
import type { Pipeline } from "../project/Pipeline.ts"
import { commentText, type DraftEntry, type DraftKey, type DraftValue, isOpen } from "../project/PipelineDraft.ts"
import { confidencesIn, proposedSourceKey } from "../project/pipelineEdits.ts"
import { ownColumns } from "../source/columns.ts"
import type { Source } from "../source/Source.ts"
import { choiceQuestions } from "./checkData.ts"
import { openPipelineSource } from "./prepare.ts"
import { fetchForm } from "./services.ts"
import {
  eachRow,
  type InitOptions,
  InitRefused,
  labelsFor,
  type SourceLabels,
  surveySource,
  tryOnCells,
  unusedColumns,
} from "./suggestMapping.ts"
import { findPipeline, firstTarget } from "./target.ts"
import { compileUnkeyed } from "./translations.ts"

/** An entry with a lower confidence is unsure, unless a person has reviewed it. */
const sureFrom = 0.9

/** Columns that may answer a question. */
export interface ReviewCandidate {
  readonly origin: Origin
  readonly confidence: number
  /** What the confidence is based on, in words. */
  readonly because: ReadonlyArray<string>
  /** The columns' names, or the title of their block. */
  readonly shown: string
  /** A few of the columns' cells. */
  readonly cells: ReadonlyArray<string>
}

/** A choice in the cells that is not an option of its question. */
export interface OpenChoice {
  readonly question: Question
  readonly choice: string
  readonly count: number
  /** The option that the choice most likely means. */
  readonly likely: Option | undefined
}

/** Something in a pipeline that is open or unsure. */
export type ReviewItem =
  | {
    readonly _tag: "RowKey"
    readonly candidates: ReadonlyArray<{ readonly names: ReadonlyArray<string>; readonly cells: ReadonlyArray<string> }>
    readonly columns: ReadonlyArray<string>
  }
  /** Texts that look like "no answer", or a condition for unfinished responses, which a comment in the file proposes. */
  | { readonly _tag: "Proposal"; readonly key: "empty" | "where"; readonly value: DraftValue }
  | {
    readonly _tag: "Question"
    readonly question: Question
    /** What the file currently says, and how certain that is. Undefined if the file has no entry. */
    readonly written: { readonly from: string; readonly confidence: number } | undefined
    /** The columns that certainly answer it, when the only open point is how to read their cells. */
    readonly sure: Origin | undefined
    readonly candidates: ReadonlyArray<ReviewCandidate>
  }
  /** A time with a known column whose cells can be read in several ways. */
  | { readonly _tag: "Time"; readonly of: "submissionTime" | "lastUpdatedAt"; readonly column: OwnColumn }
  | ({ readonly _tag: "Choice" } & OpenChoice)

/** The entry for the column that a person chose, with the questions that are still open about it. */
export interface ReviewedEntry {
  readonly kind: string | undefined
  readonly asks: ReadonlyArray<Ask>
  /** A sentence that says what is open but can't be settled by an answer. If present, the entry stays a comment. */
  readonly open: string | undefined
  /** A sentence that says why the column's cells don't fit the question. */
  readonly misfit: string | undefined
  readonly choices: ReadonlyArray<OpenChoice>
  /** Returns the entry with the answers to `asks`. The entry stays open if an answer is missing. */
  readonly entry: (answers: ReadonlyMap<string, string>) => DraftEntry
}

/** Makes entries for the columns that a person chose. */
interface ReviewedEntries {
  readonly entryFor: (
    question: Question,
    origin: Origin,
  ) => Effect.Effect<ReviewedEntry, Effect.Effect.Error<ReturnType<typeof tryOnCells>>>
  readonly entryForTime: (item: Pick<Extract<ReviewItem, { readonly _tag: "Time" }>, "column" | "of">) => ReviewedEntry
}

/** A pipeline and the decisions in it that are left to a person. */
export interface Review extends ReviewedEntries {
  /** The path of the pipeline's file, relative to the project's folder. */
  readonly file: string
  readonly form: Form
  readonly items: ReadonlyArray<ReviewItem>
  /** Columns that no entry uses. */
  readonly free: ReadonlyArray<ProfiledColumn>
  /** Changes the pipeline's file at once. Fails if the file's layout doesn't allow its lines to be changed. */
  readonly write: (edit: (text: string) => string | undefined) => Effect.Effect<void, InitRefused>
}

const listedChoices = 50

const openChoices = (
  question: Question,
  choices: ReadonlyArray<
    Pick<ForeignChoice, "choice" | "count"> & { readonly likely: { readonly option: Option } | undefined }
  >,
): ReadonlyArray<OpenChoice> =>
  choices.slice(0, listedChoices).map(({ choice, count, likely }) => ({
    question,
    choice,
    count,
    likely: likely?.option,
  }))

/** Returns the choices in the cells of existing entries that are not options, the most frequent first. Empty if the mapping doesn't compile. */
const choicesInData = (pipeline: Pipeline, source: Source, form: Form, labels: SourceLabels | undefined) =>
  Effect.gen(function*() {
    const mapping = yield* compileUnkeyed(pipeline, source, form)
    if (mapping === undefined) return []
    const counted = choiceQuestions(pipeline, mapping, form, source)
    if (counted.length === 0) return []
    const profiles = profiler(counted.flatMap(({ columns }) => columns), { labels: labels?.of })
    yield* eachRow(source, (cells) => {
      for (const { columns, counter } of counted) {
        for (const { position } of columns) counter.add(cells[position] ?? null)
      }
      profiles.addRow(cells)
    })
    const byPosition = new Map(profiles.profiles().map((one) => [one.column.position, one]))
    return counted.flatMap(({ columns, counter, question }) => {
      const [one] = columns.flatMap(({ position }) => byPosition.get(position) ?? [])
      if (one === undefined) return []
      // The columns of a grid have the same options, and mostly the same cells.
      const suggestion: Suggestion = { question, origin: { _tag: "Column", ...one }, confidence: 1, because: [] }
      const { left, sure } = foreignChoices(suggestion, counter.unknown())
      const named = sure.map((each) => ({ ...each, likely: { option: each.option } }))
      return openChoices(question, [...named, ...left].toSorted((a, b) => b.count - a.count))
    })
  })

/** Whether a pipeline can refer to the columns of an origin. */
export const isNamed = (origin: Origin): boolean =>
  (origin._tag === "Block" && origin.block.known) || columnsOf(origin).every(({ name }) => name !== undefined)

const nameOf = ({ name, position }: { readonly name: string | undefined; readonly position: number }): string =>
  name ?? `column ${position + 1}`

const shownFrom = (origin: Origin, question: Question): string => {
  const from = fromOf(origin, nameOf, question)
  if (typeof from === "string") return from
  return origin._tag === "Block" && origin.block.title !== undefined
    ? `the columns of "${commentText(origin.block.title)}"`
    : columnsOf(origin).map(nameOf).join(" + ")
}

/** Returns what a person needs to know to choose these columns. */
export const candidateOf = (
  question: Question,
  { because, confidence, origin }: Pick<Suggestion, "because" | "confidence" | "origin">,
): ReviewCandidate => ({
  origin,
  confidence,
  because,
  shown: shownFrom(origin, question),
  cells: samplesFrom(origin),
})

/** Returns an entry with the answers to the questions that its settings leave open. */
const withAnswers = (
  entry: DraftEntry,
  { asks, kind, open }: Settings,
  answers: ReadonlyMap<string, string>,
): DraftEntry => {
  if (open !== undefined && (asks.length === 0 || asks.some(({ key }) => !answers.has(key)))) {
    return { ...entry, open: true }
  }
  const others = asks.flatMap(({ choices, key }): ReadonlyArray<DraftKey> => {
    const answer = answers.get(key)
    return key === "true" && answer !== undefined
      ? [{ key, value: [answer] }, { key: "false", value: choices.filter((one) => one !== answer) }]
      : answer === undefined
      ? []
      : [{ key, value: answer }]
  })
  const decided = new Map(others.map((key) => [key.key, key]))
  const has = (name: string) => entry.keys.some(({ key }) => key === name)
  // Keys of a kind are only valid together with the kind's name. An entry for a time has no id, because its kind is fixed.
  const as = kind !== undefined && others.length > 0 && has("id") && !has("as") ? [{ key: "as", value: kind }] : []
  return {
    ...entry,
    comments: [["reviewed", ...entry.comments[0]?.split(" · ").slice(1) ?? []].join(" · ")],
    keys: [
      ...entry.keys.map((key) => decided.get(key.key) ?? key),
      ...as,
      ...others.filter(({ key }) => !has(key)),
    ],
    open: false,
  }
}

/** Returns a function that reads a cell with a key of a kind set to this value. Undefined if the value can't be the key. */
const readingWith = (kindName: string, kind: Kind, key: string, value: string) => {
  const options = { ...(kindName === "dateTime" ? { zone: "UTC" } : {}), [key]: value }
  const decoded = Schema.decodeUnknownEither(
    Schema.Struct(kind.options) as unknown as Schema.Schema<Readonly<Record<string, unknown>>, unknown>,
  )(options)
  const question = { id: "", name: "", type: undefined, options: undefined }
  return Either.isLeft(decoded) ? undefined : compileKind(kind, decoded.right, question, new Set())
}

/** Returns why a value can't be a key of a kind. Undefined if it can. */
export const settingFault = (kindName: string | undefined, key: string, value: string): string | undefined => {
  const kind = kindName === undefined ? undefined : kinds.get(kindName)
  if (kindName === undefined || kind === undefined) return undefined
  return readingWith(kindName, kind, key, value) === undefined ? `"${value}" can't be the ${key}.` : undefined
}

/** Returns what cells mean if a key of a kind has this value. The meaning is undefined if the cell can't be read in this way. */
export const readingsOf = (kindName: string | undefined, key: string, value: string, cells: ReadonlyArray<string>) => {
  const kind = kindName === undefined ? undefined : kinds.get(kindName)
  const read = kindName === undefined || kind === undefined ? undefined : readingWith(kindName, kind, key, value)
  return cells.map((cell) => {
    const found = read?.([cell])
    return { cell, value: found instanceof Fault ? undefined : found }
  })
}

/** Returns the names in a list that a person typed, separated by commas. A column's name may contain commas. */
export const columnsTyped = (text: string, columns: ReadonlyArray<string>): ReadonlyArray<string> => {
  const split = optionSplitter(",", { has: (name) => columns.includes(name), names: columns })
  return typeof split === "function" ? split(text) : []
}

/** Returns how to make entries from a source's columns, after all its cells were read once. */
export const entriesFrom = (
  source: Source,
  surveyed: Parameters<typeof tryOnCells>[3],
): ReviewedEntries => {
  const uploads = source.tool?.answers.uploads
  return {
    entryFor: (question, origin) =>
      Effect.map(
        tryOnCells(source, [{ question, origin, confidence: 1, because: [] }], {
          submissionTime: undefined,
          lastUpdatedAt: undefined,
        }, surveyed),
        (found) => {
          const suggestion = { question, origin, confidence: 1, because: [] }
          const misread = found.misread.get(question.id)
          const settings = settingsFor(suggestion, uploads)
          const unknown = unknownOf(suggestion, found.unknown)
          const entry = suggestedEntry(suggestion, { nameOf, unknown, uploads, answered: new Set() })
          return {
            kind: settings.kind,
            asks: settings.asks,
            open: settings.asks.length === 0 ? settings.open : undefined,
            misfit: misfitOf(settings, misread),
            choices: openChoices(question, foreignChoices(suggestion, unknown).left),
            entry: (answers) => withAnswers(entry, settings, answers),
          }
        },
      ),
    entryForTime: ({ column, of }) => {
      const settings = ownSettings(of, column)
      return {
        kind: "dateTime",
        asks: settings.asks,
        open: settings.asks.length === 0 ? settings.open : undefined,
        misfit: undefined,
        choices: [],
        entry: (answers) => withAnswers(ownEntry(of, column, nameOf, undefined), settings, answers),
      }
    },
  }
}

/** How a pipeline is reviewed. */
export type ReviewOptions = Pick<InitOptions, "guard" | "labels">

/** Opens a pipeline, and finds the decisions in it that are open or unsure. */
export const openReview = (root: string, name: string, { guard = identity, labels }: ReviewOptions = {}) =>
  Effect.gen(function*() {
    const fs = yield* FileSystem.FileSystem
    const path = yield* Path.Path
    const project = guard(yield* loadProject(root, { pipelines: [name] }))
    const pipeline = yield* findPipeline(project, name)
    const { service, form: formId } = yield* firstTarget(pipeline)
    const opened = yield* openPipelineSource(pipeline, undefined)
    const columns = ownColumns(opened.columns)
    const source: Source = { ...opened, columns }
    const form = yield* fetchForm(project, service, formId)
    const file = path.join(root, pipeline.document.file)
    const text = yield* fs.readFileString(file)
    const { mapping } = pipeline
    const isIgnored = ({ id, name }: Question) =>
      mapping.ignoreQuestions.some((one) => one.name === id || one.name === name)
    const entryOf = (question: Question) => mapping.questions.find((entry) => names(entry, question))
    const rest: Form = {
      ...form,
      questions: form.questions.filter((question) => entryOf(question) === undefined && !isIgnored(question)),
    }
    const described = yield* labelsFor(labels, columns)
    const { missing, profiles, rows, stray, suggestions } = yield* surveySource(
      source,
      rest,
      unusedColumns(pipeline, source),
      described,
    )
    const open = new Map(suggestions.open.map((one) => [one.question.id, one.candidates]))
    const accepted = new Map(suggestions.accepted.map((one) => [one.question.id, [one]]))
    const confidenceOf = confidencesIn(text)
    const question = (question: Question): ReadonlyArray<ReviewItem> => {
      if (isIgnored(question)) return []
      const entry = entryOf(question)
      const confidence = confidenceOf(question)
      if (entry !== undefined && (confidence === undefined || confidence >= sureFrom)) return []
      const found = accepted.get(question.id) ?? open.get(question.id) ?? []
      return [{
        _tag: "Question",
        question,
        written: entry === undefined || confidence === undefined ? undefined : {
          confidence,
          from: entry.input._tag === "Block"
            ? entry.input.title
            : entry.input._tag === "Columns"
            ? entry.input.columns.map(({ name }) => name).join(" + ")
            : "several columns",
        },
        sure: accepted.get(question.id)?.find(({ confidence, origin }) => confidence >= sureFrom && isNamed(origin))
          ?.origin,
        candidates: found.filter(({ origin }) => isNamed(origin)).map((one) => candidateOf(question, one)),
      }]
    }
    const isCommented = isOpen(text)
    const time = (of: "submissionTime" | "lastUpdatedAt"): ReadonlyArray<ReviewItem> => {
      const column = suggestions[of]
      return column === undefined || mapping[of] !== undefined || !isCommented(of) ? [] : [{ _tag: "Time", of, column }]
    }
    const proposal = (key: "empty" | "where"): ReadonlyArray<ReviewItem> => {
      const value = proposedSourceKey(text, key)
      return value === undefined ? [] : [{ _tag: "Proposal", key, value }]
    }
    const needsKey = pipeline.source.rowKey === undefined && source.tool?.defaultRowKey === undefined
    const keyed = profiler(needsKey ? columns : [])
    if (needsKey) yield* eachRow(source, keyed.addRow)
    const items: ReadonlyArray<ReviewItem> = [
      ...(needsKey
        ? [{
          _tag: "RowKey" as const,
          candidates: suggestRowKey(keyed.profiles(), source.tool).candidates.flatMap((one) =>
            one.column.name === undefined ? [] : [{ names: [one.column.name], cells: samplesOf(one) }]
          ),
          columns: columns.flatMap(({ name }) => name ?? []),
        }]
        : []),
      ...proposal("empty"),
      ...proposal("where"),
      ...form.questions.flatMap(question),
      ...time("submissionTime"),
      ...time("lastUpdatedAt"),
      ...(yield* choicesInData(pipeline, source, form, described)).map((one) => ({ _tag: "Choice" as const, ...one })),
    ]

    const review: Review = {
      file: pipeline.document.file,
      form,
      items,
      free: profiles.filter(({ column }) => column.name !== undefined),
      ...entriesFrom(source, { missing, rows, stray }),
      write: (edit) =>
        Effect.gen(function*() {
          const changed = edit(yield* fs.readFileString(file))
          if (changed === undefined) {
            return yield* new InitRefused({
              message:
                `${pipeline.document.file} can't be changed as it is written: write each entry of \`mapping\` and its lists on a line of its own.`,
            })
          }
          yield* fs.writeFileString(file, changed)
        }).pipe(Effect.catchTags({
          BadArgument: Effect.die,
          SystemError: (error) =>
            new InitRefused({ message: `${pipeline.document.file} can't be written: ${error.message}` }),
        })),
    }
    return review
  })
