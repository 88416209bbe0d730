import { type Element, optionNamer } from "../../domain/form.ts"
import { ownMembers } from "../../domain/item.ts"
import { brief, cut } from "../../domain/problem.ts"
import { type Column, nameOrNumber } from "../../domain/row.ts"
import { firstOf, oneLine, present } from "../../domain/words.ts"
import { cellsIn, type ProfiledColumn } from "../../profile/ColumnProfile.ts"
import { type StrayRow, strayWarnings, whereWithout } from "../../profile/strayRows.ts"
import {
  commentText,
  type DraftEntry,
  type DraftKey,
  type DraftValue,
  type PipelineDraft,
} from "../../project/PipelineDraft.ts"
import { scored } from "../../project/pipelineEdits.ts"
import {
  type Block,
  hasParts,
  type Origin,
  type OwnColumn,
  profiledOf,
  type SuggestedQuestion,
  type Suggestion,
  type Suggestions,
  unmappedNames,
} from "../Suggestion.ts"
import { draftChoices, optionsIn } from "./draftChoices.ts"
import { openIn, ownSettings, settingsFor } from "./settings.ts"

// Entries

/** Returns the first cells of a column: a code with its label. */
export const samplesOf = (one: ProfiledColumn, most = 2): ReadonlyArray<string> =>
  cellsIn(one).texts.slice(0, most).map((text) => {
    const label = one.coded === undefined ? undefined : one.labels?.options.get(text)
    const [cell, meant] = [text, label ?? ""].map((each) => cut(commentText(each), 40))
    return label === undefined ? `"${cell}"` : `"${cell}" (${meant})`
  })

export const samplesFrom = (origin: Origin): ReadonlyArray<string> =>
  [...new Set(profiledOf(origin).flatMap((one) => samplesOf(one, origin._tag === "Joined" ? 1 : 2)))].slice(0, 2)

type Naming = (column: Column) => string

/** Returns the id and name of a question, so that a change of either is noticed. */
const naming = (question: Element): ReadonlyArray<DraftKey> => [
  { key: "id", value: question.id },
  ...(question.name.trim() === "" ? [] : [{ key: "name", value: question.name }]),
]

const blockFrom = (block: Block, nameOf: Naming, question: Suggestion["question"]): DraftValue => {
  // If the rows of a grid have codes, the entry must list their names, because a row's name in the entry is sent.
  const hasCodedRows = question.type === "Matrix" && block.options.some(({ code }) => code !== undefined)
  if (block.known && !hasCodedRows) return { block: block.title }
  const named = optionNamer(question.options ?? [])
  const columns = Object.fromEntries(
    optionsIn(block, question).map(([{ column, option }, one]) => [one ? named(one) : option, nameOf(column)]),
  )
  const isRanking = block.content === "ranks" || (block.content === "places" && question.type !== "Matrix")
  return isRanking ? { ranks: columns } : columns
}

export const fromOf = (origin: Origin, nameOf: Naming, question: Suggestion["question"]): DraftValue =>
  origin._tag === "Column"
    ? nameOf(origin.column)
    : origin._tag === "Block"
    ? blockFrom(origin, nameOf, question)
    : hasParts(origin)
    ? Object.fromEntries(origin.columns.map(({ part, column }) => [part, nameOf(column)]))
    : origin.columns.map(({ column }) => nameOf(column))

/** @param open what a person must complete, in sentences */
const entryOf = (
  of: string,
  about: ReadonlyArray<string>,
  keys: ReadonlyArray<DraftKey>,
  open?: string,
): DraftEntry => ({
  of,
  comments: present([...about, open !== undefined && `left open: ${open}`]),
  keys,
  below: [],
  open: open !== undefined,
})

/** Returns the entry of a question. If the question is left to a person, lists the columns that may be meant. */
export const questionEntry = ({ accepted, candidates, question }: SuggestedQuestion, nameOf: Naming): DraftEntry => {
  const best = accepted ?? candidates[0]
  const named = naming(question)
  if (best === undefined) return entryOf(question.id, [], [...named, { key: "from", value: "" }], "no column fits")
  const remarks = candidates.map(({ because, confidence, origin }) => {
    const from = fromOf(origin, nameOf, question)
    const other = origin._tag === "Block" ? `block ${origin.title}` : "several columns"
    // Not shortened, so that it can be copied.
    const shown = commentText(typeof from === "string" ? from : other)
    const about = accepted === undefined ? `candidate ${confidence.toFixed(2)} ${shown}` : scored(confidence)
    return present([about, ...samplesFrom(origin), because.length > 0 && commentText(because.join(", "))]).join(" · ")
  })
  const settings = settingsFor(best)
  const { kind } = settings
  const unread = openIn(settings)
  const { below, keys: own, open } = draftChoices(best, settings, nameOf)
  // A question's default kind is omitted if it has no options. A person who completes an open entry adds some.
  const isSaid = kind !== undefined && kind !== "text"
    && (question.type === undefined || own.length > 0 || below.length > 0 || unread !== undefined)
  const from = { key: "from", value: fromOf(best.origin, nameOf, question) }
  const keys = [...named, from, ...isSaid ? [{ key: "as", value: kind }] : [], ...own]
  if (accepted !== undefined) return { ...entryOf(question.id, remarks, keys, unread ?? open), kind, below }
  const entry = entryOf(question.id, [], keys, present(["no column is certain", unread]).join(". "))
  return { ...entry, comments: [...entry.comments, ...remarks], kind, below }
}

/** Returns the entry of a submission's time or login. */
export const ownEntry = (of: string, own: OwnColumn, nameOf: Naming): DraftEntry => {
  const settings = ownSettings(of, own)
  const keys = [{ key: "from", value: nameOf(own.column) }, ...settings.keys]
  return entryOf(of, [["suggested", own.because, ...samplesOf(own)].join(" · ")], keys, openIn(settings))
}

/** Returns the entries for questions, URL parameters, times and the login. */
export const draftEntries = (
  { questions, urlParameters, ...others }: Suggestions,
  nameOf: Naming = nameOrNumber,
): Pick<PipelineDraft, "own" | "questions" | "urlParameters"> => ({
  questions: questions.map((one) => questionEntry(one, nameOf)),
  urlParameters: urlParameters.map(({ element, from }) =>
    entryOf(element.id, [[from.because, ...samplesOf(from)].join(" · ")], [
      ...naming(element),
      { key: "from", value: nameOf(from.column) },
    ])
  ),
  own: ownMembers.flatMap((of) => others[of] === undefined ? [] : [ownEntry(of, others[of], nameOf)]),
})

// The file

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

/** Returns the row key. If it is left to a person, proposes a column. */
const rowKeyOf = ({ because, candidates, names }: Suggestions["rowKey"]): DraftKey => {
  const others = candidates.flatMap(({ column }) => column.name ?? [])
  const shown = firstOf(others.map(brief), 12)
  if (names.length > 0) {
    const also = others.length === 0 ? "" : `; so ${others.length > 1 ? "are" : "is"} ${shown}`
    return { key: "rowKey", value: names, note: `identifies a row in later runs: ${because}${also}` }
  }
  const why = others.length > 0
    ? `Different in every row: ${shown}`
    : "No column is filled in every row and different in each: name several columns that are unique together, or write rowKey: content"
  const note = `left open: what identifies a row in later runs. ${why}`
  return { key: "rowKey", value: [others[0] ?? "Column"], note, isOpen: true }
}

/** What a source shows about its pipeline, apart from the columns that answer questions. */
interface SourceFacts {
  readonly columns: ReadonlyArray<Column>
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

export const draftPipeline = (
  suggestions: Suggestions,
  { columns, finished, isKeyed, keys, missing, stray }: SourceFacts,
  { name, service }: Pick<PipelineDraft, "name" | "service">,
): PipelineDraft => {
  const { nameOf, aliases } = namer(columns)
  const { form, tool = "the tool" } = suggestions
  // First, because it names columns that have no name.
  const entries = draftEntries(suggestions, nameOf)
  const skipped = stray.filter(({ column }) => column !== undefined)
  const blank = [...missing].toSorted((a, b) => b[1] - a[1]).slice(0, 5)
  const counts = blank.map(([, count]) => `${count} ×`).join(", ")
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
    source: present<DraftKey>([
      ...keys,
      !isKeyed && rowKeyOf(suggestions.rowKey),
      Object.keys(aliases).length > 0 && { key: "columns", value: aliases },
      skipped.length > 0 && {
        key: "where",
        value: whereWithout(skipped),
        note: strayWarnings(
          skipped,
          (_, them) => `Remove this condition if ${them === "it" ? "it is a record" : "they are records"}`,
        ).join(" "),
      },
      blank.length > 0 && {
        key: "empty",
        value: blank.map(([text]) => text),
        note: `left open: remove the # if these mean "no answer": ${counts}`,
        isOpen: true,
      },
      finished !== undefined
      && { key: "where", value: finished, note: "only responses that were finished", isOpen: true },
    ]),
    ...entries,
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
