import { brief } from "../../domain/problem.ts"
import { type Column, nameOrNumber } from "../../domain/row.ts"
import { firstOf, oneLine } from "../../domain/words.ts"
import {
  type DraftEntry,
  type DraftKey,
  type DraftValue,
  flow,
  type PipelineDraft,
} from "../../project/PipelineDraft.ts"
import { type StrayRow, strayWarning, whereWithout } from "../profile/strayRows.ts"
import { columnsOf, type Suggestions, unmappedNames } from "../suggest/Suggestion.ts"
import { unknownOf } from "./draftChoices.ts"
import { openEntry, otherEntries, suggestedEntry } from "./draftEntries.ts"
import type { TriedEntries } from "./tryEntry.ts"

interface DraftSource {
  /** The keys that say where the rows are, and how they are read. */
  readonly keys: ReadonlyArray<DraftKey>
  /** Whether the preset of the connection says what identifies a row. */
  readonly isKeyed: boolean
  /** Texts that look like "no answer", with their counts. */
  readonly missing: ReadonlyMap<string, number>
  /** The `where` that only finished responses meet. Undefined if the file doesn't say which ones were finished. */
  readonly finished: DraftValue | undefined
  readonly stray: ReadonlyArray<StrayRow>
}

/** Names for columns that have none: the pipeline's `source.columns`. */
const namer = (columns: ReadonlyArray<Column>) => {
  const aliases: Record<string, DraftValue> = {}
  const nameOf = ({ name: own, position, title }: Column): string => {
    if (own !== undefined) return own
    const header = oneLine(title)
    const same = columns.filter((other) => oneLine(other.title) === header && header !== "")
    const nth = same.findIndex((other) => other.position === position) + 1
    const name = same.length > 1 ? `${header} (${nth})` : `column ${position + 1}`
    aliases[name] = same.length > 1 ? { header, nth, of: same.length } : { position: position + 1 }
    return name
  }
  return { nameOf, aliases }
}

const sourceEntry = (
  { rowKey }: Suggestions,
  source: DraftSource,
  aliases: { readonly [name: string]: DraftValue },
): DraftEntry => {
  const others = rowKey.candidates.flatMap(({ column }) => column.name ?? [])
  const shown = firstOf(others.map(brief), 12)
  const also = others.length === 0 ? "" : `; so ${others.length > 1 ? "are" : "is"} ${shown}`
  const isNamed = rowKey.names.length > 0
  const keys: ReadonlyArray<DraftKey | false> = [
    ...source.keys,
    isNamed && !source.isKeyed && {
      key: "rowKey",
      value: rowKey.names,
      note: `identifies a row in later runs: ${rowKey.because}${also}`,
    },
    Object.keys(aliases).length > 0 && { key: "columns", value: aliases },
    source.stray.length > 0 && {
      key: "where",
      value: whereWithout(source.stray),
      note: `${source.stray.map(strayWarning).join(" ")} Remove this condition if it is a record`,
    },
  ]
  const missing = [...source.missing].toSorted((a, b) => b[1] - a[1]).slice(0, 5)
  const proposed = (key: string, value: DraftValue | undefined, why: string): ReadonlyArray<string> =>
    value === undefined ? [] : [`${key}: ${flow(value)} # ${why}`]
  const below = [
    ...proposed(
      "rowKey",
      isNamed || source.isKeyed ? undefined : [others[0] ?? "Column"],
      `left open: what identifies a row in later runs. ${
        others.length === 0
          ? `${rowKey.because}: name several columns that are unique together, or write rowKey: content`
          : `Different in every row: ${shown}`
      }`,
    ),
    ...proposed(
      "empty",
      missing.length === 0 ? undefined : missing.map(([text]) => text),
      `left open: remove the # if these mean "no answer": ${missing.map(([, count]) => `${count} ×`).join(", ")}`,
    ),
    ...proposed("where", source.finished, "only responses that were finished"),
  ]
  return { of: "source", comments: [], keys: keys.filter((key) => key !== false), below, open: false }
}

/** Returns the separator of choices that most of a source's columns use. */
const usualSplit = (entries: ReadonlyArray<DraftEntry>): DraftValue | undefined => {
  const counts = new Map<DraftValue, number>()
  for (const { key, value } of entries.flatMap(({ keys }) => keys)) {
    if (key === "split") counts.set(value, (counts.get(value) ?? 0) + 1)
  }
  return [...counts].toSorted((a, b) => b[1] - a[1])[0]?.[0]
}

/** Returns entries for all questions of a form, in its order. */
const questionEntries = (
  { questions }: Suggestions,
  nameOf: (column: Column) => string,
  tried: TriedEntries,
): ReadonlyArray<DraftEntry> => {
  const accepted = questions.flatMap(({ accepted }) => accepted ?? [])
  const answered = new Set(accepted.flatMap(({ origin }) => origin._tag === "Column" ? [origin.column.position] : []))
  const optionsFor = (id: string) => ({ nameOf, tried: tried.get(id), answered })
  const sure = accepted.map((one) =>
    suggestedEntry(one, { ...optionsFor(one.question.id), unknown: unknownOf(one, tried) })
  )
  const split = usualSplit(sure)
  return questions.map((one) =>
    sure.find(({ of }) => of === one.question.id)
      ?? openEntry(one, { ...optionsFor(one.question.id), unknown: (best) => unknownOf(best, tried), split })
  )
}

export const draftPipeline = (
  suggestions: Suggestions,
  options: {
    readonly name: string
    readonly service: string
    readonly source: DraftSource
    readonly columns: ReadonlyArray<Column>
    readonly tried: TriedEntries
  },
): PipelineDraft => {
  const { nameOf, aliases } = namer(options.columns)
  const { form } = suggestions
  const questions = questionEntries(suggestions, nameOf, options.tried)
  const others = otherEntries(suggestions, nameOf, options.tried)
  const unmapped = unmappedNames(suggestions)
  const left = suggestions.left.flatMap(({ name }) => name ?? [])
  const parts = ([["scheduling", form.scheduling], ["payment", form.payments]] as const).flatMap(([what, fields]) =>
    fields.length === 0
      ? []
      : [`The form has ${what} fields, which you map manually: ${fields.map(({ name }) => brief(name)).join(", ")}`]
  )
  return {
    name: options.name,
    about: [
      `Made by formferry init for the form "${
        brief(form.name)
      }". Anything that the file and the form don't show is left open, as a comment: search for "left open".`,
      "Then: formferry check",
    ],
    source: sourceEntry(suggestions, options.source, aliases),
    questions,
    ...others,
    ignore: left.length === 0
      ? undefined
      : { columns: left, why: `${suggestions.tool ?? "the tool"}'s own columns, not imported` },
    notes: [
      ...(unmapped.length === 0
        ? []
        : [
          `not mapped yet: ${
            firstOf(unmapped.map(brief), 50)
          }. Map them, or list them under \`ignore\`: \`check\` lists those that are left.`,
        ]),
      ...parts,
    ],
    service: options.service,
    form: form.id,
  }
}

/** Returns entries to add to an existing pipeline file. Columns without a name are left to a person. */
export const draftAdditions = (
  suggestions: Suggestions,
  tried: TriedEntries,
): Pick<PipelineDraft, "questions" | "urlParameters" | "own"> => {
  const isNamed = (columns: ReadonlyArray<Column>) => columns.every(({ name }) => name !== undefined)
  const questions = suggestions.questions.filter(({ accepted }) =>
    accepted === undefined || isNamed(columnsOf(accepted.origin))
  )
  const named = { ...suggestions, questions }
  return {
    questions: questionEntries(named, nameOrNumber, tried),
    ...otherEntries(named, nameOrNumber, tried),
  }
}
