import type { Element, Form } from "../domain/form.ts"
import type { createRequest } from "../service/wire.ts"
import type { Issue } from "./refusals.ts"
import type { StoredSubmission } from "./store.ts"

/** A submission item that passed the Schema. */
export type SentItem = ReturnType<typeof createRequest>["Type"]["submissions"][number]

/** Returns an issue for each id that the form does not have. The interface does not say what happens to them; here the request is refused. */
export const unknownIds = (form: Form, items: ReadonlyArray<SentItem>): ReadonlyArray<Issue> => {
  const issues: Array<Issue> = []
  for (const list of ["questions", "scheduling", "payments"] as const) {
    const known = new Set(form[list].map(({ id }) => id))
    items.forEach((item, index) =>
      item[list]?.forEach(({ id }, position) => {
        if (known.has(id)) return
        issues.push({
          code: "custom",
          path: ["submissions", index, list, position, "id"],
          message: `The form has no such element in ${list}`,
        })
      })
    )
  }
  return issues
}

/** Times come back in UTC with milliseconds, whatever offset was sent. */
const utc = (text: string): string => new Date(text).toISOString()

const byId = <A extends { readonly id: string }>(sent: ReadonlyArray<A> | undefined): ReadonlyMap<string, A> =>
  new Map(sent?.map((element) => [element.id, element]))

const withNull = (element: Element, sent: ReadonlyMap<string, { readonly value?: unknown }>) => ({
  id: element.id,
  name: element.name,
  value: sent.get(element.id)?.value ?? null,
})

/**
 * Returns the submission that an item becomes: every question of the form in its order, unanswered ones null. URL parameters that the form does not
 * declare are kept.
 * @param now ISO 8601 in UTC with milliseconds
 */
export const submit = (form: Form, item: SentItem, id: string, now: string): StoredSubmission => {
  const answers = byId(item.questions)
  const parameters = byId(item.urlParameters)
  const declared = new Set(form.urlParameters.map((parameter) => parameter.id))
  const submissionTime = item.submissionTime === undefined ? now : utc(item.submissionTime)
  return {
    id,
    json: JSON.stringify({
      submissionId: id,
      submissionTime,
      lastUpdatedAt: item.lastUpdatedAt === undefined ? submissionTime : utc(item.lastUpdatedAt),
      questions: form.questions.map((question) => ({
        id: question.id,
        name: question.name,
        type: question.type,
        value: answers.get(question.id)?.value ?? null,
      })),
      calculations: form.calculations.map(({ id, name }) => ({ id, name, type: "text", value: null })),
      urlParameters: [
        ...form.urlParameters.map((parameter) => withNull(parameter, parameters)),
        ...Array.from(parameters.values()).filter((parameter) => !declared.has(parameter.id)),
      ],
      scheduling: form.scheduling.map((element) => withNull(element, byId(item.scheduling))),
      payments: form.payments.map((element) => withNull(element, byId(item.payments))),
      quiz: form.quiz?.enabled === true ? { score: 0, maxScore: 0 } : {},
      login: item.login,
    }),
  }
}
