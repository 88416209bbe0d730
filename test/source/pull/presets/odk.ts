import { zip } from "../../workbooks.ts"
import { type FakeRecord, number, refused, token } from "../fakeTools.ts"
import { anyText, createdAt, type FakePreset, timeOf, unknownIn, whole } from "./FakePreset.ts"

const titles =
  "SubmissionDate,person-name,meta-instanceID,KEY,SubmitterID,SubmitterName,AttachmentsPresent,AttachmentsExpected,Status,ReviewState,DeviceID,Edits,FormVersion"

/** The main table, newest first. */
const table = (store: ReadonlyArray<FakeRecord>) => {
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
  return [titles, ...lines, ""].join("\r\n")
}

/** ODK Central: the main table of a form as CSV, in an archive, or as OData, to users with a password. */
export const odk: FakePreset = {
  api: "odk",
  signIn: "auth: { basic: { user: import@example.org, password: { env: TOOL_TOKEN } } }",
  source: "form: household\n  variables: { project: 3 }",
  column: "person-name",
  requests: 1,
  answer: ({ headers, url }, store) => {
    const credentials = Buffer.from(`import@example.org:${token}`).toString("base64")
    if (headers.authorization !== `Basic ${credentials}`) return refused
    const form = "/v1/projects/3/forms/household"
    const isCsv = url.pathname === `${form}/submissions.csv`
    if (isCsv || url.pathname === `${form}/submissions.csv.zip`) {
      const known = { $filter: anyText, ...(isCsv ? {} : { attachments: /^(?:true|false)$/ }) }
      const text = table(store)
      return unknownIn(url.searchParams, known)
        ?? (isCsv ? { headers: { "content-type": "text/csv" }, body: text } : { body: zip({ "household.csv": text }) })
    }
    if (url.pathname !== `${form}.svc/Submissions`) return { status: 404, body: { code: 404.1 } }
    const unknown = unknownIn(url.searchParams, {
      $top: whole,
      $skip: whole,
      $skiptoken: whole,
      $count: /^(?:true|false)$/,
      $filter: anyText,
      $orderby: anyText,
    })
    if (unknown !== undefined) return unknown
    // The newest first. A token names the last record, so that its place is kept while others arrive.
    const last = number(url, "$skiptoken", Number.POSITIVE_INFINITY)
    const rest = store.toReversed().filter(({ id }) => id < last).slice(number(url, "$skip", 0))
    const page = rest.slice(0, number(url, "$top", rest.length))
    const next = new URL(url)
    next.searchParams.delete("$skip")
    next.searchParams.set("$skiptoken", String(page.at(-1)?.id))
    return {
      body: {
        value: page.map((record) => ({
          __id: `uuid:${record.id}`,
          __system: { submissionDate: createdAt(record), updatedAt: record.isEdited === true ? timeOf(record) : null },
          person: { name: record.name },
        })),
        ...(page.length < rest.length && { "@odata.nextLink": next.href }),
      },
    }
  },
}
