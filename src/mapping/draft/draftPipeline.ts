import { brief } from "../../domain/problem.ts"
import { type Column, nameOrNumber } from "../../domain/row.ts"
import { firstOf, oneLine, present } from "../../domain/words.ts"
import {
  type DraftEntry,
  type DraftKey,
  type DraftValue,
  flow,
  type PipelineDraft,
} from "../../project/PipelineDraft.ts"
import { type StrayRow, strayWarnings, whereWithout } from "../profile/strayRows.ts"
import { columnsOf, type SuggestedQuestion, type Suggestions, unmappedNames } from "../suggest/Suggestion.ts"
import { otherEntries, questionEntry } from "./draftEntries.ts"

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
  const skipped = source.stray.filter(({ column }) => column !== undefined)
  const missing = [...source.missing].toSorted((a, b) => b[1] - a[1]).slice(0, 5)
  const proposed: ReadonlyArray<DraftKey> = present([
    !isNamed && !source.isKeyed && {
      key: "rowKey",
      value: [others[0] ?? "Column"],
      note: `left open: what identifies a row in later runs. ${
        others.length === 0
          ? "No column is filled in every row and different in each: name several columns that are unique together, or write rowKey: content"
          : `Different in every row: ${shown}`
      }`,
    },
    missing.length > 0 && {
      key: "empty",
      value: missing.map(([text]) => text),
      note: `left open: remove the # if these mean "no answer": ${missing.map(([, count]) => `${count} ×`).join(", ")}`,
    },
    source.finished !== undefined
    && { key: "where", value: source.finished, note: "only responses that were finished" },
  ])
  return {
    of: "source",
    comments: [],
    keys: present([
      ...source.keys,
      isNamed && !source.isKeyed && {
        key: "rowKey",
        value: rowKey.names,
        note: `identifies a row in later runs: ${rowKey.because}${also}`,
      },
      Object.keys(aliases).length > 0 && { key: "columns", value: aliases },
      skipped.length > 0 && {
        key: "where",
        value: whereWithout(skipped),
        note: strayWarnings(
          skipped,
          (_, them) => `Remove this condition if ${them === "it" ? "it is a record" : "they are records"}`,
        ).join(" "),
      },
    ]),
    below: proposed.map(({ key, note = "", value }) => `${key}: ${flow(value)} # ${note}`),
    open: false,
  }
}

export const draftPipeline = (
  suggestions: Suggestions,
  { columns, name, service, source }: Pick<PipelineDraft, "name" | "service"> & {
    readonly source: DraftSource
    readonly columns: ReadonlyArray<Column>
  },
): PipelineDraft => {
  const { nameOf, aliases } = namer(columns)
  const { form, tool = "the tool" } = suggestions
  const questions = suggestions.questions.map((one) => questionEntry(one, nameOf))
  const others = otherEntries(suggestions, nameOf)
  const unmapped = firstOf(unmappedNames(suggestions).map(brief), 50)
  const left = suggestions.left.flatMap(({ name }) => name ?? [])
  const manual = Object.entries({ scheduling: form.scheduling, payment: form.payments }).map(([what, fields]) =>
    fields.length > 0
    && `The form has ${what} fields, which you map manually: ${fields.map(({ name }) => brief(name)).join(", ")}`
  )
  return {
    name,
    about: [
      `Made by formferry init for the form "${
        brief(form.name)
      }". Anything that the file and the form don't show is left open, as a comment: search for "left open".`,
      "Then: formferry check",
    ],
    // After the entries, which name columns that have no name.
    source: sourceEntry(suggestions, source, aliases),
    questions,
    ...others,
    ignore: left.length === 0 ? undefined : { columns: left, why: `${tool}'s own columns, not imported` },
    notes: present([
      unmapped !== ""
      && `not mapped yet: ${unmapped}. Map them, or list them under \`ignore\`: \`check\` lists those that are left.`,
      ...manual,
    ]),
    service,
    form: form.id,
  }
}

/** Returns entries to add to an existing pipeline file. Columns without a name are left to a person. */
export const draftAdditions = (
  suggestions: Suggestions,
): Pick<PipelineDraft, "questions" | "urlParameters" | "own"> => {
  const isNamed = ({ accepted }: SuggestedQuestion) =>
    accepted === undefined || columnsOf(accepted.origin).every(({ name }) => name !== undefined)
  const named = { ...suggestions, questions: suggestions.questions.filter(isNamed) }
  return {
    questions: named.questions.map((one) => questionEntry(one, nameOrNumber)),
    ...otherEntries(named, nameOrNumber),
  }
}
