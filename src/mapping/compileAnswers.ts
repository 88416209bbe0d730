import { type Element, type Form, type FormList, formLists, type Question } from "../domain/form.ts"
import { ownKinds, ownMembers } from "../domain/item.ts"
import type { Json, JsonObject } from "../domain/json.ts"
import { brief } from "../domain/problem.ts"
import { type ElementPart, paymentParts, schedulingParts } from "../kinds/elements.ts"
import { kindNamed } from "../kinds/index.ts"
import type { Kind, Translation } from "../kinds/Kind.ts"
import type { MappingEntry, Pipeline } from "../project/Pipeline.ts"
import { suggest } from "../project/suggestion.ts"
import { isKnownType } from "../service/wire.ts"
import { cellUse, CellUses } from "./CellUses.ts"
import { entryColumns } from "./ColumnBook.ts"
import type { AnswerDraft, AnswerEntries, CompileContext, CompiledAnswer, CompiledEntry } from "./CompileContext.ts"
import { compileInput, compileParts } from "./compileInput.ts"
import { chooseKind } from "./compileKind.ts"
import { compileConditions } from "./conditions.ts"
import { findElement, withName } from "./findElement.ts"
import { requiredProblem } from "./problems.ts"
import { type Read, readAll, readDropping, type ReadPart, readRequired, readWhen, useParts } from "./readers.ts"
import { compileRedirects } from "./textRedirects.ts"

/** A compiled entry: its kind, and its reader if the entry has no mistake. */
interface CompiledKind {
  readonly kind: Kind | undefined
  readonly done: CompiledEntry | undefined
}

/** Compiles every entry of a mapping. A mistake in one entry doesn't hide mistakes in others. */
export const compileAnswers = (
  pipeline: Pipeline,
  form: Form,
  context: CompileContext,
): ReadonlyArray<CompiledAnswer> => {
  const { findings } = context
  const { mapping } = pipeline
  const places: Array<AnswerDraft["answer"]> = []
  const compiled: Array<AnswerDraft> = []

  const lineOf = (entry: MappingEntry) => pipeline.document.at(entry.path).line

  const add = (answer: AnswerDraft["answer"], done: Omit<AnswerDraft, "answer"> | undefined): void => {
    places.push(answer)
    if (done !== undefined) compiled.push({ answer, ...done })
  }

  /** Finds what each entry fills, compiles the entry, and joins the entries for the same question or element. */
  const fill = <E extends Element & Pick<Partial<Question>, "type">>(
    list: FormList,
    entries: ReadonlyArray<MappingEntry>,
    elements: ReadonlyArray<E>,
    compileOne: (entry: MappingEntry, element: E) => CompiledKind,
    kindName: string,
    options: (element: E) => AnswerEntries["options"] = () => undefined,
  ): void => {
    const groups = new Map<E, Array<MappingEntry>>()
    for (const entry of entries) {
      const element = findElement(entry, elements, list, findings)
      // Looks up the entry's columns anyway, so that all missing columns are reported together.
      if (element === undefined) touchColumns(entry, context)
      else groups.set(element, [...(groups.get(element) ?? []), entry])
    }
    for (const [element, group] of groups) {
      const made = group.map((entry, index) => {
        const compiled = { entry, ...compileOne(entry, element) }
        const before = group[index - 1]
        // Entries after one without a condition would never be used.
        if (before !== undefined && before.when.length === 0) {
          findings.error(
            entry.path,
            `The ${formLists[list].one} "${brief(element.name)}" is already filled by the entry on line ${
              lineOf(before)
            }.`,
            entry.when.length === 0 ? undefined : "Only the last of several entries may be without `when`.",
          )
          return { ...compiled, kind: undefined }
        }
        return compiled
      })
      const [first] = made
      for (const { entry, kind } of made) {
        if (kind !== undefined && first?.kind !== undefined && kind.name !== first.kind.name) {
          findings.error(
            entry.path,
            `"${brief(element.name)}" has the kind ${first.kind.name} in the entry on line ${
              lineOf(first.entry)
            }, so it can't have the kind ${kind.name} here.`,
            "Give all its entries the same kind with `as`.",
          )
        }
      }
      add(
        {
          id: element.id,
          name: element.name,
          kind: first?.kind?.name ?? kindName,
          list,
          known: isKnownType(element.type),
        },
        joined(made, group, options(element), context),
      )
      compiled.push(...compileRedirects(element, group, compiled.at(-1), context))
    }
  }

  fill(
    "questions",
    mapping.questions,
    form.questions,
    (entry, question) => {
      const kind = chooseKind(entry, question, findings)
      if (kind === undefined) touchColumns(entry, context)
      return {
        kind,
        done: kind === undefined ? undefined : compileEntry(entry, { ...question, kind, question }, context),
      }
    },
    "json",
    (question) => question.options,
  )
  fill("urlParameters", mapping.urlParameters, form.urlParameters, (entry, parameter) => {
    const kind = kindNamed(entry.as)
    return { kind, done: kind === undefined ? undefined : compileEntry(entry, { ...parameter, kind }, context) }
  }, "json")

  for (const id of ownMembers) {
    const entry = mapping[id]
    const kind = kindNamed(ownKinds[id])
    if (entry === undefined || kind === undefined) continue
    const done = compileEntry(entry, { id, name: id, kind }, context)
    add({ id, name: id, kind: kind.name, list: "own" }, joined([{ entry, kind, done }], [entry], undefined, context))
  }

  fill("scheduling", mapping.scheduling, form.scheduling, (entry, element) => ({
    kind: undefined,
    done: compileElement(entry, element, schedulingParts, context),
  }), "scheduling")
  fill("payments", mapping.payments, form.payments, (entry, element) => ({
    kind: undefined,
    done: compileElement(entry, element, paymentParts, context),
  }), "payment")

  const targets = redirectTargets(compiled, context)
  const tolerated = tolerations(pipeline, [...places, ...targets], context)
  return compiled.map((one) => ({
    ...one,
    answer: {
      ...one.answer,
      tolerated: tolerated.get(`${one.answer.list} ${one.answer.id}`),
      columns: one.columns,
      translations: one.translations ?? [],
    },
  }))
}

/** Returns each translation once, because several entries may have the same labels. */
const distinct = (translations: ReadonlyArray<Translation>): ReadonlyArray<Translation> => [
  ...new Map(translations.map((one) => [JSON.stringify(one), one])).values(),
]

/** Joins the entries for an answer. For each row, the first entry whose `when` is met is used. */
const joined = (
  made: ReadonlyArray<CompiledKind & { readonly entry: MappingEntry }>,
  entries: ReadonlyArray<MappingEntry>,
  options: AnswerEntries["options"],
  context: CompileContext,
): Omit<AnswerDraft, "answer"> | undefined => {
  const [only] = made
  if (made.length === 1 && only !== undefined && only.entry.when.length === 0) {
    return only.done === undefined
      ? undefined
      : { entries, options, unique: only.entry.unique ? only.done : undefined, ...only.done }
  }
  const all = made.map(({ entry, done }) => ({
    conditions: compileConditions("when", entry.when, context),
    done,
    entry,
  }))
  if (all.some(({ done }) => done === undefined)) return undefined
  const reading = (isRead: (entry: MappingEntry) => boolean) =>
    readWhen(
      all.flatMap(({ conditions: { holds }, done, entry }) =>
        done === undefined ? [] : [{ holds, read: isRead(entry) ? done.read : () => undefined }]
      ),
    )
  const unique = all.find(({ entry }) => entry.unique)
  return {
    entries,
    options,
    columns: [...new Set(all.flatMap(({ conditions, done }) => [...conditions.columns, ...(done?.columns ?? [])]))],
    fromCells: all.some(({ done }) => done?.fromCells === true),
    translations: distinct(all.flatMap(({ done }) => done?.translations ?? [])),
    read: reading(() => true),
    unique: unique && { read: reading((entry) => entry.unique), columns: unique.done?.columns ?? [] },
  }
}

const touchColumns = (entry: MappingEntry, { columns }: CompileContext): void => {
  for (const name of entryColumns(entry)) columns.find(name, "answers")
  const block = entry.input._tag === "Block" ? columns.block(entry.input.title, entry.input.path) : undefined
  if (typeof block === "object") columns.answers(block)
}

/** Returns the questions to which other questions redirect texts (`textTo`). Adds an error if an entry also fills such a question. */
const redirectTargets = (
  compiled: ReadonlyArray<AnswerDraft>,
  { findings }: CompileContext,
): ReadonlyArray<AnswerDraft["answer"]> => {
  const targets = compiled.filter(({ entries }) => entries.length === 0).map(({ answer }) => answer)
  for (const { answer, entries } of compiled) {
    const [entry] = entries
    if (entry !== undefined && answer.list === "questions" && targets.some(({ id }) => id === answer.id)) {
      findings.error(entry.path, `"${brief(answer.name)}" already gets the texts of a different question (\`textTo\`).`)
    }
  }
  return targets
}

/** Returns the answers whose differences are tolerated, and why. */
const tolerations = (
  pipeline: Pipeline,
  places: ReadonlyArray<AnswerDraft["answer"]>,
  { findings }: CompileContext,
): ReadonlyMap<string, string> => {
  const tolerated = new Map<string, string>()
  for (const { because, id, name, path } of pipeline.reconcile.tolerate) {
    const meant = places.filter((place) =>
      (id === undefined || place.id === id) && (name === undefined || withName(name, [place]).length > 0)
    )
    for (const place of meant) tolerated.set(`${place.list} ${place.id}`, because)
    if (meant.length === 0) {
      const names = places.map((place) => (id === undefined ? place.name : place.id))
      findings.error(
        path,
        `No mapped answer is called "${name ?? id}".`,
        suggest(name ?? id ?? "", names, "Mapped are"),
      )
    }
  }
  return tolerated
}

/** Applies the policies of an entry for its answer as a whole: `required` and `onInvalid`. */
const withPolicy = (
  { read, columns }: Pick<CompiledEntry, "read" | "columns">,
  entry: MappingEntry,
  place: Element,
  { uses }: Pick<CompileContext, "uses">,
): Read => {
  const kept = entry.onInvalid === "drop" ? readDropping(read, columns, uses) : read
  return entry.required && columns.length > 0 ? readRequired(kept, place.id, place.name, columns) : kept
}

/** Finds policies that contradict each other. */
const checkPolicy = (entry: MappingEntry, { findings }: Pick<CompileContext, "findings">): void => {
  if (entry.onInvalid !== "drop") return
  for (const [key, given] of [["required", entry.required], ["unique", entry.unique]] as const) {
    if (given) {
      findings.error(
        [...entry.path, "onInvalid"],
        `An answer that is ${key} can't be dropped: without it the row is invalid.`,
        `Keep either \`${key}\` or \`onInvalid: drop\`, not both.`,
      )
    }
  }
}

/** Compiles an entry that fills a question, URL parameter, time or login with values of a kind. */
const compileEntry = (
  entry: MappingEntry,
  place: Element & { readonly kind: Kind; readonly question?: Question | undefined },
  context: CompileContext,
): CompiledEntry | undefined => {
  checkPolicy(entry, context)
  const { extract, options, path } = entry
  const compiled = compileInput(
    { ...place, question: place.question, options, path, extract },
    entry.input,
    entry.default,
    context,
  )
  return compiled === undefined ? undefined : { ...compiled, read: withPolicy(compiled, entry, place, context) }
}

/** Returns the reader of an element's parts. It reports a problem if a row lacks a part that the interface requires. */
const readElement = (
  element: Element,
  parts: ReadonlyArray<ReadPart>,
  needed: ReadonlySet<string>,
  partUses: CellUses,
  uses: CellUses,
): CompiledEntry["read"] => {
  const all = readAll(parts, partUses)
  return (cells, problems): JsonObject | undefined => {
    const values = all(cells, problems)
    if (values === undefined) return undefined
    const value: Record<string, Json> = {}
    for (let index = 0; index < parts.length; index++) {
      const { part, columns } = parts[index]!
      const member = values[index]
      if (member !== undefined) value[part] = member
      else if (needed.has(part)) problems.push(requiredProblem(element.id, `${element.name}: ${part}`, columns))
    }
    useParts(parts, partUses, uses, () => cellUse.sent)
    return value
  }
}

/**
 * Compiles a scheduling or payment entry, each part by its kind. If all columns of a row are empty, the row has no such value. If some are filled, it
 * needs all parts that the interface requires.
 */
const compileElement = (
  entry: MappingEntry,
  element: Element,
  known: Readonly<Record<string, ElementPart>>,
  context: CompileContext,
): CompiledEntry | undefined => {
  const { findings } = context
  const { input, path } = entry
  if (input._tag !== "Parts") return undefined
  const needed = Object.keys(known).filter((part) => known[part]?.required)
  const missing = needed.filter((part) => !input.parts.some((each) => each.part === part))
  if (missing.length > 0) {
    findings.error(
      [...path, "from"],
      `"${brief(element.name)}" lacks ${missing.join(", ")}: the service requires ${needed.join(", ")}.`,
    )
  }
  const partUses = new CellUses(context.uses.most.length)
  const parts = compileParts(
    element,
    input.parts.map((entry) => ({ ...entry, options: { ...entry.options, ...known[entry.part]?.options } })),
    Object.fromEntries(Object.entries(known).map(([part, { kind }]) => [part, kind])),
    { ...context, uses: partUses },
  )
  if (parts === undefined || missing.length > 0) return undefined
  const columns = [...new Set(parts.flatMap((part) => part.columns))]
  const read = readElement(element, parts, new Set(needed), partUses, context.uses)
  checkPolicy(entry, context)
  return { read: withPolicy({ read, columns }, entry, element, context), columns, fromCells: columns.length > 0 }
}
