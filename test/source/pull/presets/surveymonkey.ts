import { number, token } from "../fakeTools.ts"
import { createdAt, dateTime, type FakePreset, timeOf, unknownIn, whole } from "./FakePreset.ts"

/** A time with or without a zone. */
const time = new RegExp(dateTime.source.replace(/\)\$$/, ")?$"))

const written = (iso: string) => `${iso.slice(0, 19)}+00:00`

/** SurveyMonkey: `per_page` (100 at most), `links.next`, sorted by modification if asked. `start_modified_at` is exclusive. Choices are ids. */
export const surveymonkey: FakePreset = {
  api: "surveymonkey",
  signIn: "token: { env: TOOL_TOKEN }",
  source: `form: "123456789"`,
  column: "Your name? [Open-Ended Response]",
  // The survey's details, too.
  requests: 26,
  movingPages: "request: { query: { per_page: 100 } }",
  refusals: [
    [
      "a wrong region",
      { status: 403, body: { error: { id: "1018", http_status_code: 403 } } },
      "refused access (403): the account belongs to a different region. For accounts in a different region",
    ],
    [
      "a quota that is used up",
      {
        status: 429,
        headers: { "X-Ratelimit-App-Global-Day-Remaining": "0" },
        body: { error: { id: "1040", http_status_code: 429 } },
      },
      "no requests left in the account's quota (429). Nothing was imported. Run again when it is renewed.",
    ],
  ],
  answer: ({ headers, url }, store) => {
    if (headers.authorization !== `Bearer ${token}`) {
      return { status: 401, body: { error: { id: "1011", message: "The authorization token was not valid." } } }
    }
    if (url.pathname === "/surveys/123456789/details") {
      return {
        body: {
          id: "123456789",
          pages: [{
            id: "1",
            questions: [
              {
                id: "11",
                family: "open_ended",
                subtype: "single",
                headings: [{ heading: "Your name?" }],
              },
              {
                id: "12",
                family: "multiple_choice",
                subtype: "vertical",
                headings: [{ heading: "What do you drink?" }],
                answers: {
                  choices: [{ id: "121", text: "Tea", visible: true }, { id: "122", text: "Coffee", visible: true }],
                  other: { id: "129", text: "Other (please specify)", visible: true, is_answer_choice: true },
                },
              },
            ],
          }],
        },
      }
    }
    if (url.pathname !== "/surveys/123456789/responses/bulk") return { status: 404, body: { error: { id: "1020" } } }
    const { searchParams } = url
    const unknown = unknownIn(searchParams, {
      page: whole,
      per_page: whole,
      sort_by: /^date_modified$/,
      sort_order: /^(?:ASC|DESC)$/,
      simple: /^(?:true|false)$/,
      start_modified_at: time,
      end_modified_at: time,
      start_created_at: time,
      end_created_at: time,
    })
    if (unknown !== undefined) return unknown
    const isWithin = (written: string, kind: string) => {
      const [start, end] = ["start", "end"].map((side) => Date.parse(searchParams.get(`${side}_${kind}_at`) ?? ""))
      return !(Date.parse(written) <= start!) && !(Date.parse(written) >= end!)
    }
    const found = store.filter((record) =>
      isWithin(timeOf(record), "modified") && isWithin(createdAt(record), "created")
    )
    // Newest first, unless a sort says otherwise.
    const timed = searchParams.get("sort_by") === "date_modified" ? timeOf : createdAt
    const direction = searchParams.get("sort_order") === "ASC" ? 1 : -1
    const sorted = found.toSorted((a, b) => direction * timed(a).localeCompare(timed(b)) || a.id - b.id)
    const [page, size] = [number(url, "page", 1), Math.min(100, number(url, "per_page", 50))]
    const next = new URL(url)
    next.searchParams.set("page", String(page + 1))
    return {
      body: {
        page,
        per_page: size,
        total: sorted.length,
        data: sorted.slice((page - 1) * size, page * size).map((record) => ({
          id: String(10_900_000_000 + record.id),
          collector_id: "400000001",
          survey_id: "123456789",
          response_status: "completed",
          collection_mode: "default",
          ip_address: "192.0.2.1",
          custom_value: "",
          metadata: {},
          date_created: written(createdAt(record)),
          date_modified: written(timeOf(record)),
          pages: [
            { id: "1", questions: [{ id: "11", answers: [{ text: record.name }] }] },
            { id: "2", questions: [{ id: "12", answers: [{ choice_id: "122" }, { other_id: "129", text: "Juice" }] }] },
          ],
        })),
        links: { self: url.href, ...(page * size < sorted.length ? { next: next.href } : {}) },
      },
    }
  },
}
