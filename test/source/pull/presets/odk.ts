import { refused, token } from "../fakeTools.ts"
import { createdAt, timeOf } from "./FakePreset.ts"
import type { FakePreset } from "./FakePreset.ts"

const titles =
  "SubmissionDate,person-name,meta-instanceID,KEY,SubmitterID,SubmitterName,AttachmentsPresent,AttachmentsExpected,Status,ReviewState,DeviceID,Edits,FormVersion"

/** ODK Central: the main table of a form as CSV, newest first, to users with a password. */
export const odk: FakePreset = {
  api: "odk",
  signIn: "auth: { basic: { user: import@example.org, password: { env: TOOL_TOKEN } } }",
  source: "form: household\n  variables: { project: 3 }",
  column: "person-name",
  requests: 1,
  answer: ({ headers, url }, store) => {
    const credentials = Buffer.from(`import@example.org:${token}`).toString("base64")
    if (headers.authorization !== `Basic ${credentials}`) return refused
    if (url.pathname !== "/v1/projects/3/forms/household/submissions.csv") return { status: 404, body: { code: 404.1 } }
    const lines = store.toReversed().map((record) =>
      [
        createdAt(record),
        record.name,
        `uuid:${record.id}${record.isEdited === true ? "-b" : ""}`,
        `uuid:${record.id}`,
        "12,Enumerator,0,0,",
        record.isEdited === true ? "edited" : "",
        `collect:x,${timeOf(record) === createdAt(record) ? 0 : 1},1`,
      ].join(",")
    )
    return { headers: { "content-type": "text/csv" }, body: [titles, ...lines, ""].join("\r\n") }
  },
}
