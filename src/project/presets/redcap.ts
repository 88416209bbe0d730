import type { Preset } from "./Preset.ts"

export const redcap: Preset = {
  title: "REDCap",
  evidence: "From the code of two widely used clients, not tried live.",
  bases: "the address of your server without `/api/`, such as `https://redcap.example.edu`",
  token: { field: "token" },
  signIn: "Ask for a token under API in the project's menu, with the right to export. It belongs to one project.",
  variables: {},
  source: {
    request: {
      path: "/api/",
      form: { content: "record", action: "export", format: "csv", type: "flat", rawOrLabel: "raw" },
    },
    format: "redcap",
  },
  notes: [
    "One answer, with the columns of the CSV export of raw data. Edits are found. Records that were deleted in REDCap are reported as vanished.",
    "For labels instead of codes, set `request: { form: { rawOrLabel: label, rawOrLabelHeaders: label } }`.",
  ],
}
