import { number, refused, token } from "../fakeTools.ts"
import { anyText, createdAt, type FakePreset, unknownIn, whole } from "./FakePreset.ts"

/** KoboToolbox: `start` and `limit` (1,000 at most), ordered by `sort`, and the address of the next page. An edit keeps `_submission_time` and `_id`, and changes `_uuid`. */
export const kobo: FakePreset = {
  api: "kobo",
  signIn: "token: { env: TOOL_TOKEN }",
  source: "form: aBc123",
  column: "person/name",
  // The last record, again.
  requests: 4,
  movingPages: "request: { query: { limit: 100 } }",
  answer: ({ headers, url }, store) => {
    if (headers.authorization !== `Token ${token}`) return refused
    if (url.pathname !== "/api/v2/assets/aBc123/data/") return { status: 404, body: { detail: "Not found." } }
    const unknown = unknownIn(url.searchParams, {
      start: whole,
      offset: whole,
      limit: whole,
      sort: /^\{"(?:_id|_submission_time)":-?1\}$/,
      query: /^\{.*\}$/,
      fields: anyText,
      format: /^json$/,
    })
    if (unknown !== undefined) return unknown
    const [start, limit] = [number(url, "start", number(url, "offset", 0)), Math.min(1000, number(url, "limit", 100))]
    const next = new URL(url)
    next.searchParams.set("start", String(start + limit))
    const sorted = url.searchParams.get("sort")?.endsWith("-1}") === true ? store.toReversed() : store
    return {
      body: {
        count: store.length,
        next: start + limit < store.length ? next.href : null,
        previous: null,
        results: sorted.slice(start, start + limit).map((record) => ({
          _id: record.id,
          "formhub/uuid": "f0",
          "person/name": record.name,
          "person/likes": "tea coffee",
          "meta/instanceID": `uuid:${record.id}${record.isEdited === true ? "-b" : ""}`,
          _xform_id_string: "aBc123",
          "meta/rootUuid": `uuid:${record.id}`,
          _uuid: `${record.id}${record.isEdited === true ? "-b" : ""}`,
          _attachments: [],
          _status: "submitted_via_web",
          _geolocation: [null, null],
          _submission_time: createdAt(record).slice(0, 19),
          _tags: [],
          _notes: [],
          _validation_status: {},
          _submitted_by: null,
        })),
      },
    }
  },
}
