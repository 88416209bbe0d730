import { type FakeRecord, number, refused, token } from "../fakeTools.ts"
import { anyText, createdAt, dateTime, type FakePreset, unknownIn, whole } from "./FakePreset.ts"

const time = new RegExp(`${dateTime.source}|^\\d+$`)

/** Two responses a time, to the second. */
const submittedAt = (record: FakeRecord) => `${createdAt({ ...record, id: record.id - (record.id % 2) }).slice(0, 19)}Z`

/** Typeform: `page_size` (1,000 at most), newest first unless `sort` says otherwise, `since` and `until` inclusive. Responses can't be edited. */
export const typeform: FakePreset = {
  api: "typeform",
  signIn: "token: { env: TOOL_TOKEN }",
  source: "form: u6nXL7",
  column: "What is your *name*?",
  showsEdits: false,
  // The form, too.
  requests: 4,
  movingPages: "request: { query: { page_size: 100 } }",
  answer: ({ headers, url }, store) => {
    if (headers.authorization !== `Bearer ${token}`) return refused
    if (url.pathname === "/forms/u6nXL7") {
      return {
        body: {
          id: "u6nXL7",
          hidden: ["source"],
          fields: [
            { id: "F1", ref: "r-name", title: "What is your *name*?", type: "short_text", properties: {} },
            {
              id: "F2",
              ref: "r-drinks",
              title: "What do you drink?",
              type: "multiple_choice",
              properties: {
                allow_multiple_selection: true,
                allow_other_choice: true,
                choices: [{ id: "c1", label: "Tea" }, { id: "c2", label: "Coffee" }],
              },
            },
          ],
        },
      }
    }
    if (url.pathname !== "/forms/u6nXL7/responses") return { status: 404, body: { code: "FORM_NOT_FOUND" } }
    const { searchParams } = url
    const unknown = unknownIn(searchParams, {
      page_size: whole,
      since: time,
      until: time,
      before: anyText,
      after: anyText,
      sort: /^submitted_at,(?:asc|desc)$/,
      response_type: /^(?:started|partial|completed)(?:,(?:started|partial|completed))*$/,
    })
    if (unknown !== undefined) return unknown
    if (searchParams.has("sort") && (searchParams.has("before") || searchParams.has("after"))) {
      return { status: 400, body: { code: "BAD_REQUEST" } }
    }
    const [since, until] = ["since", "until"].map((name) => searchParams.get(name))
    const [before, after] = ["before", "after"].map((name) => Number(searchParams.get(name)?.slice(1) ?? Number.NaN))
    const isCompleted = (searchParams.get("response_type") ?? "completed").includes("completed")
    const within = !isCompleted ? [] : store.filter((record) => {
      if (record.id >= before! || record.id <= after!) return false
      const at = Date.parse(submittedAt(record))
      return (since === null || at >= Date.parse(since ?? "")) && (until === null || at <= Date.parse(until ?? ""))
    })
    const sorted = searchParams.get("sort") === "submitted_at,asc" ? within : within.toReversed()
    const size = Math.min(1000, number(url, "page_size", 25))
    return {
      body: {
        total_items: sorted.length,
        page_count: Math.ceil(sorted.length / size),
        items: sorted.slice(0, size).map((record) => ({
          landing_id: `t${record.id}`,
          token: `t${record.id}`,
          response_id: `t${record.id}`,
          response_type: "completed",
          landed_at: submittedAt(record),
          submitted_at: submittedAt(record),
          metadata: { user_agent: "x", platform: "other", network_id: "0a1b", browser: "default" },
          hidden: { source: "web" },
          calculated: { score: 0 },
          answers: [
            {
              type: "text",
              text: record.name.replace(" (edited)", ""),
              field: { id: "F1", ref: "r-name", type: "short_text" },
            },
            {
              type: "choices",
              choices: { ids: ["c2"], refs: ["x"], labels: ["Coffee"] },
              field: { id: "F2", ref: "r-drinks", type: "multiple_choice" },
            },
          ],
        })),
      },
    }
  },
}
