import type { Preset } from "./Preset.ts"

export const redcap: Preset = {
  title: "REDCap",
  evidence: "From the code of two widely used clients, not tried live.",
  servers: [{ of: "your server, without `/api/`", bases: ["https://redcap.example.edu"], isExample: true }],
  token: { field: "token" },
  signIn: "Request a token under API in the project's menu, with the right to export. Each token is for one project.",
  // A wrong token and a missing right have the same answer.
  rights: "a valid token of this project, and the right to export",
  variables: {},
  source: {
    request: {
      path: "/api/",
      form: { content: "record", action: "export", format: "csv", type: "flat", rawOrLabel: "raw" },
    },
    format: "redcap",
  },
  notes: [
    "One answer contains all records. The columns are those of the CSV export of raw data. Edited records are reported as changed, and deleted ones as vanished.",
    "For labels instead of codes, set `request: { form: { rawOrLabel: label, rawOrLabelHeaders: label } }`.",
  ],
}
