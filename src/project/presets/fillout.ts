import type { Preset } from "./Preset.ts"

export const fillout: Preset = {
  title: "Fillout",
  evidence: "From the vendor's documentation and its client, not tried live.",
  base: "https://api.fillout.com/v1/api",
  servers: [
    { of: "accounts in the EU", bases: ["https://eu-api.fillout.com/v1/api"] },
    { of: "accounts in Canada", bases: ["https://ca-api.fillout.com/v1/api"] },
    {
      of: "your own server, whose dashboard shows the address",
      bases: ["https://forms.example.org/v1/api"],
      isExample: true,
    },
  ],
  token: { bearer: true },
  signIn: "Create an API key in the account settings, under Developer.",
  // 5 a second.
  requestsPerSecond: 4,
  variables: { form: { about: "the form's id, as in its address", example: "vso6Tz9Q4bus" } },
  source: {
    request: { path: "/forms/{form}/submissions", query: { limit: "150", offset: "{offset}", sort: "asc" } },
    page: { offset: 0, total: "/totalResponses", id: "/submissionId" },
    records: "/responses",
    labels: { path: "/forms/{form}" },
    format: "fillout",
    rowKey: ["Submission ID"],
  },
  notes: [
    "The questions and the row key are those of a CSV of the results. There is no column `Status`, because only finished submissions are pulled. Times are ISO times in UTC.",
    "Edited submissions are reported as changed, and deleted ones as vanished.",
    'To pull only new submissions, add `since: { at: /submissionTime }` and `request: { query: { afterDate: "{since}" } }`. Edits are then reported only when all submissions are pulled, which is every 7 days.',
  ],
}
