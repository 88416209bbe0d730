import type { Element, Form, FormList, Option, Question } from "../domain/form.ts"
import { formLists } from "../domain/form.ts"
import { firstOf, namesOf } from "../domain/words.ts"

/** One change of a form. */
export interface FormChange {
  readonly list: FormList
  readonly kind: "added" | "removed" | "renamed" | "newId" | "type" | "options"
  /** The question or element as it was. */
  readonly before: Element | undefined
  readonly after: Element | undefined
  /** The change, as a sentence. */
  readonly message: string
  /** Whether answers that were valid before are still valid: something was only added. */
  readonly harmless: boolean
}

const shown = ({ id, name }: Element): string => `"${name}" (${id})`

const names = (options: ReadonlyArray<Option>): string => firstOf(options.map(({ label }) => `"${label}"`), 8)

const optionChanges = (before: Question, after: Question): ReadonlyArray<FormChange> => {
  const [was, is] = [before.options ?? [], after.options ?? []]
  const removed = was.filter(({ value }) => is.every((option) => option.value !== value))
  const added = is.filter(({ value }) => was.every((option) => option.value !== value))
  const relabelled = is.flatMap((option) => {
    const old = was.find(({ value }) => value === option.value)
    return old === undefined || old.label === option.label ? [] : [`"${old.label}" is "${option.label}" now`]
  })
  if (removed.length + added.length + relabelled.length === 0) return []
  const parts = [
    ...(removed.length === 0 ? [] : [`${names(removed)} ${removed.length === 1 ? "is" : "are"} gone`]),
    ...(added.length === 0 ? [] : [`${names(added)} ${added.length === 1 ? "is" : "are"} new`]),
    ...relabelled,
  ]
  return [{
    list: "questions",
    kind: "options",
    before,
    after,
    message: `The options of the question ${shown(after)} changed: ${parts.join("; ")}.`,
    harmless: removed.length + relabelled.length === 0,
  }]
}

const questionChanges = (before: Question, after: Question): ReadonlyArray<FormChange> => {
  const [was, is] = [before.type ?? "(not told)", after.type ?? "(not told)"]
  const message = `The question ${shown(after)} was of the type ${was} and is ${is} now.`
  return [
    ...(before.type === after.type
      ? []
      : [{ list: "questions", kind: "type", before, after, message, harmless: false } as const]),
    ...optionChanges(before, after),
  ]
}

const listChanges = (
  list: FormList,
  was: ReadonlyArray<Element>,
  is: ReadonlyArray<Element>,
): ReadonlyArray<FormChange> => {
  const word = formLists[list].one
  const removed = was.filter(({ id }) => is.every((one) => one.id !== id))
  const added = is.filter(({ id }) => was.every((one) => one.id !== id))
  // The same name with a different id: it was deleted and created again.
  const recreated = removed.flatMap((before) => {
    const [after, ...more] = added.filter(({ name }) => name === before.name)
    const isOnly = removed.filter(({ name }) => name === before.name).length === 1
    return after !== undefined && more.length === 0 && isOnly ? [{ before, after }] : []
  })
  const renamed = is.flatMap((after) => {
    const before = was.find(({ id }) => id === after.id)
    return before === undefined || before.name === after.name ? [] : [{ before, after }]
  })
  const change = (
    kind: FormChange["kind"],
    before: Element | undefined,
    after: Element | undefined,
    message: string,
  ): FormChange => ({ list, kind, before, after, message, harmless: kind === "added" })
  return [
    ...renamed.map(({ after, before }) =>
      change("renamed", before, after, `The ${word} ${shown(before)} is called "${after.name}" now.`)
    ),
    ...recreated.map(({ after, before }) =>
      change("newId", before, after, `The ${word} "${before.name}" has the id ${after.id} now; it was ${before.id}.`)
    ),
    ...removed.filter((one) => recreated.every(({ before }) => before !== one)).map((before) =>
      change("removed", before, undefined, `The ${word} ${shown(before)} is gone.`)
    ),
    ...added.filter((one) => recreated.every(({ after }) => after !== one)).map((after) =>
      change("added", undefined, after, `The ${word} ${shown(after)} is new.`)
    ),
  ]
}

/** Returns the changes of a form, in the order of its lists. The order of questions does not matter. */
export const formDifference = (before: Form, after: Form): ReadonlyArray<FormChange> => [
  ...namesOf(formLists).flatMap((list) => listChanges(list, before[list], after[list])),
  ...after.questions.flatMap((question) => {
    const was = before.questions.find(({ id }) => id === question.id)
    return was === undefined ? [] : questionChanges(was, question)
  }),
]
