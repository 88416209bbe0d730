import type { Preset } from "./Preset.ts"

export const kobo: Preset = {
  title: "KoboToolbox",
  evidence: "From the vendor's source code and documentation, not tried live.",
  base: "https://kf.kobotoolbox.org",
  servers: [{ of: "your server", bases: ["https://kobo.example.org"], isExample: true }],
  token: { header: "Authorization", prefix: "Token" },
  signIn: "The token is in the account settings, under Security.",
  rights: "the permission to view the project's submissions",
  variables: { form: { about: "the project's id, as in its address", example: "aBc123" } },
  source: {
    // An export would take a job, and the server may return an earlier one. The address of the next page has an offset that doesn't overlap.
    request: {
      path: "/api/v2/assets/{form}/data/",
      query: { format: "json", limit: "1000", start: "{offset}", sort: '{"_id":1}' },
    },
    page: { offset: 0, total: "/count", id: "/_id" },
    records: "/results",
    format: "kobo",
  },
  notes: [
    "Options are codes. Their labels are not requested, because it isn't confirmed where the API has them.",
    "The columns are those of an export with XML names and groups in the header, without the columns of individual options.",
    "Edited records are reported as changed, and deleted ones as vanished.",
  ],
}
