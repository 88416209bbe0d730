import { number, refused, token } from "../fakeTools.ts"
import { anyText, createdAt, dateTime, type FakePreset, timeOf, unknownIn, whole } from "./FakePreset.ts"

/** Fillout: `limit` (150 at most) and `offset`, oldest first unless `sort` says otherwise. */
export const fillout: FakePreset = {
  api: "fillout",
  signIn: "token: { env: TOOL_TOKEN }",
  source: "form: vso6Tz9Q4bus",
  column: "Your name",
  // The last record again, and the form.
  requests: 19,
  movingPages: "request: { query: { limit: 100 } }",
  answer: ({ headers, url }, store) => {
    if (headers.authorization !== `Bearer ${token}`) return refused
    if (url.pathname === "/forms/vso6Tz9Q4bus") {
      return {
        body: {
          id: "vso6Tz9Q4bus",
          name: "People",
          questions: [
            { id: "q1", name: "Your name", type: "ShortAnswer" },
            { id: "q2", name: "Comment", type: "LongAnswer" },
          ],
          calculations: [],
          urlParameters: [],
        },
      }
    }
    if (url.pathname !== "/forms/vso6Tz9Q4bus/submissions") return { status: 404, body: { message: "Not found" } }
    const { searchParams } = url
    const unknown = unknownIn(searchParams, {
      limit: whole,
      offset: whole,
      afterDate: dateTime,
      beforeDate: dateTime,
      status: /^(?:finished|in_progress)$/,
      sort: /^(?:asc|desc)$/,
      search: anyText,
      includeEditLink: /^(?:true|false)$/,
      includePreview: /^(?:true|false)$/,
    })
    if (unknown !== undefined) return unknown
    const limit = number(url, "limit", 50)
    if (limit > 150) return { status: 400, body: { message: "limit" } }
    const offset = number(url, "offset", 0)
    const [after, before] = ["afterDate", "beforeDate"].map((name) => searchParams.get(name))
    const found = searchParams.get("status") === "in_progress" ? [] : store.filter((record) => {
      const at = Date.parse(createdAt(record))
      return !(at <= Date.parse(after ?? "")) && !(at >= Date.parse(before ?? ""))
    })
    const sorted = searchParams.get("sort") === "desc" ? found.toReversed() : found
    return {
      body: {
        responses: sorted.slice(offset, offset + limit).map((record) => ({
          submissionId: `s${record.id}`,
          submissionTime: createdAt(record),
          lastUpdatedAt: timeOf(record),
          questions: [{ id: "q1", name: "Your name", type: "ShortAnswer", value: record.name }],
          calculations: [],
          urlParameters: [],
          quiz: {},
          documents: [],
        })),
        totalResponses: sorted.length,
        pageCount: Math.ceil(sorted.length / limit),
      },
    }
  },
}
