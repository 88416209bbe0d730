import { token } from "../fakeTools.ts"
import { createdAt } from "./FakePreset.ts"
import type { FakePreset } from "./FakePreset.ts"

/** Google Sheets: all rows in one answer, as lists. Empty cells at the end of a row are omitted. */
export const googleSheets: FakePreset = {
  api: "google-sheets",
  // A token as the exchange of a service account's key returns it.
  signIn: "auth: { bearer: { env: TOOL_TOKEN } }",
  source: `form: 1AbC
  variables: { sheet: "Form responses 1" }
  rowKey: [Number]`,
  column: "Your name",
  requests: 1,
  answer: ({ headers, url }, store) => {
    if (headers.authorization !== `Bearer ${token}`) {
      return { status: 401, body: { error: { code: 401, status: "UNAUTHENTICATED" } } }
    }
    if (decodeURIComponent(url.pathname) !== "/spreadsheets/1AbC/values/Form responses 1") {
      return { status: 404, body: { error: { code: 404, status: "NOT_FOUND" } } }
    }
    return {
      body: {
        range: "'Form responses 1'!A1:Z5000",
        majorDimension: url.searchParams.get("majorDimension") ?? "ROWS",
        values: [
          ["Timestamp", "Your name", "Number", "Comment"],
          ...store.map((record) => [
            createdAt(record).slice(0, 19).replace("T", " "),
            record.name,
            String(record.id),
            ...(record.id % 2 === 0 ? ["even"] : []),
          ]),
        ],
      },
    }
  },
}
