// The form service's official client for JavaScript, over real HTTP.
import { expect, it } from "@effect/vitest"
import { Fillout } from "@fillout/api"
import { Effect, Redacted } from "effect"
import { serve } from "../../src/practice/PracticeService.ts"
import { form } from "./forms.ts"

/** The client accepts only keys that begin like this. */
const key = "sk_prod_practice"

/** Starts the practice service and a client of it. */
const connected = Effect.gen(function*() {
  const practice = yield* serve({ forms: [form], port: 0, apiKey: Redacted.make(key) })
  const client = new Fillout(key)
  // The client has no option for an address, so its private member is set.
  Reflect.set(client, "baseUrl", new URL(practice.baseUrl).origin)
  return { client, practice }
})

const used = <A>(call: () => Promise<A>) => Effect.promise(call)

/** Creates submissions with the client, ten in each request, a minute apart. */
const created = (client: Fillout, count: number) =>
  used(async () => {
    const items = Array.from({ length: count }, (_, index) => ({
      questions: [{ id: "q1", value: `person ${index}` }],
      submissionTime: new Date(Date.UTC(2024, 0, 1, 0, index)).toISOString(),
    }))
    for (let at = 0; at < count; at += 10) await client.createSubmissions("f1", items.slice(at, at + 10))
  })

/** Lists all pages with the client. */
const listed = (client: Fillout, options: Parameters<Fillout["getSubmissions"]>[1]) =>
  used(async () => {
    const pages = []
    for (let offset = 0;; offset += 150) {
      const page = await client.getSubmissions("f1", { ...options, limit: 150, offset })
      pages.push(page)
      if (pages.length >= page.pageCount) return pages
    }
  })

it.scopedLive("the official client reads the practice service's forms and a form's questions", () =>
  Effect.gen(function*() {
    const { client } = yield* connected
    expect(yield* used(client.getForms)).toEqual([{ name: "Contacts", formId: "f1" }])
    const { questions } = yield* used(() => client.getForm("f1"))
    expect(questions.map(({ id, name, type }) => ({ id, name, type }))).toEqual([
      { id: "q1", name: "Name", type: "ShortAnswer" },
      { id: "q2", name: "Colour", type: "Dropdown" },
    ])
  }))

it.scopedLive("the official client creates submissions in the practice service, and reads one of them", () =>
  Effect.gen(function*() {
    const { client, practice } = yield* connected
    yield* created(client, 1)
    const [{ submissionId = "" } = {}] = practice.submissions("f1")
    const read = yield* used(() => client.getSubmission("f1", submissionId, { includeEditLink: true }))
    expect(read).toMatchObject({ submissionId, submissionTime: "2024-01-01T00:00:00.000Z" })
    expect(read.questions[0]?.value).toBe("person 0")
    expect(read.editLink).toContain(submissionId)
  }))

it.scopedLive("the official client lists every submission of the practice service once, page by page", () =>
  Effect.gen(function*() {
    const { client } = yield* connected
    yield* created(client, 310)
    const pages = yield* listed(client, { sort: "asc" })
    expect(pages.map(({ responses, totalResponses }) => [responses.length, totalResponses])).toEqual([
      [150, 310],
      [150, 310],
      [10, 310],
    ])
    expect(pages.flatMap(({ responses }) => responses.map(({ questions }) => questions[0]?.value as unknown))).toEqual(
      Array.from({ length: 310 }, (_, index) => `person ${index}`),
    )
  }))

it.scopedLive("the official client filters the practice service's submissions by time and by text", () =>
  Effect.gen(function*() {
    const { client } = yield* connected
    yield* created(client, 20)
    const [page] = yield* listed(client, { afterDate: "2024-01-01T00:05:00Z", search: "PERSON 1", sort: "desc" })
    expect(page?.responses.map(({ questions }) => questions[0]?.value as unknown)).toEqual(
      Array.from({ length: 10 }, (_, index) => `person ${19 - index}`),
    )
  }))

it.scopedLive("the official client deletes submissions of the practice service", () =>
  Effect.gen(function*() {
    const { client, practice } = yield* connected
    yield* created(client, 2)
    const [first, second] = practice.submissions("f1").map(({ submissionId }) => submissionId)
    yield* used(() => client.deleteSubmission("f1", first ?? ""))
    expect(practice.submissions("f1").map(({ submissionId }) => submissionId)).toEqual([second])
  }))

it.scopedLive("the official client reports the practice service's message if a submission does not exist", () =>
  Effect.gen(function*() {
    const { client } = yield* connected
    yield* used(() => expect(client.deleteSubmission("f1", "none")).rejects.toThrow(/^Not Found$/))
    yield* used(() => expect(client.getSubmission("f1", "none")).rejects.toThrow(/^Not Found$/))
  }))
