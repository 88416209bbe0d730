import type { Preset } from "./Preset.ts"

export const odk: Preset = {
  title: "ODK Central",
  evidence: "From the vendor's source code and documentation, not tried live.",
  servers: [{ of: "your server", bases: ["https://odk.example.org"], isExample: true }],
  auth: { auth: { basic: { user: "import@example.org", password: { env: "ODK_PASSWORD" } } } },
  signIn: "Use a web user with the role Project Viewer. Servers with single sign-on don't allow passwords.",
  rights: "the role Project Viewer",
  variables: {
    project: { about: "the project's number, as in its address", example: "3" },
    form: { about: "the form's id", example: "household" },
  },
  source: {
    // One answer is read at one moment, so no record can move between pages. It has the same columns as an export that is downloaded.
    request: { path: "/v1/projects/{project}/forms/{form}/submissions.csv" },
    format: "odk",
  },
  notes: [
    "One answer contains all submissions. The columns are those of Central's CSV export. Edited submissions are reported as changed, and deleted ones as vanished.",
    "Repeats are not included. To pull them, set `request: { path: /v1/projects/3/forms/household/submissions.csv.zip, query: { attachments: false } }` and `member`, the file to read from the archive.",
  ],
}
