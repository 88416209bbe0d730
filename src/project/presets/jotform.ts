import type { Preset } from "./Preset.ts"

export const jotform: Preset = {
  title: "Jotform",
  evidence: "From the vendor's documentation, not tried live.",
  base: "https://api.jotform.com",
  servers: [
    { of: "accounts in the EU", bases: ["https://eu-api.jotform.com"] },
    { of: "HIPAA", bases: ["https://hipaa-api.jotform.com"] },
    { of: "Enterprise, with your own domain", bases: ["https://forms.example.org/API"], isExample: true },
  ],
  token: { header: "APIKEY" },
  signIn: "Create an API key under Settings, API, with the permission Read Access.",
  rights: "an API key with the permission Read Access",
  // Failures have status 200.
  refusals: [
    { at: "/responseCode", is: "401", means: "signIn" },
    { at: "/message", is: "API-Limit exceeded", means: "quota" },
  ],
  quota: { at: "/limit-left" },
  renewed: "at midnight in New York",
  variables: { form: { about: "the form's id, as in its address", example: "241234567890123" } },
  source: {
    // The creation doesn't change with an edit. Whether the oldest or the newest come first is not documented: with new ones first, a submission that
    // arrives during the pull moves another one to the next page, where it is recognised by its id.
    request: { path: "/form/{form}/submissions", query: { limit: "1000", offset: "{offset}", orderby: "created_at" } },
    page: { offset: 0, id: "/id" },
    success: { "/responseCode": [200] },
    records: "/content",
    format: "jotform",
  },
  notes: [
    "The titles of questions are those of an export. The pull also has columns that an export may lack, such as the submission's id, address and status. The time is called `created_at`, not `Submission Date`.",
    "Edited submissions are reported as changed, and deleted ones as vanished.",
    "If `inspect` shows values of `status` other than `ACTIVE`, skip those submissions: `where: { status: [ACTIVE] }`.",
    "Times have no zone, and Jotform doesn't document their zone. Before you set `zone`, compare a time with Jotform's own table.",
  ],
}
