import { token } from "../fakeTools.ts"
import { createdAt } from "./FakePreset.ts"
import type { FakePreset } from "./FakePreset.ts"

/** REDCap: one answer to a form, with the token of a project among its fields. The project has an instrument that is used as a survey. */
export const redcap: FakePreset = {
  api: "redcap",
  signIn: "token: { env: TOOL_TOKEN }",
  source: "",
  column: "full_name",
  requests: 1,
  answer: ({ body, headers, url }, store) => {
    const form = new URLSearchParams(body)
    const isForm = String(headers["content-type"]).includes("x-www-form-urlencoded")
    if (url.pathname !== "/api/") return { status: 404 }
    if (!isForm || form.get("token") !== token) {
      return { status: 403, body: `{"error":"You do not have permissions to use the API"}` }
    }
    if (form.get("content") !== "record" || form.get("format") !== "csv" || form.get("type") !== "flat") {
      return { status: 400, body: `{"error":"The value of the parameter \\"content\\" is not valid"}` }
    }
    const lines = store.map((record) =>
      [record.id, "", createdAt(record).slice(0, 19).replace("T", " "), `"${record.name}"`, 1, 0, 2].join(",")
    )
    const titles = "record_id,redcap_survey_identifier,contact_timestamp,full_name,pets___1,pets___2,contact_complete"
    return { headers: { "content-type": "text/csv; charset=utf-8" }, body: [titles, ...lines, ""].join("\n") }
  },
}
