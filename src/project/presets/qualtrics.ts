import type { Preset } from "./Preset.ts"

export const qualtrics: Preset = {
  title: "Qualtrics",
  evidence: "From the code of several clients, not tried live.",
  servers: [{ of: "your data centre", bases: ["https://fra1.qualtrics.com"], isExample: true }],
  token: { header: "X-API-TOKEN" },
  signIn: "Find the token and the data centre in the account settings, under Qualtrics IDs.",
  variables: { form: { about: "the survey's id, as in its address", example: "SV_1abcDEF234ghiJK" } },
  source: {
    // One export is made at one moment, so no record can move between pages. It has the same columns as an export that is downloaded.
    request: {
      path: "/API/v3/surveys/{form}/export-responses",
      json: { format: "csv", useLabels: true, breakoutSets: true },
    },
    job: {
      id: "/result/progressId",
      poll: "/API/v3/surveys/{form}/export-responses/{job}",
      status: { at: "/result/status", running: ["inProgress"], completed: ["complete"], failed: ["failed"] },
      file: "/result/fileId",
      download: "/API/v3/surveys/{form}/export-responses/{file}/file",
    },
    format: "qualtrics",
  },
  notes: [
    "An export job creates one file. The columns are those of a CSV export with choice texts. Edited responses are reported as changed, and deleted ones as vanished.",
    "Responses in progress are not included. Test responses are included: skip them with `where`.",
    "For codes instead of choice texts, set `request: { json: { useLabels: false } }`.",
    "Times are in the zone that the export states.",
    "If the download takes longer than 2 minutes, increase the connection's `timeout`.",
  ],
}
