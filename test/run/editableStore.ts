import { memoryStore, type PracticeStore } from "../../src/practice/store.ts"

type Content = { readonly [member: string]: unknown }

/** A practice store in which tests edit and delete submissions, as people do in the form's results. */
export const editableStore = (): PracticeStore & {
  /** Replaces a submission with the result of `change`. */
  readonly edit: (form: string, id: string, change: (content: Content) => Content) => void
  /** Sets the answer to a question. */
  readonly answer: (form: string, id: string, question: string, value: unknown) => void
  /** Makes the service store changed submissions from now on. */
  readonly rewrite: (change: (json: string) => string) => void
} => {
  const store = memoryStore()
  const edited = new Map<string, string>()
  let rewrite = (json: string) => json
  const at = (form: string, id: string) => `${form} ${id}`
  const get: PracticeStore["get"] = (form, id) => {
    const found = store.get(form, id)
    return found === undefined ? undefined : { ...found, json: edited.get(at(form, id)) ?? found.json }
  }
  const edit = (form: string, id: string, change: (content: Content) => Content) => {
    const found = get(form, id)
    if (found === undefined) throw new Error(`There is no submission ${id}.`)
    const content = change(JSON.parse(found.json) as Content)
    edited.set(at(form, id), JSON.stringify({ ...content, lastUpdatedAt: "2031-01-01T00:00:00.000Z" }))
  }
  return {
    get,
    all: (form) => store.all(form).flatMap(({ id }) => get(form, id) ?? []),
    byTime: (form) => store.byTime(form).flatMap(({ id }) => get(form, id) ?? []),
    append: (form, submissions) => store.append(form, submissions.map((one) => ({ ...one, json: rewrite(one.json) }))),
    rewrite: (change) => {
      rewrite = change
    },
    edit,
    answer: (form, id, question, value) =>
      edit(form, id, (content) => ({
        ...content,
        questions: (content["questions"] as ReadonlyArray<Content>).map((one) =>
          one["id"] === question ? { ...one, value } : one
        ),
      })),
    remove: store.remove,
  }
}
