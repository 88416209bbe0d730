import * as Duration from "effect/Duration"
import type { Preset } from "./Preset.ts"

const rights = "the scopes `data.records:read` and `schema.bases:read`"

export const airtable: Preset = {
  title: "Airtable",
  evidence: "From the vendor's documentation and the code of a widely used client, not tried live.",
  base: "https://api.airtable.com/v0",
  token: { bearer: true },
  signIn: `On the developer page, create a personal access token for this base only, with ${rights}.`,
  rights: `${rights}, for this base`,
  // 5 a second and base.
  requestsPerSecond: 4,
  pause: Duration.seconds(30),
  variables: {
    base: { about: "the base's id, as in its address", example: "appAbC123" },
    table: { about: "the table's id or name", example: "tblDeF456" },
  },
  source: {
    request: { path: "/{base}/{table}", query: { pageSize: "100", offset: "{cursor}" } },
    page: { cursor: "/offset", id: "/id" },
    records: "/records",
    labels: { path: "/meta/bases/{base}/tables" },
    format: "airtable",
    rowKey: ["Airtable record ID"],
  },
  notes: [
    "The columns are those of a grid view's CSV, in the table's order, then the record's id and creation time. A CSV contains neither of these: if `rowKey` names other columns, a pipeline for a CSV also works with the pull.",
    "Texts, choices and checkboxes are written as in a CSV. Numbers, dates, formulas and linked records are written as Airtable stores them.",
    "Edited records are reported as changed, and deleted ones as vanished.",
    "Links to attachments expire about two hours after the pull.",
  ],
}
