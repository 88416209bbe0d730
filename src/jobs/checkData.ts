import * as Effect from "effect/Effect"
import type { CheckedData, DataProblem, UnknownChoices } from "../domain/checkedData.ts"
import { type Diagnostic, withCells } from "../domain/diagnostic.ts"
import { type Form, names } from "../domain/form.ts"
import { brief, cut, maySkip, type Problem } from "../domain/problem.ts"
import { blockNamed, type Cells, type Column, optionColumns, type RowChunk } from "../domain/row.ts"
import { visible } from "../domain/visible.ts"
import { counted, firstOf, listed } from "../domain/words.ts"
import { placesOf } from "../kinds/ranking.ts"
import { readIso } from "../kinds/wallClock.ts"
import type { LedgerError } from "../ledger/errors.ts"
import type { Mapping } from "../mapping/Mapping.ts"
import { isNoAnswer } from "../profile/cellWords.ts"
import { profiler } from "../profile/ColumnProfile.ts"
import { collectUnknown } from "../profile/UnknownChoices.ts"
import { diagnosticAt } from "../project/errors.ts"
import type { MappingEntry, Pipeline } from "../project/Pipeline.ts"
import { flow } from "../project/PipelineDraft.ts"
import { emptyTexts } from "../project/sourceSection.ts"
import { accountOf, leftBehind } from "../report/sentences.ts"
import { eachChunk } from "../source/chunks.ts"
import { accountForLines } from "../source/lineCount.ts"
import type { Source } from "../source/Source.ts"
import { optionsOf, ownSettings } from "../suggest/draft/settings.ts"
import type { OwnColumn } from "../suggest/Suggestion.ts"
import { suggestOwn } from "../suggest/toolColumns.ts"
import { collectTraps, entryOf } from "./answerTraps.ts"
import { examplesKept } from "./cellTraps.ts"
import { conditionFindings } from "./conditionFindings.ts"
import { findRepeated } from "./repeatedRows.ts"
import { collectStray } from "./strayRows.ts"
import { unusedColumns } from "./unusedColumns.ts"

/**
 * Groups the problems found in all rows. Problems of a block's columns are one group, named by the block's title.
 *
 * @param blocks the titles of blocks, by the id of the question that they answer
 */
const collectProblems = (blocks: ReadonlyMap<string, string>) => {
  const groups = new Map<string, DataProblem & { rows: number; examples: Array<DataProblem["examples"][number]> }>()
  const lastRows = new Map<DataProblem, number>()
  return {
    add: (row: number, { code, column: own, message, question, value }: Problem): void => {
      const column = (question === undefined ? undefined : blocks.get(question)) ?? own
      const key = JSON.stringify([code, column, question])
      const group = groups.get(key) ?? { code, column, question, rows: 0, examples: [] }
      groups.set(key, group)
      if (lastRows.get(group) === row) return
      lastRows.set(group, row)
      group.rows++
      if (group.examples.length < examplesKept) group.examples.push({ row, value, message })
    },
    /** Sorts the most frequent problems first. */
    problems: (): ReadonlyArray<DataProblem> => [...groups.values()].toSorted((a, b) => b.rows - a.rows),
  }
}

/**
 * Reads a whole source through its mapping. Finds every problem, every choice that is not an option, traps, rows that are not records, and any column of times that could be submission times.
 *
 * @param options.lookUp is called with each chunk of rows
 * @param options.findsMore whether to find columns of times and rows that are not records, which takes long if there are many columns
 */
export const checkData = (
  pipeline: Pipeline,
  source: Source,
  mapping: Mapping,
  form: Form,
  { findsMore = true, lookUp = () => Effect.void }: {
    readonly lookUp?: ((chunk: RowChunk) => Effect.Effect<void, LedgerError>) | undefined
    readonly findsMore?: boolean
  },
) =>
  Effect.gen(function*() {
    const found = collectProblems(
      new Map(pipeline.mapping.questions.flatMap((entry) => {
        const question = form.questions.find((one) => names(entry, one))
        return entry.input._tag === "Block" && question !== undefined ? [[question.id, entry.input.title]] : []
      })),
    )
    const choices = choiceQuestions(pipeline, mapping, form, source)
    const clean = source.tool?.clean ?? ((cells: Cells) => cells)
    const free = findsMore && pipeline.mapping.submissionTime === undefined ? unusedColumns(pipeline, source) : []
    const profiles = profiler(free)
    const stray = collectStray(pipeline, source, mapping)
    const traps = collectTraps(pipeline, mapping, form)
    const counts = { rows: 0, filtered: 0, invalid: 0, duplicate: 0 }
    const repeated = findRepeated(pipeline, source, mapping)
    const problemsOf = (row: number, cells: Cells): ReadonlyArray<Problem> => {
      const key = mapping.key(cells)
      const mapped = mapping.map(cells, key)
      const problems = "problems" in mapped ? mapped.problems : []
      if ("item" in mapped) traps.add(mapped.item, cells)
      return [...repeated(row, cells, key, problems.length === 0), ...problems]
    }
    yield* eachChunk(source.read(), (chunk) =>
      Effect.suspend(() => {
        for (const [index, cells] of chunk.rows.entries()) {
          counts.rows++
          const fault = chunk.faults.get(index)
          if (maySkip(fault) && mapping.filtered(cells)) {
            counts.filtered++
            continue
          }
          const row = chunk.firstRow + index
          const problems = fault === undefined ? problemsOf(row, cells) : [fault]
          for (const problem of problems) found.add(row, problem)
          if (problems[0]?.code === "duplicate-key") counts.duplicate++
          else if (problems.length > 0) counts.invalid++
          if (fault !== undefined) continue
          const cleaned = clean(cells)
          for (const { addRow } of choices) addRow(cleaned)
          profiles.addRow(cleaned)
          if (findsMore) stray.add(cells, row)
        }
        return lookUp(chunk)
      }))
    const files = yield* source.files
    yield* accountForLines(files)
    const unknown = choices.flatMap(({ counter, question, title, ...rest }) => {
      const { counts: texts, more } = counter.unknown()
      const listed = texts.map(([choice, count]) => ({ choice, count }))
      const one: UnknownChoices = { id: question.id, question: question.name, column: title, choices: listed, more }
      return texts.length === 0 ? [] : [{ ...rest, question, found: one }]
    })
    const times = suggestOwn(profiles.profiles(), source.tool).submissionTime
    const problems = found.problems()
    return {
      ...counts,
      accounts: [
        ...files.flatMap(({ file }) => accountOf(file, files.length > 1)),
        ...leftBehind({ sources: files.map(({ file }) => file) }),
      ],
      problems,
      choices: unknown.map((one) => one.found),
      diagnostics: [
        ...unknown.map((one) => choicesFinding(pipeline, one.entry, one.found, one.isOneChoice)),
        ...problems
          .filter(({ code, question }) =>
            code !== "not-an-option" || unknown.every((one) => one.question.id !== question)
          )
          .map((problem) => problemFinding(pipeline, form, problem, counts.rows)),
        ...traps.findings(),
        ...(yield* stray.findings),
        // A pull of new records often has none that a condition selects.
        ...conditionFindings(
          pipeline,
          mapping,
          source.increment?.mark === undefined ? { least: 1, texts: true } : undefined,
        ),
        ...(times?.column.name === undefined ? [] : [timeFinding(pipeline, times, times.column.name)]),
      ],
    } satisfies CheckedData
  })

/** Returns the entries whose cells are choices, with their questions, columns, and counters of unknown choices. */
export const choiceQuestions = (pipeline: Pipeline, mapping: Mapping, form: Form, source: Source) => {
  const { defaults, questions } = pipeline.mapping
  const columnsOf = ({ input }: MappingEntry, kind: string): ReadonlyArray<Column> => {
    if (input._tag === "Block") {
      const block = blockNamed(source.blocks, input.title)
      const options = optionColumns(block?.columns ?? [])
      const positions = new Set(options.map(({ position }) => position))
      const isPlaced = kind === "ranking" && placesOf(options.map(({ option }) => option)) !== undefined
      return kind === "matrix" || isPlaced ? source.columns.filter(({ position }) => positions.has(position)) : []
    }
    if (input._tag !== "Columns" || input.columns.length !== 1) return []
    return source.columns.filter(({ name }) =>
      name === input.columns[0]?.name && ["choice", "choices", "ranking"].includes(kind)
    )
  }
  return questions.flatMap((entry) => {
    const question = form.questions.find((one) => names(entry, one))
    const answer = mapping.answers.find(({ id, list }) => list === "questions" && id === question?.id)
    if (question === undefined || answer === undefined || entry.extract !== undefined || entry.when.length > 0) {
      return []
    }
    const { kind } = answer
    const columns = columnsOf(entry, kind)
    const [column] = columns
    // A grid without options accepts every answer.
    if (column === undefined || (kind === "matrix" && (question.options ?? []).length === 0)) return []
    const options: Readonly<Record<string, unknown>> = { ...defaults[kind], ...entry.options }
    const empty = new Set(emptyTexts(pipeline.source))
    const counter = collectUnknown(entry.input._tag === "Block" ? "choice" : kind, options, question, empty)
    const title = entry.input._tag === "Block" ? entry.input.title : column.name ?? column.title
    /** Whether a cell is read as one choice although the question takes several. */
    const isOneChoice = entry.input._tag === "Columns" && (kind === "choices" || kind === "ranking")
      && options["split"] === undefined
    if (counter === undefined) return []
    const addRow = (cells: Cells) => {
      for (const { position } of columns) counter.add(cells[position] ?? null)
    }
    return [{ entry, question, kind, columns, title, counter, addRow, isOneChoice }]
  })
}

/** The maximum number of choices that a finding lists. */
const choicesListed = 20

const quote = (text: string): string => `"${cut(visible(text), 60)}"`

const choicesFinding = (
  pipeline: Pipeline,
  { input, path }: MappingEntry,
  { choices, column, more, question }: UnknownChoices,
  isOneChoice: boolean,
): Diagnostic => {
  const shown = choices.map(({ choice, count }) => `${quote(choice)} (${count} ×)`)
  const isOne = choices.length === 1
  const blank = choices.map(({ choice }) => choice).filter(isNoAnswer)
  const what = `${choices.length}${more ? " and more" : ""} ${isOne ? "choice" : "choices"} in the ${
    input._tag === "Block" ? "columns of" : "column"
  } "${brief(column)}" ${isOne ? "is not an option" : "are not options"} of "${brief(question)}"`
  const finding = diagnosticAt(
    pipeline.document,
    "warning",
    [...path, "from"],
    `${what}: ${more ? `${shown.slice(0, choicesListed).join(", ")} and many more` : firstOf(shown, choicesListed)}.`,
    `${
      isOneChoice ? 'If a cell contains several, set what separates them, such as `split: ","`. ' : ""
    }Put them under \`values\`, each with its option or null for no answer; or set \`otherwise\` for all of them.${
      blank.length === 0
        ? ""
        : ` If ${listed(blank.map(quote), "or")} means no answer everywhere, write \`empty: ${
          flow(blank)
        }\` under \`source\`.`
    }`,
  )
  return withCells(pipeline.name, finding, `${what}.`)
}

/** If more than this share of the rows lacks something, such as a zone, the entry should supply it. Otherwise, the rows are wrong. */
const lackingShare = 0.01

/** Returns the key that an entry lacks, if its cells show that: for example, times without a zone, or telephone numbers without a country. */
const neededKey = (
  { code, examples, rows }: DataProblem,
  options: (kind: string) => Readonly<Record<string, unknown>>,
  all: number,
): { readonly lack: string; readonly key: string } | undefined => {
  const lacking = (fits: (value: string) => boolean) =>
    rows > all * lackingShare && examples.every(({ value }) => value !== undefined && fits(value))
  if (code === "not-a-date-time" && options("dateTime")["zone"] === undefined) {
    const isZoneless = (value: string) => {
      const read = readIso(value)
      return read?.hasDate === true && Number.isNaN(read.offset)
    }
    return lacking(isZoneless) ? { lack: "have no time zone", key: "zone: Europe/Berlin" } : undefined
  }
  if (code === "not-a-phone" && options("phone")["country"] === undefined) {
    const isNational = (value: string) => /^[\d\s()./-]+$/.test(value) && value.replaceAll(/\D/g, "").length >= 6
    return lacking(isNational) ? { lack: "have no country code", key: "country: DE" } : undefined
  }
  return undefined
}

const problemFinding = (pipeline: Pipeline, form: Form, problem: DataProblem, all: number): Diagnostic => {
  const { code, column, examples, question: id, rows } = problem
  const { mapping, source } = pipeline
  const entry = entryOf(pipeline, form)(id)
  const isKey = (code === "missing-key" || code === "duplicate-key") && source.rowKey !== undefined
  const some = examples.map(({ row, value }) => value === undefined ? String(row) : `${row} (${quote(value)})`)
  const needed = neededKey(problem, (kind) => ({ ...mapping.defaults[kind], ...entry?.options }), all)
  const isBlock = entry !== undefined && "input" in entry && entry.input._tag === "Block"
  const where = column === undefined ? "" : ` in the ${isBlock ? "columns of" : "column"} "${brief(column)}"`
  const what = `${needed === undefined ? code + where : `Cells${where} ${needed.lack}`}: ${rows} of ${
    counted(all, "row")
  }${rows > examples.length ? ", such as" : ":"} ${examples.length === 1 ? "row" : "rows"}`
  const finding = diagnosticAt(
    pipeline.document,
    needed === undefined ? "warning" : "error",
    entry?.path ?? (isKey ? ["source", "rowKey"] : ["source"]),
    `${what} ${some.join(", ")}.`,
    needed === undefined
      ? examples[0]?.message
      : `Set \`${needed.key.split(":")[0]}\` in this entry, such as \`${needed.key}\`.`,
  )
  return withCells(pipeline.name, finding, `${what} ${examples.map(({ row }) => row).join(", ")}.`)
}

/** Returns how an entry reads a column of times, with the format and the zone that it needs. */
const timeEntry = (times: OwnColumn, column: string): string => {
  const { gaps, keys } = ownSettings("submissionTime", times)
  return flow({
    from: column,
    ...optionsOf(keys),
    ...(gaps.some(({ key }) => key === "zone") && { zone: "…" }),
  })
}

const timeFinding = (pipeline: Pipeline, times: OwnColumn, column: string): Diagnostic =>
  diagnosticAt(
    pipeline.document,
    "warning",
    ["mapping"],
    `No entry uses the times in the column "${
      brief(column)
    }", which could be the submission times. Without them, each submission gets the time of its import.`,
    `Write \`submissionTime: ${timeEntry(times, column)}\`; or list the column under \`ignore\`.`,
  )
