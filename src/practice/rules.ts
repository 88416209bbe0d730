import * as Either from "effect/Either"
import * as Schema from "effect/Schema"
import { percentDecoded } from "../domain/destination.ts"
import type { Element, Form } from "../domain/form.ts"
import { isoOf } from "../domain/times.ts"
import { parseJson } from "../service/codec.ts"
import { createRequest } from "../service/wire.ts"
import { listing } from "./listing.ts"
import {
  invalid,
  type Issue,
  issuesOf,
  json,
  notFound,
  type PracticeAnswer,
  refusal,
  tooManyRequests,
} from "./refusals.ts"
import type { PracticeStore, StoredSubmission } from "./store.ts"

/** A submission item that the schema accepted. */
export type SentItem = ReturnType<typeof createRequest>["Type"]["submissions"][number]

/** Returns an issue for each id that the form does not have. The interface does not define what happens then. The practice service refuses the request. */
const unknownIds = (form: Form, items: ReadonlyArray<SentItem>): ReadonlyArray<Issue> => {
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

/** Returns a time in UTC with milliseconds, for any offset that was sent. */
const utc = (text: string): string => new Date(text).toISOString()

const byId = <A extends { readonly id: string }>(sent: ReadonlyArray<A> | undefined): ReadonlyMap<string, A> =>
  new Map(sent?.map((element) => [element.id, element]))

const withNull = (element: Element, sent: ReadonlyMap<string, { readonly value?: unknown }>) => ({
  id: element.id,
  name: element.name,
  value: sent.get(element.id)?.value ?? null,
})

/**
 * Returns the submission that is created from an item, with every question of the form in order and null for unanswered ones. Keeps URL parameters that the form does not declare.
 *
 * @param now ISO 8601 in UTC with milliseconds
 */
const submit = (form: Form, item: SentItem, id: string, now: string): StoredSubmission => {
  const answers = byId(item.questions)
  const parameters = byId(item.urlParameters)
  const declared = new Set(form.urlParameters.map((parameter) => parameter.id))
  const submissionTime = item.submissionTime === undefined ? now : utc(item.submissionTime)
  return {
    id,
    time: Date.parse(submissionTime),
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

/** A request to the practice service. */
export interface ServedRequest {
  readonly method: string
  /** The encoded path, including the base URL's path and the query. */
  readonly path: string
  /** The headers, with names in lower case. */
  readonly headers: Readonly<Record<string, string | undefined>>
  readonly body: Uint8Array
}

/** The settings of the rules. */
export interface PracticeSettings {
  readonly forms: ReadonlyMap<string, Form>
  readonly apiKey: string
  /** The path prefix shared by all operations, with the version segment and without a trailing slash. */
  readonly prefix: string
  readonly gateway: string
  /** The beginning of edit links. They end with the submission's id. */
  readonly editLinkBase: string
  /** Counts a request at `now` (milliseconds). Returns whether it is allowed, and the headers of its response. Default: all are allowed. */
  readonly rate?:
    | ((now: number) => { readonly allowed: boolean; readonly headers: Readonly<Record<string, string>> })
    | undefined
}

/** What the rules may use to respond to a request. */
export interface Moment {
  readonly store: Pick<PracticeStore, "get" | "byTime">
  /** Whether the list of submissions shows a submission. Default: it shows all. */
  readonly isListed?: ((id: string) => boolean) | undefined
  /** The current time in milliseconds. */
  readonly now: number
  readonly newId: () => string
}

/** A response, and the submissions to store or to remove before it is sent. */
export interface Decision {
  readonly answer: PracticeAnswer
  readonly created?: { readonly form: string; readonly submissions: ReadonlyArray<StoredSubmission> }
  readonly removed?: { readonly form: string; readonly id: string }
}

/** Returns the practice service's rules: a function that decides on a request. */
export const makeRules = (settings: PracticeSettings): (request: ServedRequest, moment: Moment) => Decision => {
  const decodeRequest = Schema.decodeUnknownEither(createRequest(settings.gateway), { errors: "all" })
  const metadata = new Map(Array.from(settings.forms, ([id, form]) => [id, JSON.stringify(metadataOf(form))]))
  const forms: Decision = {
    answer: json(200, JSON.stringify(Array.from(settings.forms.values(), ({ id, name }) => ({ name, formId: id })))),
  }
  const missing: Decision = { answer: notFound }

  const create = (formId: string, request: ServedRequest, moment: Moment): Decision => {
    if (!/^application\/json\b/i.test(request.headers["content-type"] ?? "")) {
      return { answer: refusal(415, "Content-Type must be application/json") }
    }
    const body = parseJson(request.body)
    if (body === undefined) return { answer: refusal(400, "Body is not valid JSON") }
    // The real service was observed to validate the body before anything else.
    const decoded = decodeRequest(body)
    if (Either.isLeft(decoded)) return { answer: invalid(issuesOf(body, decoded.left)) }
    const form = settings.forms.get(formId)
    if (form === undefined) return missing
    const { submissions: items } = decoded.right
    const unknown = unknownIds(form, items)
    if (unknown.length > 0) return { answer: invalid(unknown) }
    const now = isoOf(moment.now)
    const submissions = items.map((item) => submit(form, item, moment.newId(), now))
    return {
      answer: json(200, `{"submissions":[${submissions.map((submission) => submission.json).join(",")}]}`),
      created: { form: formId, submissions },
    }
  }

  /** Returns a function that shows a submission as JSON, with its edit link if the query asks for it. */
  const shownFor = (query: URLSearchParams) => ({ id, json }: StoredSubmission): string =>
    query.get("includeEditLink") === "true"
      ? `${json.slice(0, -1)},"editLink":${JSON.stringify(settings.editLinkBase + encodeURIComponent(id))}}`
      : json

  const list = (formId: string, query: URLSearchParams, { isListed, store }: Moment): Decision =>
    settings.forms.has(formId)
      ? { answer: listing(store.byTime(formId), query, isListed, shownFor(query)) }
      : missing

  const readOrDelete = (
    { method }: ServedRequest,
    formId: string,
    id: string,
    query: URLSearchParams,
    { store }: Moment,
  ): Decision => {
    const submission = settings.forms.has(formId) ? store.get(formId, id) : undefined
    if (submission === undefined) return missing
    if (method === "DELETE") return { answer: json(200, "{}"), removed: { form: formId, id } }
    return method === "GET" ? { answer: json(200, `{"submission":${shownFor(query)(submission)}}`) } : missing
  }

  const route = (request: ServedRequest, moment: Moment): Decision => {
    const [path = "", query = ""] = request.path.split("?", 2)
    if (!path.startsWith(`${settings.prefix}/`)) return missing
    const segments = path.slice(settings.prefix.length + 1).split("/").map(percentDecoded)
    const [root, formId, submissions, id] = segments
    if (root !== "forms" || segments.length > 4) return missing
    if (formId === undefined) return request.method === "GET" ? forms : missing
    if (segments.length === 2 && request.method === "GET") {
      const body = metadata.get(formId)
      return body === undefined ? missing : { answer: json(200, body) }
    }
    if (submissions !== "submissions") return missing
    if (id !== undefined) return readOrDelete(request, formId, id, new URLSearchParams(query), moment)
    if (request.method === "POST") return create(formId, request, moment)
    return request.method === "GET" ? list(formId, new URLSearchParams(query), moment) : missing
  }

  return (request, moment) => {
    const wrongKey = keyFailure(request.headers["authorization"], settings.apiKey)
    if (wrongKey !== undefined) return { answer: refusal(400, wrongKey) }
    if (settings.rate === undefined) return route(request, moment)
    const { allowed, headers } = settings.rate(moment.now)
    const decision = allowed ? route(request, moment) : { answer: tooManyRequests }
    return { ...decision, answer: { ...decision.answer, headers: { ...decision.answer.headers, ...headers } } }
  }
}

/** The real service answered every wrong credential with a 400, and only the message showed the cause. */
const keyFailure = (authorization: string | undefined, key: string): string | undefined => {
  if (authorization === undefined || authorization === "") return "API authorization header missing"
  const sent = /^Bearer (\S+)$/i.exec(authorization)?.[1]
  if (sent === undefined) return "Incorrectly formatted API key was passed"
  if (sent === key) return undefined
  return sent.includes("_") ? "API Key invalid" : "API key missing underscore"
}

/** Returns the metadata of a form (service interface, "Form metadata"), with types and options if the form has them. */
const metadataOf = (form: Form) => ({
  id: form.id,
  name: form.name,
  questions: form.questions.map(({ id, name, type, options }) => ({
    id,
    name,
    type,
    options: options?.map(({ value, label }) => ({ id: value, value, label })),
  })),
  calculations: form.calculations,
  urlParameters: form.urlParameters,
  scheduling: form.scheduling,
  payments: form.payments,
  quiz: form.quiz ?? {},
})
