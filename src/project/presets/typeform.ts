import type { Preset } from "./Preset.ts"

const rights = "the scopes Forms: Read and Responses: Read"

export const typeform: Preset = {
  title: "Typeform",
  evidence: "From the vendor's documentation and the code of several clients, not tried live.",
  base: "https://api.typeform.com",
  servers: [{ of: "accounts in the EU", bases: ["https://api.eu.typeform.com", "https://api.typeform.eu"] }],
  token: { bearer: true },
  signIn: `Create a personal token in the account settings, with ${rights}.`,
  rights,
  variables: { form: { about: "the form's id, as in its address", example: "u6nXL7" } },
  source: {
    // Pages by `before` would begin in the order of submission, and continue in the order of processing, so a response could be skipped. By time, each
    // page repeats the last second of the page before. Responses that arrive are excluded, because they would hide from the total that a page out of order
    // skipped others.
    request: {
      path: "/forms/{form}/responses",
      query: {
        page_size: "1000",
        response_type: "completed",
        sort: "submitted_at,asc",
        since: "{cursor}",
        until: "{until}",
      },
    },
    page: {
      last: "/submitted_at",
      id: "/token",
      end: { at: "/page_count", is: [0, 1] },
      total: { remaining: "/total_items" },
    },
    records: "/items",
    since: { at: "/submitted_at" },
    labels: { path: "/forms/{form}" },
    format: "typeform",
    rowKey: ["#"],
  },
  notes: [
    "The columns, cells and row key are those of a CSV export without `Ending`.",
    "Only completed responses are pulled. Typeform doesn't allow them to be edited. Deleted ones are reported as vanished when all responses are pulled.",
    "A response may appear in the API only half an hour after its submission. The overlap covers this delay.",
  ],
}
