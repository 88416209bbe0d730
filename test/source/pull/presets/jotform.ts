import { number, token } from "../fakeTools.ts"
import { anyText, createdAt, type FakePreset, timeOf, unknownIn, whole } from "./FakePreset.ts"

/** The number of requests that the account has left today. */
let left = 1000

const written = (iso: string) => iso.slice(0, 19).replace("T", " ")

/** Jotform: `offset` and `limit` (1,000 at most), newest first, and failures with status 200. */
export const jotform: FakePreset = {
  api: "jotform",
  signIn: "token: { env: TOOL_TOKEN }",
  source: "form: 241234567890123",
  column: "Full name",
  // The last record, an empty page, and the last record again.
  requests: 6,
  movingPages: "request: { query: { limit: 100 } }",
  refusals: [
    [
      "an expired token",
      { body: { responseCode: 401, message: "You're not authorized to use (/form-id-submissions)", content: "" } },
      "refused the sign-in (401)",
    ],
    [
      "a quota that is used up",
      { body: { responseCode: 400, message: "API-Limit exceeded", content: "", "limit-left": 0 } },
      "Nothing was imported. Run again when it is renewed, at midnight in New York.",
    ],
  ],
  answer: ({ headers, url }, store) => {
    if (headers["apikey"] !== token && url.searchParams.get("apiKey") !== token) {
      return {
        body: { responseCode: 401, message: "You're not authorized to use (/form-id-submissions)", content: "" },
      }
    }
    if (url.pathname !== "/form/241234567890123/submissions") {
      return { status: 404, body: { responseCode: 404, message: "Requested URL (...) is not available!" } }
    }
    const { searchParams } = url
    const unknown = unknownIn(searchParams, {
      apiKey: anyText,
      offset: whole,
      limit: whole,
      orderby: /^(?:id|created_at|updated_at)$/,
      filter: /^\{"created_at:(?:gt|gte|lt)":"[\d: -]+"\}$/,
    })
    if (unknown !== undefined) return unknown
    const [offset, limit] = [number(url, "offset", 0), Math.min(1000, number(url, "limit", 20))]
    const [, operator, bound = ""] = /:(\w+)":"([^"]+)/.exec(searchParams.get("filter") ?? "") ?? []
    const found = store.filter((record) => {
      const at = written(createdAt(record))
      return operator === undefined
        || (operator === "lt" ? at < bound : at > bound || (operator === "gte" && at === bound))
    })
    // Newest first, and by the last change unless `orderby` says otherwise.
    const orderby = searchParams.get("orderby") ?? "updated_at"
    const timed = orderby === "updated_at" ? timeOf : createdAt
    const sorted = found.toSorted((a, b) => timed(b).localeCompare(timed(a)) || b.id - a.id)
    const content = sorted.slice(offset, offset + limit).map((record) => ({
      id: `60000000000${record.id}`,
      form_id: "241234567890123",
      ip: "192.0.2.1",
      created_at: written(createdAt(record)),
      status: "ACTIVE",
      new: "1",
      flag: "0",
      notes: "",
      updated_at: record.isEdited === true ? written(timeOf(record)) : null,
      answers: {
        1: { name: "heading", order: "1", text: "Contact", type: "control_head" },
        3: { name: "fullName", order: "2", text: "Full name", type: "control_textbox", answer: record.name },
        4: {
          name: "born",
          order: "3",
          text: "Born",
          type: "control_datetime",
          answer: { day: "17", month: "01", year: "1990" },
          prettyFormat: "17/01/1990",
        },
        5: { name: "submit", order: "4", text: "Submit", type: "control_button" },
      },
    }))
    return {
      body: {
        responseCode: 200,
        message: "success",
        content,
        duration: "31.48ms",
        resultSet: { offset, limit, orderby, count: content.length },
        "limit-left": --left,
      },
    }
  },
}
