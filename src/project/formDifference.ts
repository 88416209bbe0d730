import type { Element, Form, Option, Question } from "../domain/form.ts"

/** The lists of a form in which something can change. */
export const formLists = ["questions", "urlParameters", "scheduling", "payments"] as const

export type FormList = (typeof formLists)[number]

const words: Readonly<Record<FormList, string>> = {
  questions: "question",
  urlParameters: "URL parameter",
  scheduling: "scheduling field",
  payments: "payment field",
}

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

const names = (options: ReadonlyArray<Option>): string => {
  const labels = options.map(({ label }) => `"${label}"`)
  return labels.length > 8 ? `${labels.slice(0, 8).join(", ")} and ${labels.length - 8} more` : labels.join(", ")
}

const optionChange = (before: Question, after: Question): FormChange | undefined => {
  const [was, is] = [before.options ?? [], after.options ?? []]
  if (before.options === undefined && after.options === undefined) return undefined
  const removed = was.filter(({ value }) => is.every((option) => option.value !== value))
  const added = is.filter(({ value }) => was.every((option) => option.value !== value))
  const relabelled = is.flatMap((option) => {
    const old = was.find(({ value }) => value === option.value)
    return old === undefined || old.label === option.label ? [] : [`"${old.label}" is "${option.label}" now`]
  })
  if (removed.length + added.length + relabelled.length === 0) return undefined
  const parts = [
    ...(removed.length === 0 ? [] : [`${names(removed)} ${removed.length === 1 ? "is" : "are"} gone`]),
    ...(added.length === 0 ? [] : [`${names(added)} ${added.length === 1 ? "is" : "are"} new`]),
    ...relabelled,
  ]
  return {
    list: "questions",
    kind: "options",
    before,
    after,
    message: `The options of the question ${shown(after)} changed: ${parts.join("; ")}.`,
    harmless: removed.length + relabelled.length === 0,
  }
}

const questionChanges = (before: Question, after: Question): ReadonlyArray<FormChange> => {
  const options = optionChange(before, after)
  return [
    ...(before.type === after.type ? [] : [{
      list: "questions" as const,
      kind: "type" as const,
      before,
      after,
      message: `The question ${shown(after)} was of the type ${before.type ?? "(not told)"} and is ${
        after.type ?? "(not told)"
      } now.`,
      harmless: false,
    }]),
    ...(options === undefined ? [] : [options]),
  ]
}

const listChanges = (
  list: FormList,
  was: ReadonlyArray<Element>,
  is: ReadonlyArray<Element>,
): ReadonlyArray<FormChange> => {
  const word = words[list]
  const gone = was.filter(({ id }) => is.every((one) => one.id !== id))
  const come = is.filter(({ id }) => was.every((one) => one.id !== id))
  // The same name with a different id: it was deleted and created again.
  const again = gone.flatMap((before) => {
    const after = come.filter(({ name }) => name === before.name)
    return after.length === 1 && after[0] !== undefined && gone.filter(({ name }) => name === before.name).length === 1
      ? [{ before, after: after[0] }]
      : []
  })
  return [
    ...is.flatMap((after): ReadonlyArray<FormChange> => {
      const before = was.find(({ id }) => id === after.id)
      return before === undefined || before.name === after.name ? [] : [{
        list,
        kind: "renamed",
        before,
        after,
        message: `The ${word} ${shown(before)} is called "${after.name}" now.`,
        harmless: false,
      }]
    }),
    ...again.map(({ before, after }): FormChange => ({
      list,
      kind: "newId",
      before,
      after,
      message: `The ${word} "${before.name}" has the id ${after.id} now; it was ${before.id}.`,
      harmless: false,
    })),
    ...gone.filter((one) => again.every(({ before }) => before !== one)).map((before): FormChange => ({
      list,
      kind: "removed",
      before,
      after: undefined,
      message: `The ${word} ${shown(before)} is gone.`,
      harmless: false,
    })),
    ...come.filter((one) => again.every(({ after }) => after !== one)).map((after): FormChange => ({
      list,
      kind: "added",
      before: undefined,
      after,
      message: `The ${word} ${shown(after)} is new.`,
      harmless: true,
    })),
  ]
}

/** Returns the changes of a form, in the order of its lists. The order of questions does not matter. */
export const formDifference = (before: Form, after: Form): ReadonlyArray<FormChange> => [
  ...formLists.flatMap((list) => listChanges(list, before[list], after[list])),
  ...after.questions.flatMap((question) => {
    const was = before.questions.find(({ id }) => id === question.id)
    return was === undefined ? [] : questionChanges(was, question)
  }),
]
