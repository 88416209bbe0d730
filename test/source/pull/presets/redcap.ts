import { token } from "../fakeTools.ts"
import { anyText, createdAt, type FakePreset, unknownIn } from "./FakePreset.ts"

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
    const known = {
      token: anyText,
      content: /^record$/,
      action: /^export$/,
      format: /^(?:csv|json)$/,
      type: /^flat$/,
      rawOrLabel: /^(?:raw|label)$/,
      rawOrLabelHeaders: /^(?:raw|label)$/,
      returnFormat: /^(?:csv|json|xml)$/,
      dateRangeBegin: anyText,
      dateRangeEnd: anyText,
    }
    if (unknownIn(form, known) !== undefined || form.get("content") === null) {
      return { status: 400, body: `{"error":"The value of the parameter \\"content\\" is not valid"}` }
    }
    if (form.get("format") !== "csv") return { body: store.map(({ id, name }) => ({ record_id: id, full_name: name })) }
    const [ticked, unticked, complete] = form.get("rawOrLabel") === "label"
      ? ["Checked", "Unchecked", "Complete"]
      : [1, 0, 2]
    const lines = store.map((record) =>
      [record.id, "", createdAt(record).slice(0, 19).replace("T", " "), `"${record.name}"`, ticked, unticked, complete]
        .join(",")
    )
    const titles = form.get("rawOrLabelHeaders") === "label"
      ? "Record ID,Survey Identifier,Survey Timestamp,Full name,Pets (choice=Cat),Pets (choice=Dog),Complete?"
      : "record_id,redcap_survey_identifier,contact_timestamp,full_name,pets___1,pets___2,contact_complete"
    return { headers: { "content-type": "text/csv; charset=utf-8" }, body: [titles, ...lines, ""].join("\n") }
  },
}
