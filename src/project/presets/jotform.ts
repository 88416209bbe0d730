import type { Preset } from "./Preset.ts"

export const jotform: Preset = {
  title: "Jotform",
  evidence: "From the vendor's documentation, not tried live.",
  base: "https://api.jotform.com",
  bases:
    "`https://eu-api.jotform.com` for accounts in the EU, `https://hipaa-api.jotform.com` for HIPAA accounts, or your own domain followed by `/API` for Enterprise accounts",
  token: { header: "APIKEY" },
  signIn: "Create an API key under Settings, API, with the permission Read Access.",
  quota: { at: "/limit-left" },
  variables: { form: { about: "the form's id, as in its address", example: "241234567890123" } },
  source: {
    // The creation doesn't change with an edit. Whether the oldest or the newest come first is not documented: with new ones first, a submission that
    // arrives during the pull moves another one to the next page, where it is recognised by its id.
    request: { path: "/form/{form}/submissions", query: { limit: 1000, offset: "{offset}", orderby: "created_at" } },
    page: { offset: 0, id: "/id" },
    success: { "/responseCode": [200] },
    records: "/content",
    format: "jotform",
  },
  notes: [
    "Edited submissions are reported as changed, and deleted ones as vanished.",
    "If `inspect` shows values of `status` other than `ACTIVE`, skip those submissions: `where: { status: [ACTIVE] }`.",
    "Times have no zone, and Jotform doesn't document their zone. Before you set `zone`, compare a time with Jotform's own table.",
  ],
}
