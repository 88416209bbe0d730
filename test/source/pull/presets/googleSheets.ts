import { exchanged } from "../fakeSignIns.ts"
import { anyText, createdAt, type FakePreset, unknownIn } from "./FakePreset.ts"

/** The number of days since 1899-12-30, as spreadsheets store times. */
const serial = (iso: string) => (Date.parse(iso) - Date.UTC(1899, 11, 30)) / 86_400_000

/** Google Sheets: a token for the signature of a service account, and all rows in one answer, as lists. Empty cells at the end of a row are omitted. */
export const googleSheets: FakePreset = {
  api: "google-sheets",
  signIn: "auth: { googleServiceAccount: { keyFile: key.json } }",
  source: `form: 1AbC
  variables: { sheet: "Form responses 1" }
  rowKey: [Number]`,
  column: "Your name",
  // The token, too.
  requests: 2,
  answer: (request, store) => {
    const { headers, url } = request
    if (url.pathname === "/token") return exchanged(request, () => "tok_sheets")
    if (headers.authorization !== "Bearer tok_sheets") {
      return { status: 401, body: { error: { code: 401, status: "UNAUTHENTICATED" } } }
    }
    if (decodeURIComponent(url.pathname) !== "/spreadsheets/1AbC/values/Form responses 1") {
      return { status: 404, body: { error: { code: 404, status: "NOT_FOUND" } } }
    }
    const { searchParams } = url
    const unknown = unknownIn(searchParams, {
      key: anyText,
      majorDimension: /^(?:ROWS|COLUMNS)$/,
      valueRenderOption: /^(?:FORMATTED_VALUE|UNFORMATTED_VALUE|FORMULA)$/,
      dateTimeRenderOption: /^(?:SERIAL_NUMBER|FORMATTED_STRING)$/,
    })
    if (unknown !== undefined) return unknown
    const isFormatted = (searchParams.get("valueRenderOption") ?? "FORMATTED_VALUE") === "FORMATTED_VALUE"
    const isText = isFormatted || searchParams.get("dateTimeRenderOption") === "FORMATTED_STRING"
    const rows = [
      ["Timestamp", "Your name", "Number", "Comment"],
      ...store.map((record) => [
        isText ? createdAt(record).slice(0, 19).replace("T", " ") : serial(createdAt(record)),
        record.name,
        isFormatted ? String(record.id) : record.id,
        ...(record.id % 2 === 0 ? ["even"] : []),
      ]),
    ]
    const majorDimension = searchParams.get("majorDimension") ?? "ROWS"
    return {
      body: {
        range: "'Form responses 1'!A1:Z5000",
        majorDimension,
        values: majorDimension === "ROWS" ? rows : [0, 1, 2, 3].map((at) => rows.map((row) => row[at] ?? "")),
      },
    }
  },
}
