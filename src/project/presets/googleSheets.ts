import type { Preset } from "./Preset.ts"

export const googleSheets: Preset = {
  title: "Google Sheets",
  evidence: "From the vendor's documentation, not tried live.",
  base: "https://sheets.googleapis.com/v4",
  auth: { auth: { googleServiceAccount: { keyFile: "../google-key.json" } } },
  signIn:
    "Create a service account in the Google Cloud console, enable the Google Sheets API, and download a JSON key. Share the spreadsheet with the account's email address, as a viewer. For a public spreadsheet, `auth: { query: { key: { env: GOOGLE_KEY } } }` with an API key is enough.",
  rights: "the Google Sheets API enabled, and the spreadsheet shared with its address",
  // 60 a minute and user.
  requestsPerSecond: 1,
  variables: {
    form: { about: "the spreadsheet's id, as in its address", example: "1AbCdEfGhIjKlMn" },
    sheet: {
      about: "the sheet's name, such as `Form responses 1`, or a range such as `Answers!A3:H`",
      example: "Answers",
    },
  },
  source: {
    request: {
      path: "/spreadsheets/{form}/values/{sheet}",
      query: {
        majorDimension: "ROWS",
        valueRenderOption: "FORMATTED_VALUE",
        dateTimeRenderOption: "FORMATTED_STRING",
      },
    },
    // One answer, which states that the lists are rows.
    success: { "/majorDimension": ["ROWS"] },
    records: "/values",
  },
  notes: [
    "Cells are written as the sheet shows them, and as in a downloaded CSV. The first row is the header.",
    "Rows have no id. Set `rowKey` to the columns that identify a row, or to `content` if rows are only ever added.",
    "Edited rows are reported as changed if `rowKey` names columns. Deleted rows are reported as vanished.",
  ],
}
