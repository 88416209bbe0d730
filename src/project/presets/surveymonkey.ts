import type { Preset } from "./Preset.ts"

const rights = "the scopes View Surveys, View Responses and View Response Details"

export const surveymonkey: Preset = {
  title: "SurveyMonkey",
  evidence: "From the vendor's documentation and the code of several clients, not tried live.",
  base: "https://api.surveymonkey.com/v3",
  // The documentation names no other host: the answer to a sign-in by OAuth does.
  servers: [{
    of: "accounts in a different region, with the host that SurveyMonkey calls `access_url`",
    bases: ["https://surveys.example.org/v3"],
    isExample: true,
  }],
  token: { bearer: true },
  signIn:
    `Create a private app on the developer page, with ${rights}. The last one needs a paid plan. The app's access token doesn't expire.`,
  rights: `${rights}, of which the last one needs a paid plan`,
  refusals: [{ at: "/error/id", is: "1018", means: "region" }],
  // 120 a minute.
  requestsPerSecond: 1.5,
  quota: { header: "X-Ratelimit-App-Global-Day-Remaining" },
  variables: { form: { about: "the survey's id", example: "123456789" } },
  source: {
    // Responses that are modified after the start of the pull are excluded, so their number can only fall, which the total shows. Without that, an edit
    // moves a response to the end, and another one to a page that was already read, while the total stays the same.
    request: {
      path: "/surveys/{form}/responses/bulk",
      query: {
        per_page: "100",
        sort_by: "date_modified",
        sort_order: "ASC",
        start_modified_at: "{since}",
        end_modified_at: "{until}",
      },
    },
    page: { link: "/links/next", total: "/total", id: "/id" },
    records: "/data",
    since: { at: "/date_modified", skipped: "pass" },
    labels: { path: "/surveys/{form}/details" },
    where: { response_status: ["completed"], collection_mode: { not: ["preview", "survey_preview"] } },
    format: "surveymonkey",
    rowKey: ["Respondent ID"],
  },
  notes: [
    "The questions, cells and row key are those of an export with separate columns and answer texts. Unlike in an export, `Start Date` and `End Date` are ISO times in UTC.",
    "Only completed responses are imported, and no test responses of a preview. To import others, set `where`.",
    "Edited responses are reported as changed. Deleted ones are reported as vanished when all responses are pulled.",
    "An account has 500 requests a day. A pull needs one for every 100 responses, and two more.",
  ],
}
